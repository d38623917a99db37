import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { namedValues } from "../../core/naming/named-values.ts";
import { choice, date, decimal, field, list, nullable, Type, uuid } from "../../core/schema/schema.ts";

const invoice = {
  invoice_id: field(uuid(), "The invoice or credit note"),
  company_id: field(uuid(), "Its client"),
  number: Type.String({ description: "Its number" }),
  total: decimal({ description: "Total with tax, in `currency`" }),
  currency: Type.String({ description: "ISO 4217 code of its amounts" }),
};
const payment = {
  payment_id: Type.String({ format: "uuid", description: "The payment" }),
  amount: field(decimal(), "Paid amount, in the invoice's currency"),
};
const quote = {
  quote_id: Type.String({ format: "uuid", description: "The quote" }),
  company_id: Type.String({ format: "uuid", description: "Its client" }),
  number: Type.String({ description: "Its number" }),
  total: field(decimal(), "Total, tax included"),
  currency: Type.String({ description: "ISO 4217 code of its amounts" }),
};
const agreement = {
  subscription_id: field(uuid(), "The agreement"),
  company_id: field(uuid(), "Its client"),
  name: Type.String({ description: "Its name" }),
};
const level = choice(namedValues("AutoInvoiceMode", ["off", "draft", "issue", "send"]));
const period = {
  period_start: field(date(), "Day the period begins"),
  period_end: field(date(), "Day the period ends"),
  amount: decimal({ description: "Total of the whole period, in `currency`" }),
  currency: Type.String({ description: "ISO 4217 code of the amounts" }),
};

/** Events of invoices (money chapter §4, §6, §9). */
export const invoiceEvents = {
  "invoice.created": event("invoice", "A draft of an invoice or credit note was made.", {
    invoice_id: field(uuid(), "The invoice or credit note"),
    company_id: field(uuid(), "Its client"),
    kind: choice(namedValues("InvoiceKind", ["invoice", "credit_note"]), { description: "Kind of document" }),
    total: decimal({ description: "Total with tax, in `currency`" }),
    currency: Type.String({ description: "ISO 4217 code of its amounts" }),
  }),
  "invoice.issued": event("invoice", "An invoice or credit note got its number.", invoice),
  "invoice.paid": event("invoice", "An invoice is paid in full; once for each time it becomes so.", invoice),
  "invoice.cancelled": event("invoice", "An issued invoice or credit note was cancelled; it keeps its number.", invoice),
  "invoice.credited": event("invoice", "A credit note of an invoice was issued. The event is about the invoice.", {
    ...invoice,
    credit_note_id: Type.String({ format: "uuid", description: "The credit note" }),
    credit_note_number: Type.String({ description: "Its number" }),
    credited: field(decimal(), "Credited amount, tax included"),
    applied: field(decimal(), "The part of it applied to the amount still due on the invoice"),
  }),
  "invoice.overdue": event(
    "invoice",
    "The due date of an open invoice has passed with something outstanding; once for each due date, by the daily job at 06:15 UTC.",
    {
      ...invoice,
      due_date: field(date(), "Its payment due date"),
      outstanding: field(decimal(), "The amount still due"),
    },
  ),
  "invoice.payment_received": event(
    "invoice",
    "A payment was booked on an invoice; a refund or correction has a negative amount.",
    {
      ...invoice,
      ...payment,
      method: choice(["bank", "cash", "card", "other", "online"], { description: "How it was paid" }),
      paid_on: field(date(), "The day the money moved"),
    },
  ),
  "invoice.payment_removed": event("invoice", "A payment was removed from an invoice.", { ...invoice, ...payment }),
};

/** Events of quotes (money chapter §10). */
export const quoteEvents = {
  "quote.accepted": event("quote", "A quote was accepted, by a person of the organisation or behind its public link.", quote),
  "quote.rejected": event("quote", "A quote was rejected, by a person of the organisation or behind its public link.", quote),
};

/** Events of agreements (money chapter §9). */
export const subscriptionEvents = {
  "subscription.activated": event("subscription", "An agreement was active for the first time.", agreement),
  "subscription.project_linked": event("subscription", "A project was linked to an agreement.", {
    ...agreement,
    project_id: field(uuid(), "The project"),
  }),
  "subscription.due": event("subscription", "A period of an agreement has ended and is due for billing.", {
    ...agreement,
    ...period,
    level: field(nullable(level), "What to do with it, according to the agreement; null uses the organisation's setting"),
    lines: field(
      list(
        Type.Object({
          description: Type.String({ description: "Text of the line" }),
          quantity: decimal({ description: "How many" }),
          unit_price: decimal({ description: "Unit price" }),
        }),
      ),
      "Lines of the document to be made",
    ),
  }),
};

declare module "../../core/declare/hooks.ts" {
  interface HookPayloads {
    /** A document just claimed these hours. */
    "invoice.hours_claimed": { entry_ids: readonly string[] };
    /** Hours that no document bills any more. */
    "invoice.hours_released": { entry_ids: readonly string[] };
    /** A payment that is about to be deleted; the transaction has locked its invoice. */
    "invoice.payment_removed": { invoice_id: string; payment_id: string };
    /** The first activation of an agreement; the task templates are those of its type, in order. */
    "subscription.activated": { subscription_id: string; company_id: string; task_template_ids: readonly string[] };
    /** Newly linked projects of an agreement. */
    "subscription.projects_linked": { subscription_id: string; project_ids: readonly string[] };
  }
}

declare module "../../core/declare/events.ts" {
  interface EventPayloads
    extends PayloadsOf<typeof invoiceEvents>,
      PayloadsOf<typeof quoteEvents>,
      PayloadsOf<typeof subscriptionEvents> {}
}
