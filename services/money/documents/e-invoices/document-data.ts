import type { DecimalText } from "../../../../core/values/money.ts";
import type { Customer } from "../../calculation/bill-to.ts";
import type { SellerDetails } from "../../calculation/seller.ts";
import type { TotalledLine } from "../../calculation/totals.ts";
import type { DocumentLineRow, InvoiceRow } from "../models.ts";

/** A line as an e-invoice shows it. */
export interface InvoicedLine extends TotalledLine, Pick<DocumentLineRow, "description" | "quantity" | "unit" | "unit_price"> {
  readonly amount: DecimalText;
}

/** The input of an e-invoice: an issued document, its lines in order, and the seller frozen at issue. */
export interface InvoicedDocument
  extends Pick<
    InvoiceRow,
    | "kind"
    | "issue_date"
    | "due_date"
    | "payment_terms"
    | "payment_discount"
    | "locale"
    | "delivery_date"
    | "currency"
    | "reference"
    | "notes"
    | "prices_include_tax"
    | "paid_total"
  > {
  readonly number: string;
  /** The number of the invoice that a credit note credits; null otherwise. */
  readonly source_number: string | null;
  /** The numbers of the deposits that a final invoice deducts. */
  readonly deposit_numbers?: readonly string[];
  readonly customer: Partial<Customer>;
  readonly seller: SellerDetails;
  readonly lines: readonly InvoicedLine[];
}

/** The rules of an e-invoice: those of the European standard alone, or also those of Peppol BIS Billing 3. */
export type Profile = "en16931" | "peppol";

/** The numbers of the invoices that a document follows, BG-3: the one that a credit note credits, the deposits that a final one deducts. */
export const precedingNumbers = ({ kind, source_number, deposit_numbers = [] }: InvoicedDocument): readonly string[] =>
  kind === "credit_note" ? (source_number === null ? [] : [source_number]) : deposit_numbers;
