import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { type Anchor, addPeriod, firstBoundary, nextBoundary, periodMonths } from "../../../../core/calendar/periods.ts";
import type { DecimalText } from "../../../../core/values/money.ts";
import type { Price } from "../../../../core/values/prices.ts";
import type { AgreementLine, Interval } from "../models.ts";
import { billedFor } from "./period-lines.ts";

/** An agreement that reached its boundary. */
export interface DueAgreement {
  readonly name: string;
  readonly currency: string;
  readonly interval: Interval;
  readonly interval_count: number;
  readonly anchor: Anchor;
  readonly next_invoice_date: IsoDate;
  readonly end_date: IsoDate | null;
  readonly lines: readonly AgreementLine[];
  readonly prices: readonly Price[];
}

/** The whole period up to a boundary, and its amount. */
export interface DuePeriod {
  readonly period_start: IsoDate;
  readonly period_end: IsoDate;
  readonly amount: DecimalText;
}

/**
 * The result of one cycle run for a due agreement: the period that its boundary ends, and the next boundary, null past the end. Bills
 * nothing at a boundary past the end, possible after the end date moved earlier, and for a period that begins before the calendar (money §9
 * "Cycle job").
 */
export function cycleOf(agreement: DueAgreement): { period: DuePeriod | null; next: IsoDate | null } {
  const { next_invoice_date: boundary, end_date, interval, interval_count, anchor } = agreement;
  if (end_date !== null && boundary > end_date) return { period: null, next: null };
  const months = periodMonths(interval, interval_count);
  const next = nextBoundary(boundary, months, end_date, anchor);
  if (boundary < firstBoundary(months)) return { period: null, next };
  const period = {
    period_start: addPeriod(boundary, months, -1, anchor),
    period_end: boundary,
    amount: billedFor(agreement, boundary).amount,
  };
  return { period, next };
}
