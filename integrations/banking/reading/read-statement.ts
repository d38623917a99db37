/** What an entry is about when the bank says so. */
export type EntryKind = "payment" | "bank_costs" | "interest";

/** An entry as a file has it. Amounts are decimal texts with 2 decimals; days are `YYYY-MM-DD`. */
export interface ReadEntry {
  /** The day of the booking in the bank's books. */
  booked_on: string;
  /** The day from which interest counts; null if the file does not say. */
  value_on: string | null;
  /** Positive for money that comes in, negative for money that goes out. */
  amount: string;
  currency: string;
  counter_iban: string | null;
  counter_name: string | null;
  /** What the payer wrote, on one line. */
  text: string;
  /** A structured reference of the payment: the payer's or the creditor's. */
  reference: string | null;
  /** The bank's own reference of the entry, unique within the account. */
  bank_reference: string | null;
  kind: EntryKind;
  /** Whether it reverses an earlier entry. */
  reversal: boolean;
  /** The reason code of a returned payment (ISO 20022 external code list), such as `AC04`. */
  return_reason: string | null;
  /** The amount before conversion, when the payment was in another currency. */
  original_amount: string | null;
  original_currency: string | null;
  /** Where the entry is in its file: the line, or for XML the number of the entry. */
  position: number;
}

export type StatementFormat = "camt053" | "mt940" | "ing" | "rabobank" | "abnamro" | "asn" | "bunq" | "knab";

/** A statement of one account as a file has it. */
export interface ReadStatement {
  format: StatementFormat;
  /** The account's IBAN, or its number if it has none; without spaces, in upper case. */
  account: string;
  currency: string;
  /** The bank's number of the statement. */
  number: string | null;
  /** First and last day of its entries, or of its balances if it has none. */
  from: string;
  to: string;
  opening: string | null;
  closing: string | null;
  entries: ReadEntry[];
  /** Entries that the bank has not booked yet, which are left out. */
  pending: number;
  /** False for a CSV whose balances do not follow from its entries: it was filtered or sorted. */
  balances: boolean;
}

/** The fields that most entries leave empty. */
export const PLAIN = {
  value_on: null,
  counter_iban: null,
  counter_name: null,
  reference: null,
  bank_reference: null,
  kind: "payment",
  reversal: false,
  return_reason: null,
  original_amount: null,
  original_currency: null,
} as const;

/** Most entries of one upload. */
export const MOST_ENTRIES = 20_000;
/** Most characters of one text of an entry. */
export const MOST_TEXT = 10_000;
