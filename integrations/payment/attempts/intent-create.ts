import { field, input, nullable, optional, text, uuid } from "../../../core/schema/schema.ts";

/** Has no amount: a payment is always for the amount due. */
export const InvoicePaymentIntentCreate = input("InvoicePaymentIntentCreate", {
  provider: field(optional(nullable(text(40))), "Only accounts of this provider; null for any"),
  account_id: field(
    optional(nullable(uuid())),
    "The payment account to use; null uses the only active one, or the only live one among several",
  ),
});
