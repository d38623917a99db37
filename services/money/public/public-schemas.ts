import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimal,
  field,
  flag,
  input,
  label,
  multiline,
  nonEmpty,
  nullable,
  optional,
  type Static,
  Type,
} from "../../../core/schema/schema.ts";

/** An invoice as visitors of its link read it: no ids, no lines (money §12). */
export const PublicInvoiceRead = answer("PublicInvoiceRead", {
  kind: field(choice(namedValues("InvoiceKind", ["invoice", "credit_note"]), { default: "invoice" }), "Invoice or credit note"),
  number: Type.String({ default: "", description: "Its number" }),
  status: field(
    choice(namedValues("InvoiceStatus", ["draft", "open", "paid", "cancelled"])),
    "`open` until it is settled, `paid` or `cancelled`; a draft has no public page",
  ),
  customer_name: Type.String({ default: "", description: "Name of the bill-to party" }),
  issue_date: field(nullable(date()), "Date on the document"),
  due_date: field(nullable(date()), "Payment due date; null without one"),
  currency: Type.String({ description: "ISO 4217 code of its amounts" }),
  locale: Type.String({ description: "The language it is printed in" }),
  total: decimal({ description: "Total including tax, with 2 decimals" }),
  paid_total: decimal({ description: "Sum of its payments, with 2 decimals" }),
  outstanding: decimal({ description: "Amount still due, with 2 decimals; negative after an overpayment" }),
  discount_until: field(nullable(date()), "Last day on which a payment takes the discount for early payment; null without one"),
  discounted: nullable(
    decimal({ description: "What is to be paid today instead of `outstanding`, with that discount deducted; null without one" }),
  ),
  payable: field(flag(false), "Whether it can be paid online now"),
  payment_status: field(
    nullable(
      choice(namedValues("PaymentIntentStatus", ["open", "pending", "authorized", "paid", "failed", "expired", "canceled"])),
    ),
    "Status of the newest attempt to pay online; null without one",
  ),
  payment_pending: field(flag(false), "Whether that attempt is `open`, `pending` or `authorized`"),
  payment_settled: field(flag(false), "Whether that attempt is booked as a payment"),
});

/** A quote as visitors of its link read it: no ids, no lines. */
export const PublicQuoteRead = answer("PublicQuoteRead", {
  number: Type.String({ default: "", description: "Its number" }),
  status: field(
    choice(["open", "accepted", "rejected", "expired", "invoiced"]),
    "`open` until it is decided or expires; `invoiced` once it became an invoice",
  ),
  customer_name: Type.String({ default: "", description: "Name of the bill-to party" }),
  issue_date: field(nullable(date()), "Date on the document"),
  valid_until: field(nullable(date()), "Last day on which it can be accepted; null without one"),
  currency: Type.String({ description: "ISO 4217 code of `total`" }),
  locale: Type.String({ description: "The language it is printed in" }),
  total: decimal({ description: "Total including tax, with 2 decimals" }),
  decidable: field(flag(false), "Whether it can be accepted or rejected here: it is open and still valid"),
});

const note = optional(nullable(multiline(2000)));
/** Requires the name of the person who accepts through the public link. */
export const PublicQuoteAcceptance = input("PublicQuoteAcceptance", {
  name: field(label(120), "Name of the person who accepts it"),
  note: field(note, "Remark sent with the decision; null without one"),
});
export const PublicQuoteRejection = input("PublicQuoteRejection", {
  name: field(optional(nullable(nonEmpty(120))), "Name of the person who rejects it; null without one"),
  note: field(note, "Reason for the decision; null without one"),
});
export type PublicQuoteDecision = Static<typeof PublicQuoteRejection>;

/** Where a payer pays. */
export const PublicCheckout = answer("PublicCheckout", {
  checkout_url: Type.String({ description: "The provider's page on which the payer pays" }),
});
