import { described } from "../../../core/schema/fields.ts";
import {
  answer,
  date,
  decimal,
  decimalInput,
  field,
  flag,
  input,
  instant,
  json,
  line,
  list,
  multiline,
  neverNull,
  nullable,
  optional,
  type Static,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { LineRead, lines, TaxGroupRead } from "./lines/line-schemas.ts";

const currency = () => line({ minLength: 3, maxLength: 3 });
const exchangeRate = () => nullable(decimalInput({ exclusiveMinimum: 0, decimalPlaces: 6 }));

const DOCUMENT = {
  company_id: "The client that is billed or made an offer; fixed once the document exists",
  company_name: "The client's name today; the name that is printed is in `customer`",
  contact_id:
    "The contact the document is addressed to; null without one. Naming one on a draft rewrites `attn`, and `email` where the contact has one; null leaves both as they are",
  number: "The number it got when it was issued; null for a draft",
  currency:
    "ISO 4217 code of its amounts, stored in upper case; the organisation's if omitted. A currency with three decimals is refused",
  exchange_rate:
    "Units of the organisation's currency for one unit of this document's, with up to 6 decimals; null for a document in the organisation's own currency. Without a rate, a document in another currency is left out of converted sums",
  locale: "Language of its print and mail, such as `nl` or `en`; the organisation's if omitted",
  reference: "The client's own reference, such as an order number; null without one. `q` searches it",
  intro: "Text above the lines, in Markdown; raw HTML is removed. Null without one",
  notes: "Text below the lines, in Markdown; raw HTML is removed. Null without one",
  issue_date: "Date on the document, in the organisation's zone; null for a draft that gets the day it is issued",
  prices_include_tax:
    "Whether unit prices include tax; the organisation's setting where it is not sent. Changing it on a draft recomputes the totals",
  template_id:
    "The template to print it with. A new document without one uses the default template; null prints the classic design",
  customer:
    "The bill-to party: copied from the client when the document is made and again when it is issued, and fixed from then on",
  subtotal: "Total before tax, with 2 decimals",
  tax_total: "Total tax, rounded once per tax group, with 2 decimals",
  total: "Total including tax, with 2 decimals, in the document's currency; negative where it pays money back",
  tax_groups: "Base and tax by rate and category, the highest rate first; empty in lists with `lines=false`",
  lines:
    "Up to 200 lines, in the order they are printed. Sent in a change, they replace all lines and recompute totals and claims; empty in lists with `lines=false`",
  sent_at: "When it was last mailed, or recorded as sent by other means, UTC; null if never",
};

/** The fields for creating invoices and quotes. */
export const createdDocument = described(
  {
    company_id: uuid(),
    contact_id: optional(nullable(uuid())),
    currency: optional(nullable(currency())),
    exchange_rate: optional(exchangeRate()),
    locale: optional(nullable(text(10))),
    reference: optional(nullable(text(120))),
    intro: optional(nullable(multiline())),
    notes: optional(nullable(multiline())),
    issue_date: optional(nullable(date())),
    prices_include_tax: optional(nullable(flag())),
    template_id: optional(nullable(uuid())),
    custom: optional(json({ default: {} })),
    lines: optional(Type.Unsafe<Static<ReturnType<typeof lines>>>({ ...lines(), default: [] })),
  },
  DOCUMENT,
) satisfies TProperties;

/** The fields that an update may change. */
export const changedDocument = described(
  {
    company_id: field(optional(nullable(uuid())), "The document's client, which cannot change: another one is refused"),
    contact_id: optional(nullable(uuid())),
    currency: optional(neverNull(nullable(currency()))),
    exchange_rate: optional(exchangeRate()),
    locale: optional(neverNull(nullable(text(10)))),
    reference: optional(nullable(text(120))),
    intro: optional(nullable(multiline())),
    notes: optional(nullable(multiline())),
    issue_date: optional(nullable(date())),
    prices_include_tax: optional(neverNull(nullable(flag()))),
    template_id: optional(nullable(uuid())),
    custom: optional(nullable(json())),
    lines: optional(neverNull(nullable(lines()))),
  },
  DOCUMENT,
) satisfies TProperties;

const CUSTOMER = {
  name: "The legal name, or the client's label if it has none",
  trade_name: "The client's label, as the organisation knows it",
  address_line1: "Street and house number; null without one",
  address_line2: "Second address line; null without one",
  postal_code: "Postal code; null without one",
  city: "Town or city; null without one",
  country: "Country, ISO 3166-1 alpha-2, in upper case; null without one",
  vat_number: "VAT identification number; null without one. Electronic invoices need it for some tax categories",
  coc_number: "Number in the trade register; null without one",
  email:
    "Addresses that the document is mailed to, separated by comma or semicolon; null without one. Electronic invoices name the first",
  attn: "The person for whose attention it is; null without one",
  client_number: "The client's number in this organisation; null without one",
};

const CustomerRead = answer(
  "CustomerRead",
  {
    name: nullable(Type.String()),
    trade_name: nullable(Type.String()),
    address_line1: nullable(Type.String()),
    address_line2: nullable(Type.String()),
    postal_code: nullable(Type.String()),
    city: nullable(Type.String()),
    country: nullable(Type.String()),
    vat_number: nullable(Type.String()),
    coc_number: nullable(Type.String()),
    email: nullable(Type.String()),
    attn: nullable(Type.String()),
    client_number: nullable(Type.String()),
  },
  CUSTOMER,
);
/** The blank bill-to fields to fill on an issued document; lengths as for a client. */
export const CustomerWrite = input(
  "CustomerWrite",
  {
    name: optional(nullable(text(255))),
    trade_name: optional(nullable(text(255))),
    address_line1: optional(nullable(text(255))),
    address_line2: optional(nullable(text(255))),
    postal_code: optional(nullable(text(16))),
    city: optional(nullable(text(120))),
    country: optional(nullable(text(2))),
    vat_number: optional(nullable(text(32))),
    coc_number: optional(nullable(text(32))),
    email: optional(nullable(text(320))),
    attn: optional(nullable(text(255))),
    client_number: optional(nullable(text(50))),
  },
  CUSTOMER,
);

/** An empty bill-to party. Stored parties have every field, because answers return them unchanged. */
export const NO_CUSTOMER = Object.fromEntries(Object.keys(CustomerRead.properties).map((name) => [name, null]));

/** The fields that invoices and quotes share in answers. */
export const readDocument = described(
  {
    id: uuid(),
    org_id: uuid(),
    company_id: uuid(),
    company_name: Type.String(),
    contact_id: nullable(uuid()),
    number: nullable(Type.String()),
    currency: Type.String(),
    exchange_rate: nullable(decimal()),
    locale: Type.String(),
    reference: nullable(Type.String()),
    intro: nullable(Type.String()),
    notes: nullable(Type.String()),
    issue_date: nullable(date()),
    prices_include_tax: flag(),
    template_id: nullable(uuid()),
    customer: CustomerRead,
    subtotal: decimal(),
    tax_total: decimal(),
    total: decimal(),
    tax_groups: list(TaxGroupRead),
    custom: json(),
    lines: list(LineRead),
    sent_at: nullable(instant()),
    created_at: instant(),
    updated_at: instant(),
  },
  DOCUMENT,
) satisfies TProperties;

/** The body for issuing an invoice or a quote; for a quote, `due_date` is the last day it is valid (money §10). */
export const InvoiceIssue = input("InvoiceIssue", {
  issue_date: field(
    optional(nullable(date())),
    "Date on the document; absent or null uses the draft's, else the organisation's today",
  ),
  due_date: field(
    optional(nullable(date())),
    "Payment due date, not before its issue date; absent or null uses the draft's, else its payment terms or those of the settings. Of a quote, the last day it is valid",
  ),
  allow_zero: optional(
    Type.Boolean({
      default: false,
      description: "Issues lines at price 0 that bill hours for which no rate was found at any level. Of no effect on a quote.",
    }),
  ),
});
export type IssueDates = Static<typeof InvoiceIssue>;
