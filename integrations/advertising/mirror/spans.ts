import { addDays, type IsoDate, later } from "../../../core/calendar/dates.ts";
import type { DaySpan } from "../../../core/calendar/named-spans.ts";

/** Days of a nightly run, and of the one that follows a Sunday's: conversions are credited late (marketing-ads §3.11). */
const [TRAILING, RESTATED] = [7, 90];
/** Days of a backfill, and of one chunk of it. */
export const BACKFILL_DAYS = 400;
const CHUNK = 30;

/** The days of a nightly run, which end yesterday. @param today in the account's zone */
export const nightlySpan = (today: IsoDate, isWeekly: boolean): DaySpan => ({
  from: addDays(today, -(isWeekly ? RESTATED : TRAILING)),
  to: addDays(today, -1),
});

/**
 * The next chunk of a backfill, newest first; null when it has come to its end.
 * @param today in the account's zone
 * @param storedFrom the first day that is stored, null before the first chunk
 */
export function nextChunk(today: IsoDate, storedFrom: IsoDate | null): DaySpan | null {
  const first = addDays(today, -BACKFILL_DAYS);
  const to = storedFrom === null ? addDays(today, -1) : addDays(storedFrom, -1);
  return to < first ? null : { from: later(first, addDays(to, 1 - CHUNK)), to };
}
