import type { IsoDate } from "../../../core/calendar/calendar.ts";
import type { AvailabilityEntry } from "../../../services/people/availability/availability.ts";
import { type AvailabilityDay, availabilityDays } from "../../../services/people/availability/availability-day.ts";
import { dutchHolidays } from "../../../services/people/holidays/holidays.ts";
import { type LeaveType, SEEDED_TYPES, TYPE_DEFAULTS } from "../../../services/people/leave-types.ts";
import type { BalanceSources, OccupyingBooking, Pot } from "../../../services/people/pots/balance.ts";
import type { PotHolder } from "../../../services/people/pots/proration.ts";
import type { Decision } from "../../../services/people/refusal.ts";
import type { Contract } from "../../../services/people/working-time/contract.ts";
import type { WeekSources } from "../../../services/people/working-time/schedule.ts";
import type { Span } from "../../../services/people/working-time/span-cost.ts";
import { DEFAULT_WEEK, type TimeWindow, type WorkDay, type WorkWeek } from "../../../services/people/working-time/week.ts";

export const ZONE = "Europe/Amsterdam";

/** The seeded types; their id is their key. */
export const TYPES: LeaveType[] = SEEDED_TYPES.map((type) => ({ ...type, id: type.key }));

export function typeOf(id: string, over: Partial<LeaveType> = {}): LeaveType {
  const known = TYPES.find((type) => type.id === id);
  return { ...TYPE_DEFAULTS, ...known, id, key: id, ...over };
}

/** `"09:00-17:30 12:30-13:15"`: a block and its breaks. */
export function day(text: string): WorkDay {
  const [block, ...breaks] = text.split(" ").map((part): TimeWindow => {
    const [start = "", end = ""] = part.split("-");
    return { start, end };
  });
  return { start: "", end: "", ...block, breaks };
}

export function week(days: Partial<Record<keyof WorkWeek, string>>): WorkWeek {
  const of = (key: keyof WorkWeek): WorkDay | null => (days[key] === undefined ? null : day(days[key]));
  return { mon: of("mon"), tue: of("tue"), wed: of("wed"), thu: of("thu"), fri: of("fri"), sat: of("sat"), sun: of("sun") };
}

/** Monday to Friday alike. */
export function weekOf(text: string): WorkWeek {
  return week({ mon: text, tue: text, wed: text, thu: text, fri: text });
}

/** Example 4 of the people chapter. */
export const UNEVEN_WEEK = week({ mon: "09:00-17:30 12:30-13:15", wed: "08:00-12:00", thu: "08:00-12:00" });

export function contract(start_date: IsoDate, end_date: IsoDate | null, over: Partial<Contract> | number = {}): Contract {
  const fields = typeof over === "number" ? { contract_hours_per_week: over } : over;
  return {
    start_date,
    end_date,
    employment_type: "employee",
    contract_hours_per_week: 40,
    schedule: null,
    free_time_hours_per_week: null,
    ...fields,
  };
}

export function person(over: Partial<WeekSources> = {}): WeekSources {
  return { contracts: [], profile: null, default_schedule: DEFAULT_WEEK, ...over };
}

export function holder(over: Partial<PotHolder> = {}): PotHolder {
  return { ...person(), ever_contracted: false, writes_time: true, ...over };
}

/** The dates of the Dutch holidays of 2025–2040. */
export const HOLIDAYS: ReadonlySet<IsoDate> = new Set(
  Array.from({ length: 16 }, (_, index) => dutchHolidays(2025 + index).map((holiday) => holiday.date)).flat(),
);

/** `"2029-09-11 14:30"` → a start or end with its time. */
export function span(start: string, end: string = start): Span {
  const [start_date = "", start_time = null] = start.split(" ");
  const [end_date = "", end_time = null] = end.split(" ");
  return { start_date, end_date, start_time, end_time };
}

/** One day of availability in the organisation's zone. */
export function availabilityDay(date: IsoDate, who: WeekSources, entries: readonly AvailabilityEntry[]): AvailabilityDay {
  const [found] = availabilityDays(date, date, who, entries, ZONE);
  if (found === undefined) throw new Error(`no day: ${date}`);
  return found;
}

export function pot(leave_type_id: string, year: number, hours: number | string): Pot {
  return { leave_type_id, year, hours };
}

export function booking(
  leave_type_id: string,
  start_date: IsoDate,
  hours: number | string,
  over: Partial<OccupyingBooking> = {},
): OccupyingBooking {
  return { id: `${leave_type_id} ${start_date}`, leave_type_id, start_date, hours, status: "pending", ...over };
}

export function balance(over: Partial<BalanceSources> = {}): BalanceSources {
  return { types: TYPES, pots: [], bookings: [], today: "2028-06-01", ...over };
}

/** The refusal's code or message, or null when it is allowed. */
export function refusal(decision: Decision<object>): string | null {
  if (decision.allowed) return null;
  const { code, message, fields } = decision.refusal;
  if (fields !== undefined)
    return Object.entries(fields)
      .map(([field, key]) => `${field}=${key}`)
      .join(" ");
  return code === "conflict" || code === "forbidden" ? message : code;
}

/** A decision's permissions; fails the test when it refused. */
export function granted<T extends object>(decision: Decision<T>): T {
  if (!decision.allowed) throw new Error(`refused: ${refusal(decision)}`);
  return decision;
}
