import { convert } from "xmlbuilder2";
import { fromCents } from "../../../../core/values/money.ts";
import type { TaxCategory } from "../../../../services/money/calculation/groups.ts";
import { lineAmount } from "../../../../services/money/calculation/totals.ts";
import type { InvoicedDocument, InvoicedLine, Profile } from "../../../../services/money/documents/e-invoices/document-data.ts";
import { ublOf } from "../../../../services/money/documents/e-invoices/ubl.ts";

/** A line of a document: quantity × price at a percentage. */
export const line = (
  quantity: string,
  unit_price: string,
  tax_rate_pct = "21.00",
  tax_category: TaxCategory = "standard",
  more: Partial<InvoicedLine> = {},
): InvoicedLine => ({
  description: `Work at ${unit_price}`,
  quantity,
  unit: null,
  unit_price,
  amount: lineAmount(quantity, unit_price, "EUR"),
  tax_rate_pct,
  tax_category,
  tax_name: `${tax_category} ${tax_rate_pct}`,
  ...more,
});

/** A Dutch invoice to a Dutch client that lacks nothing. */
export const documentOf = (values: Partial<InvoicedDocument> = {}): InvoicedDocument => ({
  kind: "invoice",
  number: "2026-0031",
  issue_date: "2026-03-02",
  due_date: "2026-03-16",
  payment_terms: null,
  payment_discount: null,
  locale: "nl",
  delivery_date: null,
  currency: "EUR",
  reference: null,
  notes: null,
  prices_include_tax: false,
  paid_total: fromCents(0),
  source_number: null,
  customer: {
    name: "Oost Zeilen B.V.",
    trade_name: "Zeilmakerij Oost",
    address_line1: "Dijk 12a",
    address_line2: null,
    postal_code: "3011 AA",
    city: "Rotterdam",
    country: "NL",
    vat_number: "NL001234567B01",
    coc_number: "87654321",
    client_number: "0042",
    email: "facturen@oost.example",
    attn: "Iris de Wit",
  },
  seller: {
    name: "Vela Works B.V.",
    address_line1: "Kade 1",
    postal_code: "1011 AB",
    city: "Amsterdam",
    country: "NL",
    vat_number: "NL123456789B01",
    coc_number: "12345678",
    iban: "NL91 ABNA 0417 1643 00",
    bic: "abna nl2a",
    email: "post@vela.example",
    phone: "+31 20 123 45 67",
  },
  lines: [line("7.50", "84.00")],
  ...values,
});

/** What XML says as objects: attributes behind `@`, text that has attributes behind `#`. */
// biome-ignore lint/suspicious/noExplicitAny: elements by name, of any depth
export type Read = any;

/** The content of a document's root element. */
export function ublRead(document: InvoicedDocument, profile: Profile = "en16931"): Read {
  const whole = convert(ublOf(document, profile), { format: "object" }) as Record<string, Read>;
  return whole["Invoice"] ?? whole["CreditNote"];
}

/** The text of each amount by the name of its element. */
export const amountsOf = (elements: Read): Record<string, string> =>
  Object.fromEntries(Object.entries<Read>(elements).map(([name, value]) => [name.replace("cbc:", ""), value["#"] ?? value]));

/** One or several elements as a list. */
export const all = (elements: Read): Read[] => (Array.isArray(elements) ? elements : [elements]);
