import type { DecimalText } from "../../core/values/money.ts";

/** What is earned at one rate, on one ledger account. Amounts are text with 2 decimals; those of a credit note are negative. */
export interface EntryLine {
  readonly description: string;
  /** The account as the tax rate of the line names it; null where it names none. */
  readonly ledger_code: string | null;
  readonly tax_category: string;
  readonly tax_rate_pct: DecimalText;
  readonly net: DecimalText;
}

/** Tax of one rate over what is earned at it. */
export interface EntryTax {
  readonly name: string;
  readonly tax_category: string;
  readonly tax_rate_pct: DecimalText;
  readonly base: DecimalText;
  readonly tax: DecimalText;
}

/** An issued invoice or credit note as bookkeeping takes it. */
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
  /** Their nets add up to what the taxes are over. */
  readonly lines: readonly EntryLine[];
  readonly taxes: readonly EntryTax[];
}

/** An entry as the provider holds it. */
export interface Held {
  /** What the provider calls it. */
  readonly external_id: string;
  /** SHA-256 of its contents, in hexadecimal. */
  readonly hash: string;
}

/** Whose books they are. */
export interface Books {
  readonly organisationId: string;
  readonly slug: string;
}

/** A destination of sales entries. Every call may fail; a failed write may have been done all the same. */
export interface AccountingProvider {
  readonly key: string;
  readonly label: string;
  /**
   * The contents of an entry as the provider will hold them: the same for the same document.
   * @param eInvoice gives the document as UBL 2.1, or throws what is told to the caller where the document lacks what that demands
   * @throws LedgerUnknown rather than guess an account
   */
  contents(entry: SalesEntry, eInvoice: () => Promise<string>): string | Promise<string>;
  /** The entry under a number, whoever made it. */
  find(books: Books, number: string): Promise<Held | null>;
  /** Makes an entry; fails where there is one under that number. */
  create(books: Books, number: string, contents: string): Promise<void>;
  /** Puts other contents in place of an entry that was made here. */
  replace(books: Books, number: string, contents: string): Promise<void>;
}

/** A line has no ledger account, and none is guessed. */
export class LedgerUnknown extends Error {
  override name = "LedgerUnknown";
}
