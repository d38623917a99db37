import {
  addDays,
  addMonths,
  dateOf,
  daysBetween,
  daysInMonth,
  type IsoDate,
  startOf,
  yearOf,
} from "../../../../core/calendar/calendar.ts";
import { invalid, isApiError } from "../../../../core/errors/errors.ts";
import type { RecurrencePlan } from "../../planning/planned-blocks.ts";

/** How often a task recurs. */
export type RecurrenceFreq = "daily" | "weekly" | "monthly" | "quarterly" | "yearly";

/** When the next occurrence is created: when the task is finished, or by the nightly job on its date. */
export type RecurrenceMode = "after_completion" | "schedule";

/** Which of the weekdays of a month. */
export const WEEKS = ["first", "second", "third", "fourth", "last"] as const;
export type RecurrenceWeek = (typeof WEEKS)[number];

/** A rule as stored (work chapter §3.9). Weekdays count 0 = Monday … 6 = Sunday. Rules of earlier versions lack the keys that are optional. */
export interface Recurrence {
  readonly freq: RecurrenceFreq;
  readonly interval: number;
  readonly mode: RecurrenceMode;
  readonly on_weekday: number | null;
  /** In order, each once. */
  readonly on_weekdays?: readonly number[] | null;
  readonly on_week?: RecurrenceWeek | null;
  readonly on_day: number | null;
  readonly on_month: number | null;
  readonly plan: RecurrencePlan | null;
}

type Optional<T> = { readonly [Key in keyof T]?: T[Key] | null | undefined };

/** A rule as sent in a body, each value already validated on its own. */
export interface SentRecurrence extends Optional<Omit<Recurrence, "freq" | "plan">> {
  readonly freq: RecurrenceFreq;
  readonly plan?:
    | (Pick<RecurrencePlan, "start_time" | "duration_minutes"> & { user_id?: string | null | undefined })
    | null
    | undefined;
}

const ANCHORS = ["on_weekday", "on_weekdays", "on_week", "on_day", "on_month"] as const;
type Anchor = (typeof ANCHORS)[number];

const ALLOWED: Readonly<Record<RecurrenceFreq, readonly Anchor[]>> = {
  daily: [],
  weekly: ["on_weekday", "on_weekdays"],
  monthly: ["on_day", "on_week", "on_weekday"],
  quarterly: ["on_day", "on_week", "on_weekday"],
  yearly: ["on_day", "on_month", "on_week", "on_weekday"],
};

/** Months per step of a rule that counts in months. */
const MONTHS = { monthly: 1, quarterly: 3, yearly: 12 } as const;

/** The anchor that does not fit the frequency or another anchor, or null; an incomplete yearly anchor returns `on_month`. */
function misfit({ freq, ...anchors }: Pick<Recurrence, "freq" | Anchor>): Anchor | null {
  const has = (anchor: Anchor) => (anchors[anchor] ?? null) !== null;
  // A weekday of a month needs the week, and the week needs the weekday.
  if (freq !== "weekly" && has("on_week") !== has("on_weekday")) return has("on_week") ? "on_week" : "on_weekday";
  const foreign = ANCHORS.find((anchor) => has(anchor) && !ALLOWED[freq].includes(anchor));
  if (foreign !== undefined) return foreign;
  if (has("on_weekdays") && has("on_weekday")) return "on_weekdays";
  if (has("on_week") && has("on_day")) return "on_week";
  return freq === "yearly" && has("on_month") !== (has("on_day") || has("on_week")) ? "on_month" : null;
}

/**
 * A rule as stored: with every key, interval 1 and mode `after_completion` by default, times without seconds.
 * @throws 422 `recurrence: errors.tasks_recurrence_anchor:<field>` for an anchor that its frequency does not support (work chapter §3.9)
 */
export function readRecurrence(sent: SentRecurrence): Recurrence {
  const rule: Recurrence = {
    freq: sent.freq,
    interval: sent.interval ?? 1,
    mode: sent.mode ?? "after_completion",
    on_weekday: sent.on_weekday ?? null,
    on_weekdays: sent.on_weekdays?.toSorted((one, other) => one - other) ?? null,
    on_week: sent.on_week ?? null,
    on_day: sent.on_day ?? null,
    on_month: sent.on_month ?? null,
    plan: sent.plan
      ? {
          user_id: sent.plan.user_id?.toLowerCase() ?? null,
          start_time: sent.plan.start_time.slice(0, 5),
          duration_minutes: sent.plan.duration_minutes,
        }
      : null,
  };
  const anchor = misfit(rule);
  if (anchor !== null) throw invalid({ recurrence: `errors.tasks_recurrence_anchor:${anchor}` });
  return rule;
}

/** The day of a month, or the month's last day if the month is shorter. */
function dayIn(year: number, month: number, day: number): IsoDate {
  return dateOf(year, month, Math.min(day, daysInMonth(year, month)));
}

/** The first, second, third, fourth or last of a weekday in a month. */
function weekdayIn(year: number, month: number, week: RecurrenceWeek, weekday: number): IsoDate {
  const from = dateOf(year, month, week === "last" ? daysInMonth(year, month) - 6 : 1 + 7 * WEEKS.indexOf(week));
  return addDays(from, (weekday - weekdayOf(from) + 7) % 7);
}

const weekdayOf = (date: IsoDate): number => daysBetween(startOf("week", date), date);

