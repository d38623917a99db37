import { dayLater, utcInstant } from "../../../core/calendar/calendar.ts";
import { invalid } from "../../../core/errors/errors.ts";

const MINUTE = 60_000;
/** The longest span of an entry (work chapter §4.1). */
const LONGEST = 1440 * MINUTE;

/** The times of an entry: UTC instants and whole minutes. `ended_at` null is a running timer. `minutes` excludes the break. */
export interface EntryTimes {
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly minutes: number;
  readonly break_minutes: number;
}

/** The times of a finished entry. */
export type FinishedTimes = EntryTimes & { readonly ended_at: string };

type Sent<T> = { readonly [Key in keyof T]?: T[Key] | null | undefined };

/** The rounded minutes from start to end minus the break, never below 0 (work chapter §4.1). */
function worked(startedAt: string, endedAt: string, breakMinutes: number): number {
  return Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / MINUTE) - breakMinutes);
}

const after = (instant: string, milliseconds: number): string => utcInstant(Date.parse(instant) + milliseconds);

/** @throws 422 `ended_at` for a span of more than 24 hours in either direction, a slip in the day or year */
function bounded<T extends EntryTimes>(times: T): T {
  const { started_at, ended_at } = times;
  if (ended_at !== null && Math.abs(Date.parse(ended_at) - Date.parse(started_at)) > LONGEST)
    throw invalid({ ended_at: "errors.validation" });
  return times;
}

/**
 * The times of a new entry (work chapter §4.1, "Create"). `ended_at` wins over `minutes`: an end before the start moves to the next day, an
 * equal one means no minutes, and the minutes are the rounded span minus the break, never below 0. Otherwise the end is start + minutes +
 * break.
 * @param zone the time zone in which the end moves to the next day
 * @throws 422 `ended_at: errors.required` with neither, `errors.validation` for a span of more than 24 hours
 */
export function createdTimes(
  { started_at, ended_at, minutes, break_minutes }: Pick<EntryTimes, "started_at"> & Sent<Omit<EntryTimes, "started_at">>,
  zone: string,
): FinishedTimes {
  const start = utcInstant(started_at);
  const pause = break_minutes ?? 0;
  if (ended_at) {
    const sent = utcInstant(ended_at);
    const end = Date.parse(sent) < Date.parse(start) ? dayLater(zone, sent) : sent;
    if (Date.parse(end) < Date.parse(start)) throw invalid({ ended_at: "errors.validation" });
    return bounded({ started_at: start, ended_at: end, minutes: worked(start, end, pause), break_minutes: pause });
  }
  if (minutes === null || minutes === undefined) throw invalid({ ended_at: "errors.required" });
  return bounded({ started_at: start, ended_at: after(start, (minutes + pause) * MINUTE), minutes, break_minutes: pause });
}

/**
 * The times of the entry written when a task is finished (work chapter §3.4, `log_time`): as for a new entry, without a break.
 * @throws 422 `ended_at: errors.validation` for no minutes, or more than 24 hours
 */
export function finishingTimes(sent: Pick<FinishedTimes, "started_at" | "ended_at">, zone: string): FinishedTimes {
  const times = createdTimes({ started_at: sent.started_at, ended_at: sent.ended_at }, zone);
  if (times.minutes === 0) throw invalid({ ended_at: "errors.validation" });
  return times;
}

/**
 * The times of an entry after an update; omitted and null fields stay (work chapter §4.1, "Update"). A changed start, end or break
 * recomputes the minutes, never below 0, without moving the end to the next day; otherwise changed minutes recompute the end. An end, or
 * minutes, sent to a running entry stops it. A running entry has no minutes.
 * @throws 422 `ended_at: errors.validation` for changed times that span more than 24 hours
 */
export function updatedTimes(stored: EntryTimes, sent: Sent<EntryTimes>): EntryTimes {
  const start = utcInstant(sent.started_at ?? stored.started_at);
  const end = sent.ended_at ?? stored.ended_at;
  const pause = sent.break_minutes ?? stored.break_minutes;
  const same = (one: string | null, other: string | null) =>
    one === null || other === null ? one === other : Date.parse(utcInstant(one)) === Date.parse(utcInstant(other));
  const times = { started_at: start, ended_at: end === null ? null : utcInstant(end), break_minutes: pause };
  const isMoved = !same(start, stored.started_at) || !same(end, stored.ended_at) || pause !== stored.break_minutes;
  if (!isMoved && sent.minutes !== undefined && sent.minutes !== null && sent.minutes !== stored.minutes) {
    return bounded({ ...times, ended_at: after(start, (sent.minutes + pause) * MINUTE), minutes: sent.minutes });
  }
  if (times.ended_at === null) return { ...times, minutes: 0 };
  return isMoved ? bounded({ ...times, minutes: worked(start, times.ended_at, pause) }) : { ...times, minutes: stored.minutes };
}

/**
 * The times of a timer stopped at `now`: elapsed minutes, rounded, minus the break, never below 0. A forgotten one ends 24 hours after its
 * start and is `capped`; one whose start was moved into the future ends when it begins (work chapter §4.1, §4.2).
 */
export function stoppedTimes({ started_at, break_minutes }: EntryTimes, now: string): { times: FinishedTimes; capped: boolean } {
  const start = utcInstant(started_at);
  const last = after(start, LONGEST);
  const capped = Date.parse(now) > Date.parse(last);
  const end = capped ? last : Date.parse(now) < Date.parse(start) ? start : utcInstant(now);
  return { times: { started_at: start, ended_at: end, minutes: worked(start, end, break_minutes), break_minutes }, capped };
}

/**
 * The times of the entry that logs a planned block (work chapter §3.10, `log-time`): the block from start to end minus the break, or the
 * sent minutes.
 * @throws 422 `ended_at: errors.validation` if minutes and break together exceed 24 hours
 */
export function loggedBlockTimes(
  block: { readonly starts_at: string; readonly ends_at: string },
  sent: Sent<Pick<EntryTimes, "minutes" | "break_minutes">>,
  zone: string,
): FinishedTimes {
  const { minutes, break_minutes } = sent;
  const length = minutes === null || minutes === undefined ? { ended_at: block.ends_at } : { minutes };
  return createdTimes({ started_at: block.starts_at, break_minutes, ...length }, zone);
}
