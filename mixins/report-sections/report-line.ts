import { addDaysWithin, daysBetween, eachDay, type IsoDate } from "../../core/calendar/dates.ts";
import { LANGUAGE_TAGS } from "../../core/calendar/in-words.ts";
import { type Comparison, comparedSpan } from "../../core/calendar/named-spans.ts";
import type { Locale } from "../../core/config/defaults.ts";
import type { GatheredFor, ReportSeries, ReportSpan } from "../../core/declare/report-sections.ts";

const SHORT = Object.fromEntries(
  Object.entries(LANGUAGE_TAGS).map(([locale, tag]) => [
    locale,
    new Intl.DateTimeFormat(tag, { timeZone: "UTC", day: "numeric", month: "short" }),
  ]),
) as Readonly<Record<Locale, Intl.DateTimeFormat>>;

/** The comparison mode between a report's spans. @throws RangeError if no mode relates them */
export function comparisonOf({ span, compared }: Pick<GatheredFor, "span" | "compared">): Comparison {
  const mode = (["year", "previous"] as const).find((one) => {
    const { from, to } = comparedSpan({ from: span.start, to: span.end }, one);
    return from === compared.start && to === compared.end;
  });
  if (mode === undefined)
    throw new RangeError(`${span.start} to ${span.end} is not compared with ${compared.start} to ${compared.end}`);
  return mode;
}

/** The input of a daily line. */
export interface DailyFigures extends Pick<ReportSeries, "label" | "valueKind"> {
  /** The value of a day in either span; 0 if nothing is stored, null for a day that was never read, which is a gap. */
  valueOn: (day: IsoDate) => number | null;
  /** Whether there are figures for the compared span. */
  hasBefore: boolean;
  /** The last day with figures; later days are gaps. */
  until: IsoDate;
}

const isIn = (day: IsoDate, { start, end }: ReportSpan): boolean => day >= start && day <= end;

/**
 * A line over the days of a report, each with its counterpart: the same date a year earlier, or the day at the same offset from the start.
 * Undefined if all values are zero or missing.
 */
export function dailyLine(
  asked: GatheredFor,
  { label, valueKind, valueOn, hasBefore, until }: DailyFigures,
): ReportSeries | undefined {
  const { span, compared, locale } = asked;
  const isYear = comparisonOf(asked) === "year";
  const counterpart = (day: IsoDate): IsoDate =>
    isYear ? comparedSpan({ from: day, to: day }, "year").from : addDaysWithin(compared.start, daysBetween(span.start, day));
  const points = eachDay(span.start, span.end).map((day) => {
    const then = counterpart(day);
    return {
      key: SHORT[locale].format(new Date(`${day}T00:00:00Z`)),
      value: day > until ? null : valueOn(day),
      before: hasBefore && isIn(then, compared) ? valueOn(then) : null,
    };
  });
  return points.some(({ value }) => value) ? { kind: "line", label, valueKind, points } : undefined;
}
