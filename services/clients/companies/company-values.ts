import { type CustomDefinition, type CustomValues, readCustomValues } from "../../../core/custom-fields/values.ts";
import type { Values } from "../../../core/database/write.ts";
import { invalid } from "../../../core/declare/errors.ts";
import { isEmail } from "../../../core/declare/schema.ts";
import { blankToNull, readPhone, withoutHtml } from "../../../core/values/text.ts";

/** Fields whose change the trail records (clients chapter §5). */
export const TRACKED = [
  "name",
  "legal_name",
  "client_number",
  "website",
  "phone",
  "invoice_email",
  "status",
  "responsible_user_id",
  "vat_number",
  "coc_number",
  "address_line1",
  "house_number",
  "address_line2",
  "postal_code",
  "city",
  "country",
] as const;

const BLANK_TO_NULL = [
  "legal_name",
  "client_number",
  "website",
  "phone",
  "invoice_email",
  "vat_number",
  "coc_number",
  "address_line1",
  "house_number",
  "address_line2",
  "postal_code",
  "city",
  "country",
] as const;

/**
 * What a create or update stores (clients chapter §1, §3.1): blanks become null, phones E.164, notes lose raw HTML.
 * @param sent the validated body; only its keys appear in the result
 * @param before the stored row of an update: a phone that did not change is not validated again
 * @param defaultCountry the organisation's country, where a national phone number belongs if the row names none
 * @param definitions the active custom fields of companies; a create is checked against them even when it sends no values
 * @throws 422 naming every field that breaks a rule
 */
export function companyValues(
  sent: Values,
  before: Values | null,
  defaultCountry: string,
  definitions: readonly CustomDefinition[] = [],
): Values {
  const { assignees: _roster, responsible_user_id: _primary, ...values } = sent;
  const custom =
    before === null || "custom" in values
      ? readCustomValues((values["custom"] as CustomValues | null | undefined) ?? {}, definitions)
      : null;
  if ("custom" in values) values["custom"] = custom?.values;
  const refused: Record<string, string> = { ...custom?.refused };
  if (typeof values["name"] === "string" && values["name"].trim() === "") refused["name"] = "errors.validation";
  for (const field of BLANK_TO_NULL) if (field in values) values[field] = blankToNull(values[field] as string | null);

  const country = "country" in values ? values["country"] : before?.["country"];
  if (typeof values["country"] === "string" && [...values["country"]].length !== 2) refused["country"] = "errors.validation";
  if (typeof values["invoice_email"] === "string") {
    values["invoice_email"] = values["invoice_email"].trim().toLowerCase();
    if (!isEmail(values["invoice_email"] as string)) refused["invoice_email"] = "errors.invalid_email";
  }
  if (typeof values["phone"] === "string" && values["phone"] !== before?.["phone"]) {
    const phone = readPhone(
      values["phone"],
      typeof country === "string" && /^[a-z]{2}$/i.test(country) ? country : defaultCountry,
    );
    if (phone === undefined) refused["phone"] = "errors.invalid_phone";
    values["phone"] = phone;
  }
  if (typeof values["notes"] === "string") values["notes"] = blankToNull(withoutHtml(values["notes"]));
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}
