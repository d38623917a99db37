import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  decimal,
  decimalInput,
  field,
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
} from "../../../core/schema/schema.ts";
import { MOST_DISCOUNT_DAYS } from "../calculation/discount.ts";
import { DUE_BASES, MOST_DUE_DAYS } from "../calculation/terms.ts";
import { PRICE_PLACES } from "../calculation/totals.ts";

/** The largest price: below 10^10 (money §0, "Amounts"). */
export const MAX_PRICE = 9_999_999_999.99;
/** An amount or an hourly rate as sent: 2 decimals. */
export const priceInput = () => decimalInput({ minimum: 0, maximum: MAX_PRICE, decimalPlaces: 2 });
/** A unit price: up to 4 decimals, stored as sent. */
export const unitPriceInput = () => decimalInput({ minimum: 0, maximum: MAX_PRICE, decimalPlaces: PRICE_PLACES });

/** A two-letter country code, in either case. */
export const countryInput = () => Type.String({ minLength: 2, maxLength: 2, pattern: "^[A-Za-z]{2}$" });

/** Reminder steps, in days past due. */
const REMINDERS = { most: 10, lastDay: 365 };
const LAST_VALID_DAY = 365;

export const AutoInvoiceModes = namedValues("AutoInvoiceMode", ["off", "draft", "issue", "send"]);
const autoInvoiceMode = () => choice(AutoInvoiceModes);

const DueBases = namedValues("DueBasis", DUE_BASES);
const dueBasis = (options: Record<string, unknown> = {}) => choice(DueBases, options);
const BASES =
  "`invoice_date` from the date of the invoice, `end_of_month` from the last day of its month; `day_of_next_month` is that day of the month after, or its last one if it is shorter";

/** Payment terms, as one value of an invoice. */
export const PaymentTermsValue = Type.Object(
  {
    days: field(integer(0, MOST_DUE_DAYS), "Days, 0 to 365; with `day_of_next_month` the day of the month, 1 to 31"),
    basis: field(optional(dueBasis({ default: "invoice_date" })), `From which day they count: ${BASES}`),
  },
  { $id: "PaymentTerms", "x-usage": "both", additionalProperties: false },
);

const DISCOUNT = {
  percent:
    "Percentage of the total including tax, from 0 to 99.99, with up to 2 decimals; 0 offers none, whatever other levels offer",
  days: "Days from the invoice date, 0 to 365, on the last of which the payment is booked; an issued invoice ends them on its due date",
};
/** A discount for early payment, as sent. */
export const PaymentDiscountWrite = Type.Object(
  {
    percent: field(decimalInput({ minimum: 0, maximum: 99.99, decimalPlaces: 2 }), DISCOUNT.percent),
    days: field(integer(0, MOST_DISCOUNT_DAYS), DISCOUNT.days),
  },
  { $id: "PaymentDiscountWrite", "x-usage": "input", additionalProperties: false },
);
/** A discount for early payment, as answered. */
export const PaymentDiscountRead = answer("PaymentDiscountRead", { percent: decimal(), days: Type.Integer() }, DISCOUNT);

/** Free text; the rules, not the schema, handle blanks and check e-mail addresses. */
const detail = (maxLength: number) => optional(nullable(text(maxLength)));

/** The seller on documents. */
export const SellerDetails = Type.Object(
  {
    name: field(detail(255), "Legal name of the organisation; required to issue documents"),
    address_line1: field(detail(255), "Street and house number"),
    address_line2: field(detail(255), "Second address line"),
    postal_code: field(detail(16), "Postal code"),
    city: field(detail(120), "Town or city"),
    country: field(detail(2), "ISO 3166-1 alpha-2 code; electronic invoices need it"),
    vat_number: field(detail(32), "VAT identification number"),
    coc_number: field(detail(32), "Number in the trade register"),
    iban: field(detail(42), "Bank account that invoices ask to be paid to; its check digits must be right"),
    bic: field(detail(16), "BIC of that bank"),
    website: field(detail(255), "Website"),
    email: field(detail(320), "E-mail address"),
    phone: field(detail(40), "Telephone number"),
  },
  { $id: "SellerDetails", "x-usage": "both", additionalProperties: false },
);

const SETTINGS = {
  company_details:
    "The seller as drafts print it; issuing a document freezes it there. Sent, it replaces the stored one as a whole, and blank fields become null",
  tax_country: "ISO 3166-1 alpha-2 code that decides which tax rates an empty catalogue begins with",
  prices_include_tax: "Whether unit prices of new documents include tax",
  default_due_days:
    "Days of the usual payment term, 0 to 365, counted as `default_due_basis` says; with `day_of_next_month` the day of the month, 1 to 31",
  default_due_basis: `From which day these days count: ${BASES}`,
  default_payment_discount:
    "Discount for early payment that new invoices promise when they are issued, unless the client or the draft has its own; null promises none",
  quote_valid_days: "Days that a quote is valid from its issue date, 1 to 365",
  default_tax_rate_id: "Tax rate of lines without one; null uses the default of the catalogue",
  default_template_id: "Template of documents without one; null uses the active default template",
  default_hourly_rate:
    "Price of an hour where neither the worker nor the people settings have one, with 2 decimals; null without one",
  invoice_number_format:
    "Text of invoice and credit note numbers, with exactly one `{seq}` or `{seq:N}` (N digits) and optionally `{year}` or `{yy}`",
  quote_number_format: "The same for quotes, which have a sequence of their own",
  invoice_next_seq: "Sequence number of the next invoice or credit note; you can set it back, and numbers in use are skipped",
  quote_next_seq: "Sequence number of the next quote; you can set it back, and numbers in use are skipped",
  number_reset_yearly: "Whether both sequences begin again at 1 in each of the organisation's years",
  auto_invoice_mode:
    "What the billing job does with a due period of an agreement or domain without its own choice: `off` nothing, `draft` creates an invoice, `issue` issues it, `send` mails it too",
  reminders_enabled: "Whether the daily job reminds of overdue invoices",
  reminder_days: "Days past the due date on which it reminds, at most 10; stored sorted and without repeats",
  public_invoice_links:
    "Whether issued documents have a public page; switching it off withdraws existing links, switching it on restores them",
};

export const InvoicingSettingsRead = answer(
  "InvoicingSettingsRead",
  {
    company_details: SellerDetails,
    tax_country: Type.String(),
    prices_include_tax: flag(),
    default_due_days: Type.Integer(),
    default_due_basis: dueBasis(),
    default_payment_discount: nullable(PaymentDiscountRead),
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
  },
  SETTINGS,
);

/** A field that can be omitted but not cleared. */
const kept = <T extends TSchema>(schema: T) => optional(neverNull(nullable(schema)));
const days = Type.Array(integer(0, REMINDERS.lastDay), { maxItems: REMINDERS.most });

export const InvoicingSettingsWrite = input(
  "InvoicingSettingsWrite",
  {
    company_details: kept(SellerDetails),
    tax_country: kept(countryInput()),
    prices_include_tax: kept(flag()),
    default_due_days: kept(integer(0, MOST_DUE_DAYS)),
    default_due_basis: kept(dueBasis()),
    default_payment_discount: optional(nullable(PaymentDiscountWrite)),
    quote_valid_days: kept(integer(1, LAST_VALID_DAY)),
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
  },
  SETTINGS,
);
