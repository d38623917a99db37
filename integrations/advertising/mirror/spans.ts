import { addDays, daysInclusive, earlier, type IsoDate, later } from "../../../core/calendar/dates.ts";
import type { DaySpan } from "../../../core/calendar/named-spans.ts";

/** Days of a nightly run, and of the weekly run on Sunday: conversions are credited late (marketing-ads §3.11). */
const [TRAILING, RESTATED] = [7, 90];
/** Days of a backfill, and of one of its chunks. */
export const BACKFILL_DAYS = 800;
const CHUNK = 30;

/**
 * The spans of a nightly run, oldest first; the last one ends yesterday. An account that was not read for a while (lapsed licence, broken
 * connection) is read from where its days became final.
 * @param today in the account's zone
 * @param syncedOn the day of the last run, in the account's zone; null before the first run
 */
export function nightlySpans(today: IsoDate, isWeekly: boolean, syncedOn: IsoDate | null): DaySpan[] {
  const usual = addDays(today, -(isWeekly ? RESTATED : TRAILING));
  const since = syncedOn === null ? usual : addDays(syncedOn, 1 - TRAILING);
  const to = addDays(today, -1);
  const spans: DaySpan[] = [];
  for (let from = later(earlier(usual, since), addDays(today, -BACKFILL_DAYS)); from <= to; from = addDays(from, RESTATED))
    spans.push({ from, to: earlier(addDays(from, RESTATED - 1), to) });
  return spans;
}

/**
 * The next chunk of a backfill, newest first; null when the backfill is complete.
 * @param today in the account's zone
 * @param storedFrom the first stored day; null before the first chunk
 */
export function nextChunk(today: IsoDate, storedFrom: IsoDate | null): DaySpan | null {
  const first = addDays(today, -BACKFILL_DAYS);
  const to = storedFrom === null ? addDays(today, -1) : addDays(storedFrom, -1);
  return to < first ? null : { from: later(first, addDays(to, 1 - CHUNK)), to };
}

/** The older and the newer half of a span of at least 2 days. */
export function halves({ from, to }: DaySpan): [older: DaySpan, newer: DaySpan] {
  const middle = addDays(from, Math.floor(daysInclusive(from, to) / 2));
  return [
    { from, to: addDays(middle, -1) },
    { from: middle, to },
  ];
}
