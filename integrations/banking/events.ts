import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { date, decimal, field, integer, list, nullable, Type, uuid } from "../../core/schema/schema.ts";

const entry = {
  entry_id: field(uuid(), "The entry"),
  account: Type.String({ description: "IBAN or number of the account" }),
  booked_on: field(date(), "The day of the booking at the bank"),
  amount: decimal({ description: "Amount of the entry, in `currency`; negative for money that went out" }),
  currency: Type.String({ description: "ISO 4217 code of the account" }),
};
const matched = {
  ...entry,
  company_id: field(nullable(uuid()), "The client of the invoices; null for invoices of several clients"),
  invoice_ids: field(list(uuid()), "The invoices on which the entry was booked"),
};

/** Events of bank statements and their entries. */
export const bankEvents = {
  "banking.statement.imported": event("bank_statement", "A bank statement was uploaded that no earlier upload had.", {
    statement_id: field(uuid(), "The statement"),
    account: Type.String({ description: "IBAN or number of the account" }),
    from_day: field(date(), "Day of its first entry"),
    to_day: field(date(), "Day of its last entry"),
    added: integer(0, undefined, { description: "Entries that no earlier statement had" }),
  }),
  "banking.entry.matched": event("bank_entry", "An entry of a bank account was booked on invoices as payments.", matched),
  "banking.entry.unmatched": event(
    "bank_entry",
    "A payment of an entry was removed: that part of the entry is open again.",
    matched,
  ),
  "banking.entry.ignored": event("bank_entry", "An entry of a bank account was set aside, because it pays no invoice.", {
    ...entry,
    ignored_as: Type.String({ description: "What it is instead, such as `bank_costs`" }),
  }),
  "banking.entry.reopened": event("bank_entry", "An ignored entry is open again.", entry),
};

/** A payment to book on an invoice for an entry. */
export interface EntryPayment {
  /** The id that the payment gets. */
  id: string;
  invoice_id: string;
  /** Decimal text in the currency of the invoice. */
  amount: string;
  /** The day of the entry. */
  paid_on: string;
  note: string | null;
}

declare module "../../core/declare/hooks.ts" {
  interface HookPayloads {
    /** An entry pays these invoices, which the transaction has locked. */
    "banking.entry_matched": { payments: readonly EntryPayment[] };
    /** The payments of an entry are wrong: they are to be removed from their invoices, which the transaction has locked. */
    "banking.entry_unmatched": { payments: readonly { id: string; invoice_id: string }[] };
  }
}

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof bankEvents> {}
}
