import { column, model, type RowOf, tenantModel } from "../../../core/database/model.ts";
import { invalid, refusal } from "../../../core/errors/errors.ts";
import type { AutoInvoiceMode } from "../../../core/values/recurring-source.ts";
import type { PaymentDiscount } from "../calculation/discount.ts";
import type { TaxCategory } from "../calculation/groups.ts";
import type { SellerDetails } from "../calculation/seller.ts";
import type { DueBasis } from "../calculation/terms.ts";
import { unknownReference } from "../refusals.ts";

const { bigint, boolean, decimal, instant, integer, integers, json, text, uuid } = column;

/** Texts by language. */
export type Labels = Record<string, string>;
export type { AutoInvoiceMode };

export const TaxRate = tenantModel("tax_rates", {
  label_i18n: json<Labels>().withDefault(),
  rate: decimal(5, 2).withDefault(),
  category: text<TaxCategory>().withDefault(),
  country: text().orNull(),
  ledger_code: text().orNull().blankIsNull(),
  is_default: boolean().withDefault(),
  active: boolean().withDefault(),
  position: integer().withDefault(),
});
export type TaxRateRow = RowOf<typeof TaxRate>;

export const Product = tenantModel("products", {
  name: text(),
  code: text().orNull().blankIsNull(),
  description: text().orNull().blankIsNull(),
  unit: text().orNull().blankIsNull(),
  unit_price: decimal().withDefault(),
  tax_rate_id: uuid().orNull(),
  active: boolean().withDefault(),
  position: integer().withDefault(),
}).whenViolated({
  // Keeps the general conflict message: the field names the duplicate.
  products_code_key: () => refusal("conflict", "errors.conflict", { fields: { code: "errors.duplicate" } }),
  products_tax_rate_fkey: () => invalid({ tax_rate_id: "errors.validation" }),
});

export const InvoiceTemplate = tenantModel("invoice_templates", {
  name: text(),
  is_default: boolean().withDefault(),
  active: boolean().withDefault(),
  position: integer().withDefault(),
  config: json().withDefault(),
});

export const InvoicingSettings = model("invoicing_settings", {
  organisation_id: column.uuid().byPlatform(),
  version: integer().withDefault(),
  created_at: instant().withDefault(),
  updated_at: instant().withDefault(),
  company_details: json<SellerDetails>().withDefault(),
  tax_country: text().withDefault(),
  prices_include_tax: boolean().withDefault(),
  default_due_days: integer().withDefault(),
  default_due_basis: text<DueBasis>().withDefault(),
  default_payment_discount: json<PaymentDiscount>().orNull(),
  quote_valid_days: integer().withDefault(),
  default_tax_rate_id: uuid().orNull(),
  default_template_id: uuid().orNull(),
  default_hourly_rate: decimal(12, 2).orNull(),
  invoice_number_format: text().withDefault(),
  quote_number_format: text().withDefault(),
  invoice_next_seq: bigint().withDefault(),
  quote_next_seq: bigint().withDefault(),
  invoice_seq_year: integer().orNull(),
  quote_seq_year: integer().orNull(),
  number_reset_yearly: boolean().withDefault(),
  auto_invoice_mode: text<AutoInvoiceMode>().withDefault(),
  reminders_enabled: boolean().withDefault(),
  reminder_days: integers().withDefault(),
  public_invoice_links: boolean().withDefault(),
}).whenViolated({
  invoicing_settings_tax_rate_fkey: () => unknownReference("tax_rate_id"),
  invoicing_settings_template_fkey: () => unknownReference("template_id"),
});
export type InvoicingSettingsRow = RowOf<typeof InvoicingSettings>;

/** What a client pays by, where that differs from the settings. */
export const ClientTerms = tenantModel("client_terms", {
  company_id: uuid(),
  payment_discount: json<PaymentDiscount>().orNull(),
});
