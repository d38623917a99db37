import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { type Anchor, addPeriod, nextBoundary, periodMonths } from "../../../../core/calendar/periods.ts";
import type { DecimalText } from "../../../../core/values/money.ts";
import type { Price } from "../../../../core/values/prices.ts";
import type { AgreementLine, Interval } from "../models.ts";
import { billedFor } from "./period-lines.ts";

/** An agreement whose boundary has come. */
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

/** The whole period up to a boundary, and what it comes to. */
export interface DuePeriod {
  readonly period_start: IsoDate;
  readonly period_end: IsoDate;
  readonly amount: DecimalText;
}

/**
 * What one run of the cycle makes of an agreement that is due: the period that its boundary ends, and the boundary after it, null when that
 * is past the end. A boundary past the end itself, which is there where the end was brought forward, bills nothing (money §9 "Cycle job").
 */
export function cycleOf(agreement: DueAgreement): { period: DuePeriod | null; next: IsoDate | null } {
  const { next_invoice_date: boundary, end_date, interval, interval_count, anchor } = agreement;
  if (end_date !== null && boundary > end_date) return { period: null, next: null };
  const months = periodMonths(interval, interval_count);
  const period = {
    period_start: addPeriod(boundary, months, -1, anchor),
    period_end: boundary,
    amount: billedFor(agreement, boundary).amount,
  };
  return { period, next: nextBoundary(boundary, months, end_date, anchor) };
}
