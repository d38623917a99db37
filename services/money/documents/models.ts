import { column, model, type RowOf, tenantModel } from "../../../core/database/model.ts";
import { conflict, notFound } from "../../../core/errors/errors.ts";
import type { Customer } from "../calculation/bill-to.ts";
import type { PaymentDiscount } from "../calculation/discount.ts";
import type { TaxCategory } from "../calculation/groups.ts";
import type { SellerDetails } from "../calculation/seller.ts";
import type { PaymentTerms } from "../calculation/terms.ts";
import type { StoredTaxGroup } from "../calculation/totals.ts";
import { unknownReference } from "../refusals.ts";

const { boolean, date, decimal, instant, integer, json, text, uuid, uuids } = column;

const common = {
  company_id: uuid().tracked(),
  contact_id: uuid().orNull().tracked(),
  number: text().orNull().tracked(),
  reference: text().orNull().tracked().blankIsNull(),
  search_text: text().byDatabase(),
  currency: text().tracked(),
  exchange_rate: decimal(16, 6).orNull().tracked(),
  locale: text().tracked(),
  intro: text().orNull().blankIsNull(),
  notes: text().orNull().blankIsNull(),
  issue_date: date().orNull().tracked(),
  prices_include_tax: boolean().withDefault().tracked(),
  template_id: uuid().orNull().tracked(),
  customer: json<Customer>().withDefault(),
  subtotal: decimal(14, 2).withDefault().tracked(),
  tax_total: decimal(14, 2).withDefault(),
  total: decimal(14, 2).withDefault().tracked(),
  tax_groups: json<readonly StoredTaxGroup[]>().withDefault(),
  custom: json().withDefault(),
  sent_at: instant().orNull(),
  /** When someone outside could first have it: sent, opened, exported or fetched as a file. From then on it never changes. */
  left_at: instant().orNull(),
  /** The organisation and template data of an issued document, in `issued_looks`; null for a draft. Set by a trigger. */
  look_id: uuid().orNull().byDatabase(),
};

export type InvoiceKind = "invoice" | "credit_note";
export type InvoiceStatus = "draft" | "open" | "paid" | "cancelled";
export type QuoteStatus = "draft" | "open" | "accepted" | "rejected" | "expired" | "invoiced";

