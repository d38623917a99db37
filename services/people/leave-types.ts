import type { DecimalInput } from "../../core/values/money.ts";

/** How a calendar shows leave of a type: a whole day, or an hour block. */
export type LeaveCalendarDisplay = "all_day" | "timed";

/** A leave type as the rules see it (people chapter §3). */
export interface LeaveType {
  readonly id: string;
  readonly key: string;
  readonly label_i18n: Readonly<Record<string, string>>;
  readonly position: number;
  readonly active: boolean;
  /** Spends a pot. */
  readonly tracks_balance: boolean;
  /** False: self-service, approved on creation. */
  readonly requires_approval: boolean;
  /** Free time: the pot is the gap between contract and full-time norm; `default_weeks` is ignored. */
  readonly accrues_schedule_gap: boolean;
  /** Yearly grant in weeks of contract hours; null: no grant. */
  readonly default_weeks: DecimalInput | null;
  /** Months after its year that a pot stays alive; null: never expires. */
  readonly carry_over_months: number | null;
  /** Types with the same group show as one balance. */
  readonly balance_group: string | null;
  readonly calendar_display: LeaveCalendarDisplay;
}

/** A type of the seed: without an id, with its colour and whether it is paid. */
export interface SeededType extends Omit<LeaveType, "id"> {
  readonly color: string;
  readonly paid: boolean;
}

/** The defaults of a new type created with only a key (people chapter §3). */
export const TYPE_DEFAULTS = {
  color: "emerald",
  paid: true,
  tracks_balance: false,
  requires_approval: true,
  accrues_schedule_gap: false,
  calendar_display: "all_day",
  position: 0,
  active: true,
  label_i18n: {},
  default_weeks: null,
  carry_over_months: null,
  balance_group: null,
} as const satisfies Omit<SeededType, "key">;

/** The seeded types of an organisation without any, stored on the first read by a caller who may write leave (§3). */
export const SEEDED_TYPES: readonly SeededType[] = [
  {
    ...TYPE_DEFAULTS,
    key: "vacation_statutory",
    label_i18n: { nl: "Wettelijke vakantie", en: "Statutory vacation" },
    default_weeks: "4",
    carry_over_months: 6,
    balance_group: "vacation",
    tracks_balance: true,
    position: 10,
  },
  {
    ...TYPE_DEFAULTS,
    key: "vacation_extra",
    label_i18n: { nl: "Bovenwettelijke vakantie", en: "Extra vacation" },
    default_weeks: "1",
    carry_over_months: 60,
    balance_group: "vacation",
    tracks_balance: true,
    color: "teal",
    position: 20,
  },
  {
    ...TYPE_DEFAULTS,
    key: "roostervrij",
    label_i18n: { nl: "Vrije tijd", en: "Free time" },
    carry_over_months: 0,
    tracks_balance: true,
    requires_approval: false,
    accrues_schedule_gap: true,
    calendar_display: "timed",
    color: "cyan",
    position: 25,
  },
  {
    ...TYPE_DEFAULTS,
    key: "sick",
    label_i18n: { nl: "Ziek", en: "Sick" },
    requires_approval: false,
    color: "orange",
    position: 30,
  },
  {
    ...TYPE_DEFAULTS,
    key: "special",
    label_i18n: { nl: "Bijzonder verlof", en: "Special leave" },
    color: "violet",
    position: 40,
  },
  {
    ...TYPE_DEFAULTS,
    key: "unpaid",
    label_i18n: { nl: "Onbetaald verlof", en: "Unpaid leave" },
    paid: false,
    color: "sky",
    position: 50,
  },
];

type Ordered = Pick<LeaveType, "position" | "key">;

/** The order of every list of types: position, then key (people chapter §3). */
export function byPosition(one: Ordered, other: Ordered): number {
  if (one.position !== other.position) return one.position - other.position;
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

/**
 * The type that carries a group's shortfall and sets its position and label: smallest `carry_over_months` (null is the largest), then
 * position, then key (people chapter §8). Throws RangeError on an empty group.
 */
export function representative<T extends Ordered & Pick<LeaveType, "carry_over_months">>(types: readonly T[]): T {
  const months = (type: T): number => type.carry_over_months ?? Number.POSITIVE_INFINITY;
  const sorted = [...types].sort((a, b) => (months(a) === months(b) ? byPosition(a, b) : months(a) - months(b)));
  const [first] = sorted;
  if (first === undefined) throw new RangeError("a balance group without types");
  return first;
}

/** The types with a balance: active and tracking, in list order (people chapter §8). */
export function balanceTypes<T extends LeaveType>(types: readonly T[]): T[] {
  return types.filter((type) => type.active && type.tracks_balance).sort(byPosition);
}

/** The types with the schedule gap as their pot: active free-time types, in list order (people chapter §9, "Overview"). */
export function freeTimeTypes<T extends LeaveType>(types: readonly T[]): T[] {
  return types.filter((type) => type.active && type.accrues_schedule_gap).sort(byPosition);
}

/**
 * The balance groups of active tracking types, each in list order, sorted by their representative. A type without `balance_group` forms a
 * group of its own (people chapter §8).
 */
export function balanceGroups<T extends LeaveType>(types: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const type of balanceTypes(types)) {
    const name = type.balance_group === null ? `type ${type.id}` : `group ${type.balance_group}`;
    const group = groups.get(name);
    if (group) group.push(type);
    else groups.set(name, [type]);
  }
  return [...groups.values()].sort((a, b) => byPosition(representative(a), representative(b)));
}

/** The label of a group: "Vacation" for the group `vacation`, else the representative's (people chapter §8). */
export function groupLabel(types: readonly LeaveType[]): Readonly<Record<string, string>> {
  const type = representative(types);
  if (type.balance_group === "vacation") return { nl: "Vakantieverlof", en: "Vacation" };
  return type.label_i18n;
}