/** The date itself, or the day of its own week, month or year that the anchor names (work chapter §3.9, "Step"). */
function anchored(rule: Recurrence, date: IsoDate): IsoDate {
  const { on_weekday, on_day, on_week = null, on_month } = rule;
  const [year, month] = [yearOf(date), on_month ?? Number(date.slice(5, 7))];
  if (on_week !== null && on_weekday !== null) return weekdayIn(year, month, on_week, on_weekday);
  if (on_weekday !== null) return addDays(startOf("week", date), on_weekday);
  return on_day === null ? date : dayIn(year, month, on_day);
}

/** The next of several weekdays: in the date's own week, else the first of them, an interval of weeks later. */
function nextOf(weekdays: readonly number[], interval: number, date: IsoDate): IsoDate {
  const later = weekdays.find((weekday) => weekday > weekdayOf(date));
  const monday = startOf("week", date);
  return addDays(monday, later ?? 7 * interval + (weekdays[0] as number));
}

/** The date a number of steps later, ignoring the anchor. */
function added({ freq, interval }: Recurrence, date: IsoDate, steps: number): IsoDate {
  const count = interval * steps;
  if (freq === "daily") return addDays(date, count);
  return freq === "weekly" ? addDays(date, 7 * count) : addMonths(date, MONTHS[freq] * count);
}

/** @throws 422 on `recurrence` for a date beyond the calendar */
function inCalendar(date: () => IsoDate): IsoDate {
  try {
    return date();
  } catch {
    throw invalid({ recurrence: "errors.validation" });
  }
}

/**
 * The date one step later, always strictly later. Days and weeks are added; a weekly rule then moves to its anchor inside the resulting
 * Monday–Sunday week. Months are added and the anchor day taken, else the same day number, clamped to the month's last day. A yearly anchor
 * gives that date in the resulting year. Of several weekdays the next in the same week follows, else the first of them an interval later
 * (work chapter §3.9, "Step").
 * @throws 422 on `recurrence` if the step leaves the calendar (9999-12-31)
 */
export function step(rule: Recurrence, date: IsoDate): IsoDate {
  const { on_weekdays: weekdays, interval } = rule;
  return inCalendar(() => (weekdays ? nextOf(weekdays, interval, date) : anchored(rule, added(rule, date, 1))));
}

/**
 * The next date of a rule: from the due date (from today without one) steps until later than today. Without a due date the anchor's date
 * inside today's week, month or year counts if it is still ahead; for a quarterly rule that period is today's month (work chapter §3.9,
 * "Next date").
 * @param today the organisation's date
 * @throws 422 on `recurrence` if there is no such date before 9999-12-31
 */
export function nextDate(rule: Recurrence, due: IsoDate | null, today: IsoDate): IsoDate {
  if (due === null) {
    const own = anchored(rule, today);
    return own > today ? own : step(rule, today);
  }
  let date = step(rule, due);
  if (date <= today && (rule.freq === "daily" || rule.freq === "weekly")) {
    // An old due date may be thousands of steps away; a rule comes back to the same weekday after each interval.
    const length = rule.interval * (rule.freq === "weekly" ? 7 : 1);
    const whole = Math.floor(daysBetween(date, today) / length);
    date = inCalendar(() => added(rule, date, whole));
  }
  while (date <= today) date = step(rule, date);
  return date;
}

/** Whether a rule has a next date: a due date at the end of the calendar (9999-12-31) may be the last of its series. */
export function hasNextDate(rule: Recurrence, due: IsoDate | null, today: IsoDate): boolean {
  try {
    nextDate(rule, due, today);
    return true;
  } catch (error) {
    if (isApiError(error)) return false;
    throw error;
  }
}

/** The dates that follow `date`, in order (work chapter §3.9, preview: two of them). */
export function followingDates(rule: Recurrence, date: IsoDate, count = 2): IsoDate[] {
  const dates: IsoDate[] = [];
  for (let at = date; dates.length < count; dates.push(at)) at = step(rule, at);
  return dates;
}

/**
 * The value of `recurrence_next_run`: the next date of a rule in schedule mode, null for the other mode and without a rule. Callers
 * recompute it whenever the rule or the due date changes (work chapter §3.9).
 * @throws 422 as {@link nextDate}
 */
export function nextRun(rule: Recurrence | null, due: IsoDate | null, today: IsoDate): IsoDate | null {
  return rule?.mode === "schedule" ? nextDate(rule, due, today) : null;
}

/**
 * The due date and `recurrence_next_run` of the occurrence after a carrier. The due date is the next date from the carrier's own, so it is
 * later than today. In schedule mode the occurrence runs on that date: stepping past it would skip a date (work chapter §3.9 and the
 * example of §6).
 * @param due the carrier's due date
 * @throws 422 as {@link nextDate}
 */
export function nextOccurrence(
  rule: Recurrence,
  due: IsoDate | null,
  today: IsoDate,
): { due_date: IsoDate; recurrence_next_run: IsoDate | null } {
  const due_date = nextDate(rule, due, today);
  return { due_date, recurrence_next_run: rule.mode === "schedule" ? due_date : null };
}

/** Whether the nightly job creates the next occurrence: its date has come, whatever the task's status (work chapter §3.9). */
export function runsOn(nextRunDate: IsoDate | null, today: IsoDate): boolean {
  return nextRunDate !== null && nextRunDate <= today;
}
