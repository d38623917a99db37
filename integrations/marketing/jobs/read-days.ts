import { addDays, earlier, type IsoDate, later } from "../../../core/calendar/dates.ts";
import type { MarketingSource, SourceDays, Span } from "../sources/source.ts";

const RANGE = /\[(\d{4}-\d\d-\d\d),(\d{4}-\d\d-\d\d)\)/g;

/** The spans in a set of days as PostgreSQL writes it, oldest first. */
export const spansIn = (days: string): Span[] =>
  [...days.matchAll(RANGE)].map(([, from, until]) => ({ from: from as IsoDate, to: addDays(until as IsoDate, -1) }));

/**
 * Splits a span into chunks of at most `most` days, newest first, each of which ends with an unread day. It leaves out read days between two
 * chunks, but not inside one: a day in two chunks would cost more than a day that is read again.
 * @param read the days that were read
 */
export function unreadChunks({ from, to }: Span, read: readonly Span[], most: number): Span[] {
  const chunks: Span[] = [];
  let end = to;
  while (end >= from) {
    const known = read.find((one) => one.from <= end && end <= one.to);
    if (!known) chunks.push({ from: later(from, addDays(end, 1 - most)), to: end });
    end = addDays((known ?? (chunks.at(-1) as Span)).from, -1);
  }
  return chunks;
}

/**
 * The days of a span that an answer makes known (marketing-ads §1): all of them, also those without a row. A late source may not have its
 * last days yet, so of those only the days up to the last one with figures are known.
 * @returns null if no day is
 */
export function knownDays(
  { from, to }: Span,
  { days, isUnread }: Pick<SourceDays, "days" | "isUnread">,
  { lateDays = 0 }: Pick<MarketingSource, "lateDays">,
  today: IsoDate,
): Span | null {
  if (isUnread) return null;
  const counted = days.flatMap(({ day, metrics }) => (Object.values(metrics).some((value) => value !== 0) ? [day] : []));
  const last = counted.reduce(later, addDays(today, -1 - lateDays));
  return last < from ? null : { from, to: earlier(to, last) };
}
