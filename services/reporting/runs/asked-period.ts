import { daysInclusive, type IsoDate } from "../../../core/calendar/dates.ts";
import { comparedSpan, type DaySpan, LONGEST_SPAN, namedSpan } from "../../../core/calendar/named-spans.ts";
import type { ReportSpan } from "../../../core/declare/report-sections.ts";
import { invalid } from "../../../core/errors/errors.ts";
import type { Schedule } from "../schedule/schedule.ts";

/** A period as sent. */
export interface SentPeriod {
  period_start?: IsoDate | null | undefined;
  period_end?: IsoDate | null | undefined;
}

/**
 * The two dates of a request, or null without any.
 * @param today in the organisation's zone
 * @throws 422 for a single date, dates in reverse order, more than 400 days, and a period that has not begun
 */
export function namedPeriod({ period_start: start, period_end: end }: SentPeriod, today: IsoDate): ReportSpan | null {
  if (!start && !end) return null;
  if (!start) throw invalid({ period_start: "errors.required" });
  if (!end) throw invalid({ period_end: "errors.required" });
  if (start > end || daysInclusive(start, end) > LONGEST_SPAN) throw invalid({ period_end: "errors.validation" });
  if (start > today) throw invalid({ period_start: "errors.validation" });
  return { start, end };
}

const asReported = ({ from, to }: DaySpan): ReportSpan => ({ start: from, end: to });

/**
 * The default period of a report: the previous whole month, or quarter if its client's reports are quarterly (workspace-reporting §1.5).
 * @param today in the organisation's zone
 */
export const usualPeriod = ({ cadence }: Pick<Schedule, "cadence">, today: IsoDate): ReportSpan =>
  asReported(namedSpan(cadence === "quarterly" ? "last_quarter" : "last_month", today));

/** The period a report is compared with. */
export const comparedPeriod = ({ start, end }: ReportSpan, { compare }: Pick<Schedule, "compare">): ReportSpan =>
  asReported(comparedSpan({ from: start, to: end }, compare));
