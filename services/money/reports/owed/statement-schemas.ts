import {
  answer,
  choice,
  date,
  decimal,
  email,
  field,
  input,
  list,
  multiline,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../../core/schema/schema.ts";
import { ENTRY_TYPES } from "./statement.ts";

const StatementEntry = answer("StatementEntry", {
  date: field(date(), "Date of the document, or day of the payment or cancellation"),
  type: field(choice(ENTRY_TYPES), "What happened; a `refund` is a payment below zero"),
  invoice_id: field(uuid(), "The document, or the one that was paid or cancelled"),
  number: Type.String({ description: "Number of that document" }),
  reference: nullable(Type.String({ description: "The client's reference on that document; null without one" })),
  due_date: field(nullable(date()), "Due date of an invoice or a credit note; null for other entries"),
  amount: decimal({ description: "What the client owes more by it; below zero for less" }),
  balance: decimal({ description: "What the client owes after it" }),
});

const StatementItem = answer("StatementItem", {
  invoice_id: field(uuid(), "The document"),
  number: Type.String({ description: "Its number" }),
  issue_date: field(date(), "Its date"),
  due_date: field(date(), "Its due date; the date of a document without one"),
  total: decimal({ description: "Its total including tax" }),
  open: decimal({ description: "What was open of it on the last day; below zero for an amount to pay back" }),
  days_late: Type.Integer({ description: "Days past its due date on the last day; 0 until then" }),
});

const StatementAccount = answer("StatementAccount", {
  currency: Type.String({ description: "Currency of every amount of this account" }),
  opening: decimal({ description: "What the client owed before the first day" }),
  entries: field(list(StatementEntry), "What changed it, by day; on one day documents, payments, then cancellations"),
  closing: decimal({ description: "What the client owed at the end of the last day: the sum of what was open" }),
  open_items: field(list(StatementItem), "Documents with something open at the end of the last day, by due date"),
  overdue: decimal({ description: "Sum of what was open past its due date" }),
});

/** The statement of account of a client. */
export const StatementRead = answer("Statement", {
  company_id: field(uuid(), "The client"),
  name: Type.String({ description: "The client's name" }),
  from: field(date(), "First day"),
  to: field(date(), "Last day, included"),
  accounts: field(list(StatementAccount), "One for each currency with a balance or an entry; empty for a client without any"),
});

export const StatementSend = input("StatementSend", {
  to: field(optional(nullable(email())), "Recipient's address; null uses the client's address for invoices"),
  message: field(optional(nullable(multiline(2000))), "Plain text above the mail's own text; null without one"),
});

export const StatementSent = answer("StatementSent", {
  to: Type.String({ description: "Addresses that the mail server accepted, separated by `, `" }),
  refused: nullable(Type.String({ description: "Addresses that it refused; null if it accepted all" })),
});
