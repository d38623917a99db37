import {
  answer,
  choice,
  date,
  decimal,
  flag,
  input,
  label,
  multiline,
  nullable,
  optional,
  type Static,
  Type,
} from "../../../core/declare/schema.ts";

/** An invoice as whoever has its link may read it: no ids, no lines (money §12). */
export const PublicInvoiceRead = answer("PublicInvoiceRead", {
  kind: choice(["invoice", "credit_note"], { default: "invoice" }),
  number: Type.String({ default: "" }),
  status: choice(["draft", "open", "paid", "cancelled"]),
  customer_name: Type.String({ default: "" }),
  issue_date: nullable(date()),
  due_date: nullable(date()),
  currency: Type.String(),
  locale: Type.String(),
  total: decimal(),
  paid_total: decimal(),
  outstanding: decimal(),
  payable: flag(false),
  payment_status: nullable(choice(["open", "pending", "authorized", "paid", "failed", "expired", "canceled"])),
  payment_pending: flag(false),
  payment_settled: flag(false),
});

/** A quote as a caller with its link may read it: no ids, no lines. */
export const PublicQuoteRead = answer("PublicQuoteRead", {
  number: Type.String({ default: "" }),
  status: choice(["open", "accepted", "rejected", "expired", "invoiced"]),
  customer_name: Type.String({ default: "" }),
  issue_date: nullable(date()),
  valid_until: nullable(date()),
  currency: Type.String(),
  locale: Type.String(),
  total: decimal(),
  /** It may be accepted or rejected by its link: it is open and still valid. */
  decidable: flag(false),
});

const note = optional(nullable(multiline(2000)));
/** Who accepts a quote behind its link says who that is. */
export const PublicQuoteAcceptance = input("PublicQuoteAcceptance", { name: label(120), note });
export const PublicQuoteRejection = input("PublicQuoteRejection", { name: optional(nullable(label(120))), note });
export type PublicQuoteDecision = Static<typeof PublicQuoteRejection>;
