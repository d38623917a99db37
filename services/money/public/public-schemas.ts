import { answer, choice, date, decimal, flag, nullable, Type } from "../../../core/declare/schema.ts";

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
