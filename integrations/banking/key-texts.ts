import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const bankingFieldTexts = {
  "errors.banking.direction": [
    "An amount is zero or points the other way than the entry: an incoming payment pays invoices, an outgoing one pays refunds.",
    "Send amounts with the sign of the entry.",
  ],
  "errors.banking.exceeds": [
    "The amounts add up to more than is open of the entry.",
    "Lower an amount, or undo an earlier match of the entry.",
  ],
  "errors.banking.other_currency": [
    "The invoice has another currency than the entry, so the amount in the currency of the invoice is needed.",
    "Send `invoice_amount`.",
  ],
  "errors.banking.sepa_characters": [
    "The reference has a character that banks do not take in a direct debit, or begins or ends with a slash.",
    "Use letters without accents, digits, or one of the characters `/ - ? : ( ) . , ' +`.",
  ],
  "errors.banking.same_currency": [
    "Invoice and entry have the same currency, and the two amounts differ.",
    "Leave `invoice_amount` out.",
  ],
} satisfies ErrorTexts;
