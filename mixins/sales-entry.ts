import type { DecimalText } from "../core/values/money.ts";

/** The net amount of one rate on one ledger account. Amounts are text with 2 decimals; those of a credit note are negative. */
export interface EntryLine {
  readonly description: string;
  /** The ledger account of the line's tax rate; null if unset. */
  readonly ledger_code: string | null;
  readonly tax_category: string;
  readonly tax_rate_pct: DecimalText;
  readonly net: DecimalText;
}

/** The tax of one rate on its net amount. */
export interface EntryTax {
  readonly name: string;
  readonly tax_category: string;
  readonly tax_rate_pct: DecimalText;
  readonly base: DecimalText;
  readonly tax: DecimalText;
}

/** An issued invoice or credit note for bookkeeping. */
export interface SalesEntry {
  readonly number: string;
  readonly kind: "invoice" | "credit_note";
  readonly issue_date: string | null;
  readonly due_date: string | null;
  readonly client_number: string | null;
  readonly client: string | null;
  readonly reference: string | null;
  readonly currency: string;
  readonly exchange_rate: DecimalText | null;
  readonly total: DecimalText;
  /** Their nets add up to the taxable bases. */
  readonly lines: readonly EntryLine[];
  readonly taxes: readonly EntryTax[];
}
