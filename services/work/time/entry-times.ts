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

type SentTimes<T> = { readonly [Key in keyof T]?: T[Key] | null | undefined };

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

/** The times of an entry of so many minutes. @throws 422 `ended_at` if they and the break exceed 24 hours */
const lasting = (start: string, minutes: number, pause: number): FinishedTimes =>
  bounded({ started_at: start, ended_at: after(start, (minutes + pause) * MINUTE), minutes, break_minutes: pause });

/**
 * The times of a new entry (work chapter §4.1, "Create"). `ended_at` wins over `minutes`: an end before the start moves to the next day, an
 * equal one means no minutes, and the minutes are the rounded span minus the break, never below 0. Otherwise the end is start + minutes +
 * break.
 * @param zone the time zone in which the end moves to the next day
 * @throws 422 `ended_at: errors.required` with neither, `errors.validation` for a span of more than 24 hours
 */
export function createdTimes(
  { started_at, ended_at, minutes, break_minutes }: Pick<EntryTimes, "started_at"> & SentTimes<Omit<EntryTimes, "started_at">>,
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
  return lasting(start, minutes, pause);
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

const sameInstant = (one: string, other: string): boolean => Date.parse(utcInstant(one)) === Date.parse(utcInstant(other));

/** The times of an entry whose end is sent: it wins over minutes, and stops a running entry. */
function endedTimes(stored: EntryTimes, start: string, end: string, pause: number): EntryTimes {
  if (Date.parse(end) < Date.parse(start)) throw invalid({ ended_at: "errors.validation" });
  const isStored =
    stored.ended_at !== null &&
    sameInstant(end, stored.ended_at) &&
    sameInstant(start, stored.started_at) &&
    pause === stored.break_minutes;
  const minutes = isStored ? stored.minutes : worked(start, end, pause);
  return bounded({ started_at: start, ended_at: end, minutes, break_minutes: pause });
}

/**
 * The times of an entry after an update; omitted and null fields stay (work chapter §4.1, "Update"). A sent end wins and recomputes the
 * minutes, never below 0. Otherwise sent minutes, or the stored ones of an entry that moves to another start, set the end. Another break
 * alone recomputes the minutes between start and end. An end, or minutes, sent to a running entry stops it. A running entry has no minutes.
 * The same update again changes nothing.
 * @throws 422 `ended_at: errors.validation` for an end before the start, and for changed times that span more than 24 hours; 422
 * `break_minutes` for a break alone that is longer than the entry
 */
export function updatedTimes(stored: EntryTimes, sent: SentTimes<EntryTimes>): EntryTimes {
  const start = utcInstant(sent.started_at ?? stored.started_at);
  const pause = sent.break_minutes ?? stored.break_minutes;
  if (sent.ended_at) return endedTimes(stored, start, utcInstant(sent.ended_at), pause);
  const end = stored.ended_at === null ? null : utcInstant(stored.ended_at);
  const hasMoved = !sameInstant(start, stored.started_at);
  const minutes = sent.minutes ?? (end !== null && hasMoved ? stored.minutes : null);
  if (minutes !== null && (hasMoved || end === null || minutes !== stored.minutes || pause !== stored.break_minutes))
    return lasting(start, minutes, pause);
  if (end === null) return { started_at: start, ended_at: null, minutes: 0, break_minutes: pause };
  if (pause === stored.break_minutes) return { started_at: start, ended_at: end, minutes: stored.minutes, break_minutes: pause };
  if (Math.round((Date.parse(end) - Date.parse(start)) / MINUTE) < pause) throw invalid({ break_minutes: "errors.validation" });
  return bounded({ started_at: start, ended_at: end, minutes: worked(start, end, pause), break_minutes: pause });
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
  sent: SentTimes<Pick<EntryTimes, "minutes" | "break_minutes">>,
  zone: string,
): FinishedTimes {
  const { minutes, break_minutes } = sent;
  const length = minutes === null || minutes === undefined ? { ended_at: block.ends_at } : { minutes };
  return createdTimes({ started_at: block.starts_at, break_minutes, ...length }, zone);
}
