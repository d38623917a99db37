import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { namedValues } from "../../../core/naming/named-values.ts";

export const CADENCES = namedValues("ReportCadence", ["off", "monthly", "quarterly"]);
export const COMPARES = namedValues("ReportCompare", ["year", "previous"]);
export const DELIVERIES = namedValues("ReportDelivery", ["review", "auto"]);

/** When reports are made, their comparison, and their delivery (workspace-reporting §1.4). */
export interface Schedule {
  cadence: (typeof CADENCES)[number];
  /** 1 to 28, which every month has. */
  day_of_month: number;
  /** 0 to 23, in the organisation's zone. */
  hour: number;
  compare: (typeof COMPARES)[number];
  delivery: (typeof DELIVERIES)[number];
  publish_to_portal: boolean;
}

/** The keys that an organisation or client has set; others are inherited. */
export type OwnSchedule = Partial<Schedule>;

/** The schedule of an organisation without its own. */
export const BUILT_IN: Schedule = {
  cadence: "monthly",
  day_of_month: 5,
  hour: 8,
  compare: "year",
  delivery: "review",
  publish_to_portal: true,
};
const KEYS = Object.keys(BUILT_IN) as (keyof Schedule)[];

/** The keys with a value: null inherits, like an absent key. */
export const ownSchedule = (sent: { readonly [Key in keyof Schedule]?: Schedule[Key] | null } | undefined): OwnSchedule =>
  Object.fromEntries(KEYS.flatMap((key) => (sent?.[key] === null || sent?.[key] === undefined ? [] : [[key, sent[key]]])));

/** The effective schedule: built-in, then the organisation's keys, then the client's (workspace-reporting §1.4). */
export const effectiveSchedule = (organisation: OwnSchedule, client: OwnSchedule = {}): Schedule => ({
  ...BUILT_IN,
  ...ownSchedule(organisation),
  ...ownSchedule(client),
});

/** Months in which quarterly reports are made. */
export const QUARTERS: ReadonlySet<number> = new Set([1, 4, 7, 10]);

/**
 * The day of the next scheduled run: `day_of_month` in this month if that is after today, else in the next; quarterly moves on to January,
 * April, July or October. Null if nothing is scheduled.
 * @param today in the organisation's zone
 */
export function nextRunOn({ cadence, day_of_month: day }: Schedule, isActive: boolean, today: IsoDate): IsoDate | null {
  if (cadence === "off" || !isActive) return null;
  // Months since year 0, so that December continues into January.
  let month = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7)) - 1;
  if (day <= Number(today.slice(8, 10))) month += 1;
  while (cadence === "quarterly" && !QUARTERS.has((month % 12) + 1)) month += 1;
  const padded = (number: number, length: number) => String(number).padStart(length, "0");
  return `${padded(Math.floor(month / 12), 4)}-${padded((month % 12) + 1, 2)}-${padded(day, 2)}`;
}
