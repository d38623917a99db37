import type { DecimalText } from "../../../core/values/money.ts";
import type { TotalledLine } from "../calculation/totals.ts";
import type { Customer, DocumentLineRow, InvoiceRow } from "../documents/models.ts";
import type { SellerDetails } from "../settings/models.ts";

/** A line as an e-invoice shows it. */
export interface InvoicedLine extends TotalledLine, Pick<DocumentLineRow, "description" | "quantity" | "unit" | "unit_price"> {
  readonly amount: DecimalText;
}

/** All an e-invoice is made of: an issued document, its lines in their order, and its seller as it was frozen at issue. */
export interface InvoicedDocument
  extends Pick<
    InvoiceRow,
    | "kind"
    | "issue_date"
    | "due_date"
    | "delivery_date"
    | "currency"
    | "reference"
    | "notes"
    | "prices_include_tax"
    | "paid_total"
  > {
  readonly number: string;
  /** The number of the invoice that a credit note credits. */
  readonly source_number: string | null;
  readonly customer: Partial<Customer>;
  readonly seller: SellerDetails;
  readonly lines: readonly InvoicedLine[];
}

/** Which rules an e-invoice follows: those of the European norm alone, or those of Peppol BIS Billing 3 as well. */
export type Profile = "en16931" | "peppol";
