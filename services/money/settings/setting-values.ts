import { invalid } from "../../../core/errors/errors.ts";
import { isEmail, type Static } from "../../../core/schema/schema.ts";
import { isIban, plainIban } from "../../../core/values/iban.ts";
import { formatAmount } from "../../../core/values/money.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { sentDiscount } from "../calculation/discount.ts";
import { checkFormat } from "../calculation/numbering.ts";
import type { SellerDetails } from "../calculation/seller.ts";
import type { InvoicingSettingsWrite } from "./setting-schemas.ts";
import { type SettingValues, wholeSeller } from "./settings-rows.ts";

type SentSettings = Static<typeof InvoicingSettingsWrite>;
type Refused = Record<string, string>;

const IS_COUNTRY = /^[a-z]{2}$/i;

/** The seller as stored: blanks as null, the e-mail address in lower case, the country in capitals. Adds errors to `refused`. */
function sellerValues(sent: SellerDetails, refused: Refused): SellerDetails {
  const values = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, blankToNull(value) ?? null]));
  const seller = wholeSeller(values as SellerDetails);
  if (seller.email !== null) {
    seller.email = seller.email.trim().toLowerCase();
    if (!isEmail(seller.email)) refused["email"] = "errors.invalid_email";
  }
  if (seller.iban !== null && !isIban(plainIban(seller.iban))) refused["iban"] = "errors.validation";
  if (seller.country !== null) {
    if (!IS_COUNTRY.test(seller.country)) refused["country"] = "errors.validation";
    seller.country = seller.country.toUpperCase();
  }
  return seller;
}

/** The stored reminder days: distinct and ascending (money §1). */
export const reminderDays = (sent: readonly number[]): number[] => [...new Set(sent)].toSorted((one, other) => one - other);

/**
 * The values that settings store (money §1); contains only sent fields.
 * @throws 422 naming every field that breaks a rule; `errors.invoicing.invalid_number_format` for a number format
 */
export function settingValues(sent: SentSettings): SettingValues {
  const {
    company_details,
    tax_country,
    default_hourly_rate: rate,
    default_payment_discount,
    reminder_days,
    invoice_next_seq,
    quote_next_seq,
    ...same
  } = sent;
  const refused: Refused = {};
  const values: SettingValues = {
    ...same,
    ...(company_details && { company_details: sellerValues(company_details, refused) }),
    ...(tax_country !== undefined && { tax_country: tax_country.toUpperCase() }),
    ...(rate !== undefined && { default_hourly_rate: rate === null ? null : formatAmount(rate) }),
    ...(default_payment_discount !== undefined && { default_payment_discount: sentDiscount(default_payment_discount) }),
    ...(reminder_days && { reminder_days: reminderDays(reminder_days) }),
    ...(invoice_next_seq !== undefined && { invoice_next_seq: String(invoice_next_seq) }),
    ...(quote_next_seq !== undefined && { quote_next_seq: String(quote_next_seq) }),
  };
  for (const field of ["invoice_number_format", "quote_number_format"] as const) {
    const format = values[field];
    if (format !== undefined && !checkFormat(format)) refused[field] = "errors.invoicing.invalid_number_format";
  }
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}
