import { answer, choice, decimal, input, instant, nullable, optional, Type, text, uuid } from "../../../core/declare/schema.ts";

export const INTENT_STATUSES = ["open", "pending", "authorized", "paid", "failed", "expired", "canceled"] as const;

export const InvoicePaymentIntentRead = answer("InvoicePaymentIntentRead", {
  id: uuid(),
  invoice_id: uuid(),
  account_id: nullable(uuid()),
  provider: Type.String(),
  amount: decimal(),
  currency: Type.String(),
  mode: Type.String(),
  status: choice(INTENT_STATUSES),
  method: nullable(Type.String()),
  checkout_url: nullable(Type.String()),
  settled_at: nullable(instant()),
  synced_at: nullable(instant()),
  last_error: nullable(Type.String()),
  created_at: instant(),
});

/** No amount: what is due is what is asked. */
export const InvoicePaymentIntentCreate = input("InvoicePaymentIntentCreate", {
  provider: optional(nullable(text(40))),
  account_id: optional(nullable(uuid())),
});

export const PublicCheckout = answer("PublicCheckout", { checkout_url: Type.String() });
