import { addDays, addDaysWithin, daysBetween, earlier, type IsoDate } from "../../../core/calendar/dates.ts";
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
export interface SpanRow {
  behind: number;
  part: "current" | "previous";
  start_on: IsoDate;
  end_on: IsoDate;
}

/** The counted spans for every lateness from 0 to `most` days; a statement picks those of each link. */
export function spanRows(span: DaySpan, mode: Comparison, today: IsoDate, most: number): SpanRow[] {
  return Array.from({ length: most + 1 }, (_, behind) => {
    const counted = countedSpans(span, mode, today, behind);
    return (["current", "previous"] as const).flatMap((part) =>
      counted === null ? [] : [{ behind, part, start_on: counted[part].from, end_on: counted[part].to }],
    );
  }).flat();
}
