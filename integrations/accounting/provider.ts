import type { SalesEntry } from "../../mixins/sales-entry.ts";

/** An entry stored at the provider. */
export interface BookedEntry {
  /** The provider's id. */
  readonly external_id: string;
  /** SHA-256 of its contents, in hexadecimal. */
  readonly hash: string;
}

/** The organisation whose books they are. */
export interface Books {
  readonly organisationId: string;
  readonly slug: string;
}

/** A destination of sales entries. Every call may fail; a failed write may still have succeeded. */
export interface AccountingProvider {
  readonly key: string;
  readonly label: string;
  /**
   * The contents of an entry at the provider; the same document always gives the same contents.
   * @param eInvoice returns the document as UBL 2.1; throws an error for the caller if the document lacks required data
   * @throws LedgerUnknown instead of guessing an account
   */
  contents(entry: SalesEntry, eInvoice: () => Promise<string>): string | Promise<string>;
  /** The entry under a number, whoever created it. */
  find(books: Books, number: string): Promise<BookedEntry | null>;
  /** Creates an entry; fails if the number exists. */
  create(books: Books, number: string, contents: string): Promise<void>;
  /** Replaces the contents of an entry that Kantoor created. */
  replace(books: Books, number: string, contents: string): Promise<void>;
}

/** A line has no ledger account, and Kantoor does not guess one. */
export class LedgerUnknown extends Error {
  override name = "LedgerUnknown";
}
