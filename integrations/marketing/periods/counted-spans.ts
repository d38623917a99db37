import { addDays, addDaysWithin, addMonths, daysBetween, earlier, type IsoDate, startOf } from "../../../core/calendar/dates.ts";
import { type Comparison, comparedSpan, type DaySpan } from "../../../core/calendar/named-spans.ts";

/** The days of both spans that a link's figures are computed from. */
export interface CountedSpans {
  current: DaySpan;
  previous: DaySpan;
}

/**
 * The days that count for a source that is `behind` days late (marketing-ads §2.6). The last `behind` days before today do not count, nor
 * do their counterparts in the other span, so constant traffic shows no change. Null if no day counts, for example in a span that has not
 * begun.
 */
export function countedSpans(span: DaySpan, mode: Comparison, today: IsoDate, behind: number): CountedSpans | null {
  const to = earlier(span.to, addDays(today, -1 - behind));
  if (to < span.from) return null;
  const current = { from: span.from, to };
  const compared = comparedSpan(span, mode);
  if (to === span.to) return { current, previous: compared };
  // A year earlier, each day has its own counterpart. Otherwise days count from the start of the span, because months differ in length.
  const counterpart = mode === "year" ? comparedSpan(current, mode).to : addDaysWithin(compared.from, daysBetween(span.from, to));
  return { current, previous: { from: compared.from, to: earlier(counterpart, compared.to) } };
}

/** One row of `countedSpans` as a statement parameter, for links that are `behind` days late. */
export interface SpanRow extends MonthBounds {
  behind: number;
  part: "current" | "previous";
  start_on: IsoDate;
  end_on: IsoDate;
}

/** Where the whole calendar months of a span begin and end. */
export interface MonthBounds {
  /** First day of the first whole month. */
  months_from: IsoDate;
  /** The day after the last whole month. */
  months_until: IsoDate;
}

/** The whole calendar months of a span. Without one, both bounds are the day after the span, so all of its days precede them. */
export function wholeMonths({ from, to }: DaySpan): MonthBounds {
  const after = addDays(to, 1);
  const begun = startOf("month", from);
  const months_from = begun === from ? from : addMonths(begun, 1);
  const months_until = startOf("month", after);
  return months_from < months_until ? { months_from, months_until } : { months_from: after, months_until: after };
}

/** The counted spans for every lateness from 0 to `most` days; a statement picks those of each link. */
export function spanRows(span: DaySpan, mode: Comparison, today: IsoDate, most: number): SpanRow[] {
  return Array.from({ length: most + 1 }, (_, behind) => {
    const counted = countedSpans(span, mode, today, behind);
    return (["current", "previous"] as const).flatMap((part) =>
      counted === null
        ? []
        : [{ behind, part, start_on: counted[part].from, end_on: counted[part].to, ...wholeMonths(counted[part]) }],
    );
  }).flat();
}
