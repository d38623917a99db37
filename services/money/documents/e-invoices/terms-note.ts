import { discountText, termsText } from "../../calculation/terms-text.ts";
import type { InvoicedDocument } from "./document-data.ts";
import { buyerOf, sellerOf } from "./parties.ts";

/**
 * The payment terms of an invoice in its language, BT-20 of the standard; null for a credit note, and if its due date was set as a date and it
 * promises no discount. Between parties in Germany the discount has the structured form of XRechnung, whose rows end with a line break.
 */
export function termsNote(document: InvoicedDocument): string | null {
  const { kind, payment_terms, payment_discount, locale } = document;
  if (kind !== "invoice") return null;
  const terms = payment_terms && termsText(payment_terms, locale);
  if (payment_discount === null) return terms;
  const isGerman = sellerOf(document).country === "DE" && buyerOf(document).country === "DE";
  const { percent, days } = payment_discount;
  if (isGerman) return `${terms === null ? "" : `${terms}\n`}#SKONTO#TAGE=${days}#PROZENT=${percent}#\n`;
  return [terms, discountText(payment_discount, locale)].filter((text) => text !== null).join(", ");
}
