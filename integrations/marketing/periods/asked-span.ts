import { daysInclusive, type IsoDate } from "../../../core/calendar/dates.ts";
import {
  type Comparison,
  comparedSpan,
  type DaySpan,
  LONGEST_SPAN,
  type NamedSpan,
  namedSpan,
  trailingSpan,
} from "../../../core/calendar/named-spans.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { namedValues } from "../../../core/naming/named-values.ts";
import { answer, choice, date, field, integer, optional, type Static, Type } from "../../../core/schema/schema.ts";

const DEFAULT_DAYS = 30;
/** The period of a read with two dates. */
const CUSTOM = "custom";
export const COMPARISONS = namedValues("ComparePeriod", ["year", "previous"]);

/** The span parameters of a read (document 3, "Period parameter"). */
export const spanQuery = {
  range_days: optional(
    integer(1, LONGEST_SPAN, {
      default: DEFAULT_DAYS,
      description: "Days that end yesterday in the organisation's zone; ignored where `period` or two dates are sent",
    }),
  ),
  period: optional(
    Type.String({
      description:
        "A trailing window (`30d`, `90d`, `365d`), `week`, `month`, `quarter` or `ytd` up to yesterday, `last_week`, `last_month`, `last_quarter` or `last_year`, or a calendar period (`2026-07`, `2026-Q3`); an unknown value is `30d`; ignored where two dates are sent",
    }),
  ),
  date_from: optional(field(date(), "First day of the span, in the organisation's zone; goes with `date_to`")),
  date_to: optional(
    field(date(), `Last day of the span; goes with \`date_from\`, is not before it, and at most ${LONGEST_SPAN} days after it`),
  ),
};

/** The span parameters that a caller sent. */
export interface SpanRequest {
  period?: string | undefined;
  range_days?: number | undefined;
  date_from?: IsoDate | undefined;
  date_to?: IsoDate | undefined;
}

/** The period in an answer. */
export const usedPeriod = () =>
  Type.String({
    description:
      "The period that was used: `30d` in place of an unknown one, `365d` for `yoy` and `year`, the days of `range_days` as `7d`, `custom` for two dates",
  });

/** A requested span, resolved to days in the organisation's zone. */
export interface AskedSpan extends DaySpan {
  days: number;
  /** The period as answers name it. */
  period: string;
}

/** @throws 422 for one date alone, reversed dates and more than 400 days */
function datedSpan(from: IsoDate | undefined, to: IsoDate | undefined): NamedSpan {
  if (from === undefined) throw invalid({ date_from: "errors.required" });
  if (to === undefined) throw invalid({ date_to: "errors.required" });
  if (to < from || daysInclusive(from, to) > LONGEST_SPAN) throw invalid({ date_to: "errors.validation" });
  return { from, to, token: CUSTOM };
}

/**
 * Resolves the span of a read: two dates win over a non-blank `period`, which wins over `range_days` (marketing-ads §1).
 * @throws 422 for dates that are no span
 */
export function askedSpan({ period, range_days = DEFAULT_DAYS, date_from, date_to }: SpanRequest, today: IsoDate): AskedSpan {
  const named = () => (period?.trim() ? namedSpan(period, today) : trailingSpan(range_days, today));
  const { from, to, token } = (date_from ?? date_to) === undefined ? named() : datedSpan(date_from, date_to);
  return { from, to, days: daysInclusive(from, to), period: token };
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
