import { namedValues } from "../../core/naming/named-values.ts";
import { answer, choice, decimal, field, flag, instant, nullable, Type, uuid } from "../../core/schema/schema.ts";

const INTENT_STATUSES = namedValues("PaymentIntentStatus", [
  "open",
  "pending",
  "authorized",
  "paid",
  "failed",
  "expired",
  "canceled",
]);

export const InvoicePaymentIntentRead = answer("InvoicePaymentIntentRead", {
  id: uuid(),
  invoice_id: field(uuid(), "The invoice it pays"),
  account_id: field(nullable(uuid()), "The payment account it was made with; null when that was removed"),
  provider: Type.String({ description: "Key of the payment provider" }),
  amount: decimal({ description: "Amount due when it was created, with 2 decimals; it never changes" }),
  currency: Type.String({ description: "ISO 4217 code of `amount`" }),
  mode: Type.String({
    description: "`live` or `test`, of the account when it was made. A test payment never settles an invoice",
  }),
  status: field(choice(INTENT_STATUSES), "The provider's word, as last read; `authorized` is not paid yet"),
  method: nullable(Type.String({ description: "The provider's key of the payment method; null until the payer chose one" })),
  checkout_url: nullable(
    Type.String({ description: "Where the payer pays; null before there is one and once the status is final" }),
  ),
  settled_at: field(
    nullable(instant()),
    "When it was booked as a payment, UTC. Null with the status `paid`: the money arrived and is not booked, see `last_error`",
  ),
  synced_at: field(nullable(instant()), "When it was last read at the provider, UTC; null if never"),
  last_error: nullable(Type.String({ description: "Why it could not be created, read or booked; null without a failure" })),
  created_at: instant(),
});

export const InvoicePaymentRefresh = answer("InvoicePaymentRefresh", {
  changed: field(flag(false), "Whether a provider was called for any attempt; each is checked at most once in 5 seconds"),
  status: field(nullable(choice(INTENT_STATUSES)), "Status of the newest attempt; null without one"),
  settled: field(flag(false), "Whether the newest attempt is booked as a payment"),
  invoice_status: field(
    nullable(choice(namedValues("InvoiceStatus", ["draft", "open", "paid", "cancelled"]))),
    "Status of the invoice after this check",
  ),
});
