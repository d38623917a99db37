import { termsText } from "../../calculation/terms-text.ts";
import type { InvoicedDocument } from "./document-data.ts";

/** The payment terms of an invoice in its language, BT-20 of the standard; null for a credit note, and if its due date was set as a date. */
export const termsNote = ({ kind, payment_terms, locale }: InvoicedDocument): string | null =>
  kind === "invoice" && payment_terms ? termsText(payment_terms, locale) : null;
