import type { IsoDate } from "../calendar/calendar.ts";
import type { DecimalText } from "./money.ts";

/** The automatic steps for a due period. */
export type AutoInvoiceMode = "off" | "draft" | "issue" | "send";

/** An invoice line for a period; amounts are text with 2 decimals. */
export interface PeriodLine {
  description: string;
  quantity: DecimalText;
  unit_price: DecimalText;
}

/** The record kinds with periodic billing. */
export type SourceKind = "subscription" | "domain";

/** A period that can be billed, with its lines; amounts are text with 2 decimals. */
export interface OfferedPeriod {
  readonly period_start: IsoDate;
  readonly period_end: IsoDate;
  /** Whether it ends after today. */
  readonly future: boolean;
  readonly amount: DecimalText;
  readonly lines: readonly PeriodLine[];
}

/**
 * A record that is billed to a client periodically, with its open periods, oldest first and including claimed ones. Modules contribute
 * theirs with an action that declares `contributes: { recurring }` (core/declare/action.ts).
 */
export interface RecurringSource {
  readonly source: SourceKind;
  readonly source_id: string;
  readonly company_id: string | null;
  readonly company_name: string;
  readonly name: string;
  readonly currency: string;
  /** The length of a period, as a word. */
  readonly interval: string;
  /** Today's price. */
  readonly amount: DecimalText;
  /** The automation of a due period; null follows the organisation. */
  readonly level: AutoInvoiceMode | null;
  /** It has no next boundary. */
  readonly no_cycle: boolean;
  /** It has no price, so it has no periods either. */
  readonly no_price: boolean;
  /** False if it is resolved as not invoiced. */
  readonly invoiceable: boolean;
  /** There are older periods than those listed. */
  readonly truncated: boolean;
  readonly periods: readonly OfferedPeriod[];
}
