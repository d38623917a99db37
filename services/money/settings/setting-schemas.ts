import {
  answer,
  choice,
  decimal,
  decimalInput,
  flag,
  input,
  integer,
  list,
  neverNull,
  nullable,
  optional,
  type TSchema,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";
import { PRICE_PLACES } from "../calculation/totals.ts";

/** The largest price there is: below 10^10 (money §0, "Amounts"). */
export const MAX_PRICE = 9_999_999_999.99;
/** An amount or an hourly rate as it is sent: 2 decimals. */
export const priceInput = () => decimalInput({ minimum: 0, maximum: MAX_PRICE, decimalPlaces: 2 });
/** The price of one piece: up to 4 decimals, kept as sent. */
export const unitPriceInput = () =>
  decimalInput({ minimum: 0, maximum: MAX_PRICE, decimalPlaces: PRICE_PLACES, description: "Up to 4 decimals, kept as sent." });

/** Two letters of a country, in either case. */
export const countryInput = () => Type.String({ minLength: 2, maxLength: 2, pattern: "^[A-Za-z]{2}$" });

/** Steps of reminders, in days past due. */
const REMINDERS = { most: 10, lastDay: 365 };
const LAST_DUE_DAY = 365;

export const AutoInvoiceModes = ["off", "draft", "issue", "send"] as const;
const autoInvoiceMode = () => choice(AutoInvoiceModes, { $id: "AutoInvoiceMode", "x-usage": "both" });

/** Typed by people; what a blank means and what an address is like are decided by the rules, not by the shape. */
const detail = (maxLength: number) => optional(nullable(text(maxLength)));

/** The seller as documents print it. */
export const SellerDetails = Type.Object(
  {
    name: detail(255),
    address_line1: detail(255),
    address_line2: detail(255),
    postal_code: detail(16),
    city: detail(120),
    country: detail(2),
    vat_number: detail(32),
    coc_number: detail(32),
    iban: detail(42),
    bic: detail(16),
    website: detail(255),
    email: detail(320),
    phone: detail(40),
  },
  { $id: "SellerDetails", "x-usage": "both", additionalProperties: false },
);

export const InvoicingSettingsRead = answer("InvoicingSettingsRead", {
  company_details: SellerDetails,
  tax_country: Type.String(),
  prices_include_tax: flag(),
  default_due_days: Type.Integer(),
  quote_valid_days: Type.Integer(),
  default_tax_rate_id: nullable(uuid()),
  default_template_id: nullable(uuid()),
  default_hourly_rate: nullable(decimal()),
  invoice_number_format: Type.String(),
  quote_number_format: Type.String(),
  invoice_next_seq: Type.Integer(),
  quote_next_seq: Type.Integer(),
  number_reset_yearly: flag(),
  auto_invoice_mode: autoInvoiceMode(),
  reminders_enabled: flag(),
  reminder_days: list(Type.Integer()),
  public_invoice_links: flag(),
});

/** A field that may be left out and not emptied. */
const kept = <T extends TSchema>(schema: T) => optional(neverNull(nullable(schema)));
const days = Type.Array(integer(0, REMINDERS.lastDay), { maxItems: REMINDERS.most });

export const InvoicingSettingsWrite = input("InvoicingSettingsWrite", {
  company_details: kept(SellerDetails),
  tax_country: kept(countryInput()),
  prices_include_tax: kept(flag()),
  default_due_days: kept(integer(0, LAST_DUE_DAY)),
  quote_valid_days: kept(integer(1, LAST_DUE_DAY)),
  default_tax_rate_id: optional(nullable(uuid())),
  default_template_id: optional(nullable(uuid())),
  default_hourly_rate: optional(nullable(priceInput())),
  invoice_number_format: kept(text(60)),
  quote_number_format: kept(text(60)),
  invoice_next_seq: kept(integer(1)),
  quote_next_seq: kept(integer(1)),
  number_reset_yearly: kept(flag()),
  auto_invoice_mode: kept(autoInvoiceMode()),
  reminders_enabled: kept(flag()),
  reminder_days: kept(days),
  public_invoice_links: kept(flag()),
});
