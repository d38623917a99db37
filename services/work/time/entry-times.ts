import { utcInstant } from "../../../core/calendar/calendar.ts";
import { invalid } from "../../../core/declare/errors.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** The times of an entry: UTC instants and whole minutes. `ended_at` null is a running timer. `minutes` is the work without the break. */
export interface EntryTimes {
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly minutes: number;
  readonly break_minutes: number;
}

/** The times of an entry that has ended. */
export type FinishedTimes = EntryTimes & { readonly ended_at: string };

type Sent<T> = { readonly [Key in keyof T]?: T[Key] | null | undefined };

/** The minutes from start to end, rounded to whole ones, less the break; never below 0 (work chapter §4.1). */
function worked(startedAt: string, endedAt: string, breakMinutes: number): number {
  return Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / MINUTE) - breakMinutes);
}

const after = (instant: string, milliseconds: number): string => utcInstant(Date.parse(instant) + milliseconds);

/**
 * The times of a new entry (work chapter §4.1, "Create"). `ended_at` wins over `minutes`: an end at or before the start moves one day on,
 * and the minutes are the rounded span less the break, not below 0. Of `minutes` the end is start + minutes + break.
 * @throws 422 `ended_at: errors.required` with neither
 */
export function createdTimes({
  started_at,
  ended_at,
  minutes,
  break_minutes,
}: Pick<EntryTimes, "started_at"> & Sent<Omit<EntryTimes, "started_at">>): FinishedTimes {
  const start = utcInstant(started_at);
  const pause = break_minutes ?? 0;
  if (ended_at) {
    const sent = utcInstant(ended_at);
    const end = Date.parse(sent) <= Date.parse(start) ? after(sent, DAY) : sent;
    return { started_at: start, ended_at: end, minutes: worked(start, end, pause), break_minutes: pause };
  }
  if (minutes === null || minutes === undefined) throw invalid({ ended_at: "errors.required" });
  return { started_at: start, ended_at: after(start, (minutes + pause) * MINUTE), minutes, break_minutes: pause };
}

/**
 * The times of the entry that finishing a task writes (work chapter §3.4, `log_time`): as for a new entry, without a break.
 * @throws 422 `ended_at: errors.validation` when it comes to no minutes
 */
export function finishingTimes(sent: Pick<FinishedTimes, "started_at" | "ended_at">): FinishedTimes {
  const times = createdTimes({ started_at: sent.started_at, ended_at: sent.ended_at });
  if (times.minutes === 0) throw invalid({ ended_at: "errors.validation" });
  return times;
}

/**
 * The times of an entry after an update; what is left out or null stays (work chapter §4.1, "Update"). A changed start, end or break
 * recomputes the minutes, without moving the end a day on, not below 0; otherwise changed minutes recompute the end. An end, or minutes,
 * sent to a running entry stops it. A running entry has no minutes.
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
    return { ...times, ended_at: after(start, (sent.minutes + pause) * MINUTE), minutes: sent.minutes };
  }
  if (times.ended_at === null) return { ...times, minutes: 0 };
  return { ...times, minutes: isMoved ? worked(start, times.ended_at, pause) : stored.minutes };
}

/** The times of a running timer that is stopped at `now`: elapsed minutes, rounded, less the break, not below 0 (work chapter §4.2). */
export function stoppedTimes({ started_at, break_minutes }: EntryTimes, now: string): FinishedTimes {
  const [start, end] = [utcInstant(started_at), utcInstant(now)];
  return { started_at: start, ended_at: end, minutes: worked(start, end, break_minutes), break_minutes };
}

/**
 * The times of the entry that a planned block becomes (work chapter §3.10, `log-time`): the block from start to end less the break, or as
 * many minutes as are sent.
 */
export function loggedBlockTimes(
  block: { readonly starts_at: string; readonly ends_at: string },
  sent: Sent<Pick<EntryTimes, "minutes" | "break_minutes">>,
): FinishedTimes {
  const { minutes, break_minutes } = sent;
  const length = minutes === null || minutes === undefined ? { ended_at: block.ends_at } : { minutes };
  return createdTimes({ started_at: block.starts_at, break_minutes, ...length });
}
