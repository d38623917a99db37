import { type CustomDefinition, readCustomValues } from "../../../core/custom-fields/values.ts";
import type { RowOf, UpdateOf } from "../../../core/database/model.ts";
import { withoutBlanks } from "../../../core/database/write.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { storedAddresses } from "../../../core/mail/addresses.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { blankToNull, readPhone, withoutHtml } from "../../../core/values/text.ts";
import { Company } from "../models.ts";
import type { CompanyUpdate } from "./company-schemas.ts";

/**
 * The values that a create or update stores (clients chapter §1, §3.1): blanks become null, names and client numbers are trimmed, phones
 * become E.164, notes lose raw HTML.
 * @param sent the validated body; the result contains only its keys
 * @param before the stored row of an update: an unchanged phone is not validated again
 * @param defaultCountry the organisation's country, for national phone numbers if the row names none
 * @param definitions the active custom fields of companies; a create is checked against them even without values
 * @throws 422 naming every field that breaks a rule
 */
export function companyValues(
  sent: Static<typeof CompanyUpdate>,
  before: Partial<RowOf<typeof Company>> | null,
  defaultCountry: string,
  definitions: readonly CustomDefinition[] = [],
): UpdateOf<typeof Company> {
  const { assignees: _roster, responsible_user_id: _primary, custom: given, ...own } = sent;
  const custom = before === null || given !== undefined ? readCustomValues(given ?? {}, definitions) : null;
  const refused: Record<string, string> = { ...custom?.refused };
  const values: UpdateOf<typeof Company> = withoutBlanks(Company, own);
  if (custom && given !== undefined) values.custom = custom.values;
  // Trimmed, so that an import, whose cells are trimmed, finds the company and its number again.
  if (values.name !== undefined) values.name = values.name.trim();
  if (values.name === "") refused["name"] = "errors.validation";
  if (values.client_number) values.client_number = values.client_number.trim();

  const country = values.country === undefined ? before?.country : values.country;
  if (values.country && [...values.country].length !== 2) refused["country"] = "errors.validation";
  if (values.invoice_email) {
    values.invoice_email = storedAddresses(values.invoice_email);
    if (values.invoice_email === undefined) refused["invoice_email"] = "errors.invalid_email";
  }
  if (values.phone && values.phone !== before?.phone) {
    const phone = readPhone(values.phone, country && /^[a-z]{2}$/i.test(country) ? country : defaultCountry);
    if (phone === undefined) refused["phone"] = "errors.invalid_phone";
    values.phone = phone;
  }
  if (typeof values.notes === "string") values.notes = blankToNull(withoutHtml(values.notes));
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}
