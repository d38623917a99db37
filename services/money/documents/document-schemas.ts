import {
  answer,
  date,
  decimal,
  decimalInput,
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
} from "../../../core/declare/schema.ts";
import { LineRead, lines, TaxGroupRead } from "./lines/line-schemas.ts";

const currency = () => line({ minLength: 3, maxLength: 3 });
const exchangeRate = () => nullable(decimalInput({ exclusiveMinimum: 0, decimalPlaces: 6 }));

/** What invoices and quotes are created with. */
export const createdDocument = {
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
} satisfies TProperties;

/** What of them may change. */
export const changedDocument = {
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
} satisfies TProperties;

const CustomerRead = answer("CustomerRead", {
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
});
/** Fields of the bill-to party of an issued document that were blank; lengths are those of a client. */
export const CustomerWrite = input("CustomerWrite", {
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
});

/** A bill-to party that says nothing. What is stored has every field, because answers take it as it is. */
export const NO_CUSTOMER = Object.fromEntries(Object.keys(CustomerRead.properties).map((name) => [name, null]));

/** How invoices and quotes are answered, as far as they are alike. */
export const readDocument = {
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
} satisfies TProperties;

/** The body of an issue, of invoices and of quotes; of a quote `due_date` is the date until which it is valid (money §10). */
export const InvoiceIssue = input("InvoiceIssue", {
  issue_date: optional(nullable(date())),
  due_date: optional(nullable(date())),
  allow_zero: optional(
    Type.Boolean({
      default: false,
      description: "Issues lines at price 0 that bill hours for which no rate was found at any level. Of no effect on a quote.",
    }),
  ),
});
export type IssueDates = Static<typeof InvoiceIssue>;