export const Invoice = tenantModel("invoices", {
  ...common,
  kind: text<InvoiceKind>().withDefault(),
  status: text<InvoiceStatus>().withDefault().tracked(),
  due_date: date().orNull().tracked(),
  /** Of a draft, its own terms; of an issued invoice, the terms that gave the due date, null if it was set as a date. */
  payment_terms: json<PaymentTerms>().orNull(),
  /** Of a draft, its own discount for early payment; of an issued invoice, the one it promised, null for none. */
  payment_discount: json<PaymentDiscount>().orNull(),
  discount_until: date().orNull(),
  /** As printed: what credit notes take off later does not change it. */
  discount_amount: decimal(14, 2).orNull(),
  /** What a payment in time can still take. */
  discount_left: decimal(14, 2).withDefault(),
  /** A credit note of the service, by which a payment took the discount. */
  is_discount: boolean().withDefault(),
  delivery_date: date().orNull().tracked(),
  paid_total: decimal(14, 2).withDefault(),
  credited_total: decimal(14, 2).withDefault(),
  applied_total: decimal(14, 2).withDefault(),
  /** What a cancelled credit note had taken off its source, for reports of a day before. */
  withdrawn_total: decimal(14, 2).withDefault(),
  outstanding: decimal(15, 2).byDatabase(),
  credit_for_id: uuid().orNull(),
  quote_id: uuid().orNull(),
  /** The quote on which this invoice is a deposit. */
  deposit_of: uuid().orNull(),
  subscription_id: uuid().orNull(),
  domain_id: uuid().orNull(),
  period_start: date().orNull(),
  period_end: date().orNull(),
  paid_at: instant().orNull(),
  cancelled_at: instant().orNull(),
  reminders_paused: boolean().withDefault().tracked(),
  reminder_count: integer().withDefault(),
  last_reminder_at: instant().orNull(),
  /** The level of its last notice; 0 before the first. */
  dunning_level: integer().withDefault(),
  auto_send: boolean().withDefault(),
  public_token: text().orNull(),
  /** Fields that were blank at the seller and filled on this document alone. */
  seller_filled: json<Pick<SellerDetails, "country" | "vat_number">>().withDefault(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  invoices_company_fkey: notFound,
  invoices_contact_fkey: () => unknownReference("contact_id"),
  invoices_template_fkey: () => unknownReference("template_id"),
});
export type InvoiceRow = RowOf<typeof Invoice>;

export const Quote = tenantModel("quotes", {
  ...common,
  status: text<QuoteStatus>().withDefault().tracked(),
  valid_until: date().orNull().tracked(),
  decided_at: instant().orNull(),
  decision_note: text().orNull().blankIsNull(),
  invoice_id: uuid().orNull(),
  public_token: text().orNull(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  quotes_company_fkey: notFound,
  quotes_contact_fkey: () => unknownReference("contact_id"),
  quotes_template_fkey: () => unknownReference("template_id"),
});
export type QuoteRow = RowOf<typeof Quote>;

export type LineKind = "product" | "hours" | "subscription" | "domain";
export type PaymentMethod = "bank" | "cash" | "card" | "other" | "online";

/** A line of an invoice or a quote; lines are replaced as a whole. */
export const DocumentLine = model("document_lines", {
  id: uuid().withDefault(),
  organisation_id: uuid().byPlatform(),
  invoice_id: uuid().orNull(),
  quote_id: uuid().orNull(),
  position: integer(),
  description: text(),
  line_kind: text<LineKind>().withDefault(),
  quantity: decimal().withDefault(),
  unit: text().orNull().blankIsNull(),
  unit_price: decimal().withDefault(),
  amount: decimal(12, 2).withDefault(),
  tax_rate_id: uuid().orNull(),
  tax_rate_pct: decimal(5, 2),
  tax_category: text<TaxCategory>(),
  tax_name: text().withDefault(),
  /** The deposit that the line of a final invoice deducts, and the tax that the deposit states; null for other lines. */
  deposit_id: uuid().orNull(),
  tax_amount: decimal(12, 2).orNull(),
  time_entry_ids: uuids().withDefault(),
  subscription_id: uuid().orNull(),
  domain_id: uuid().orNull(),
  period_start: date().orNull(),
  period_end: date().orNull(),
  created_at: instant().withDefault(),
}).whenViolated({
  document_lines_tax_rate_fkey: () => unknownReference("lines"),
});
export type DocumentLineRow = RowOf<typeof DocumentLine>;

export const InvoicePayment = model("invoice_payments", {
  id: uuid().withDefault(),
  organisation_id: uuid().byPlatform(),
  created_at: instant().withDefault(),
  invoice_id: uuid(),
  paid_on: date(),
  amount: decimal(12, 2),
  method: text<PaymentMethod>().withDefault(),
  note: text().orNull().blankIsNull(),
  intent_id: uuid().orNull(),
  /** The credit note of the discount that it took. */
  discount_note_id: uuid().orNull(),
});
export type InvoicePaymentRow = RowOf<typeof InvoicePayment>;

/** How far the daily job goes with a turn of a plan. */
export type InstalmentMode = "draft" | "issue" | "send";

/** A turn of the plan by which a quote is invoiced. */
export const QuoteInstalment = tenantModel("quote_instalments", {
  quote_id: uuid(),
  due_on: date(),
  percent: decimal(5, 2),
  mode: text<InstalmentMode>(),
  invoice_id: uuid().orNull(),
}).whenViolated({
  // The lock of the quote comes before: only a fault could plan two turns of one day.
  quote_instalments_day: conflict,
});

/** The form of a document that is kept as it first left. */
export type KeptForm = "pdf" | "hybrid" | "ubl" | "peppol";

/** A file of a document, as it first left. */
export const KeptDocument = tenantModel("kept_documents", {
  invoice_id: uuid().orNull(),
  quote_id: uuid().orNull(),
  form: text<KeptForm>(),
  file_id: uuid(),
}).whenViolated({
  // The lock of the document comes before: only a fault could keep two.
  kept_documents_invoice: conflict,
  kept_documents_quote: conflict,
});
