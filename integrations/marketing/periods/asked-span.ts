import { daysInclusive, type IsoDate } from "../../../core/calendar/dates.ts";
import {
  type Comparison,
  comparedSpan,
  type DaySpan,
  LONGEST_SPAN,
  namedSpan,
  trailingSpan,
} from "../../../core/calendar/named-spans.ts";
import { answer, choice, date, field, integer, optional, type Static, Type } from "../../../core/schema/schema.ts";

const DEFAULT_DAYS = 30;
export const COMPARISONS = ["year", "previous"] as const satisfies readonly Comparison[];

/** The span parameters of a read (document 3, "Period parameter"). */
export const spanQuery = {
  range_days: optional(
    integer(1, LONGEST_SPAN, {
      default: DEFAULT_DAYS,
      description: "Days that end yesterday in the organisation's zone; ignored where `period` is sent",
    }),
  ),
  period: optional(
    Type.String({
      description:
        "A trailing window (`30d`, `90d`, `365d`), `month`, `last_month`, `quarter`, `last_quarter`, or a calendar period (`2026-07`, `2026-Q3`); an unknown value is `30d`",
    }),
  ),
};

/** A requested span, resolved to days in the organisation's zone. */
export interface AskedSpan extends DaySpan {
  days: number;
}

/** Resolves the span of a read: a non-blank `period` wins over `range_days` (marketing-ads §1). */
export function askedSpan(
  { period, range_days = DEFAULT_DAYS }: { period?: string | undefined; range_days?: number | undefined },
  today: IsoDate,
): AskedSpan {
  const { from, to } = period?.trim() ? namedSpan(period, today) : trailingSpan(range_days, today);
  return { from, to, days: daysInclusive(from, to) };
}

export const comparePeriod = (description: string) => choice(COMPARISONS, { description });

export const MarketingCompareWindow = answer("MarketingCompareWindow", {
  mode: comparePeriod("`year`: the same days a year earlier; `previous`: the days before, a whole month with the month before"),
  current_start: field(date(), "First day of the span, in the organisation's zone"),
  current_end: field(date(), "Last day of the span"),
  start: field(date(), "First day of the span it is compared with"),
  end: field(date(), "Last day of the span it is compared with"),
});

export function compareWindow(span: DaySpan, mode: Comparison): Static<typeof MarketingCompareWindow> {
  const { from, to } = comparedSpan(span, mode);
  return { mode, current_start: span.from, current_end: span.to, start: from, end: to };
}
