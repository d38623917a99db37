import type { IsoDate } from "../calendar/calendar.ts";
import type { DecimalText } from "./money.ts";

/** How far a due period is taken without a person. */
export type AutoInvoiceMode = "off" | "draft" | "issue" | "send";

/** A line that bills a period; amounts are text with 2 decimals. */
export interface PeriodLine {
  description: string;
  quantity: DecimalText;
  unit_price: DecimalText;
}

/** What kinds of records are billed by the period. */
export type SourceKind = "subscription" | "domain";

/** A period that may be billed, with what bills it; amounts are text with 2 decimals. */
export interface OfferedPeriod {
  readonly period_start: IsoDate;
  readonly period_end: IsoDate;
  /** Its end is after today. */
  readonly future: boolean;
  readonly amount: DecimalText;
  readonly lines: readonly PeriodLine[];
}

/**
 * A record that a client is billed for by the period, with its open periods oldest first, claimed ones among them. Modules contribute theirs
 * by an action that declares `contributes: { recurring }` (core/declare/action.ts).
 */
export interface RecurringSource {
  readonly source: SourceKind;
  readonly source_id: string;
  readonly company_id: string | null;
  readonly company_name: string;
  readonly name: string;
  readonly currency: string;
  /** The length of a period, in a word. */
  readonly interval: string;
  /** What counts today. */
  readonly amount: DecimalText;
  /** What is to become of a due period; null follows the organisation. */
  readonly level: AutoInvoiceMode | null;
  /** It has no next boundary. */
  readonly no_cycle: boolean;
  /** It has no price, so no period is offered. */
  readonly no_price: boolean;
  /** False for what is resolved as not invoiced. */
  readonly invoiceable: boolean;
  /** There are older periods than those that are offered. */
  readonly truncated: boolean;
  readonly periods: readonly OfferedPeriod[];
}
