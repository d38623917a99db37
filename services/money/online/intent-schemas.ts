import { answer, input, nullable, optional, Type, text, uuid } from "../../../core/declare/schema.ts";

export const INTENT_STATUSES = ["open", "pending", "authorized", "paid", "failed", "expired", "canceled"] as const;

/** No amount: what is due is what is asked. */
export const InvoicePaymentIntentCreate = input("InvoicePaymentIntentCreate", {
  provider: optional(nullable(text(40))),
  account_id: optional(nullable(uuid())),
});

export const PublicCheckout = answer("PublicCheckout", { checkout_url: Type.String() });
