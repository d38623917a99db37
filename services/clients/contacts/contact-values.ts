import type { Values } from "../../../core/database/write.ts";
import { invalid } from "../../../core/declare/errors.ts";
import { blankToNull, readPhone, withoutHtml } from "../../../core/values/text.ts";

/** Fields whose change the trail records (clients chapter §4.1). */
export const TRACKED = ["first_name", "last_name", "email", "phone", "job_title"] as const;

const BLANK_TO_NULL = ["last_name", "job_title", "email", "phone"] as const;

/**
 * What a create or update stores (clients chapter §1, §4.1): blanks become null, the e-mail loses the spaces around it and keeps its
 * case, phones become E.164, notes lose raw HTML. Links and custom values have rules of their own and are left out.
 * @param sent the validated body; only its keys appear in the result
 * @param before the stored row of an update: a phone that did not change is not validated again
 * @param country the organisation's country, where a national phone number belongs
 * @throws 422 naming every field that breaks a rule
 */
export function contactValues(sent: Values, before: Values | null, country: string): Values {
  const { company_ids: _links, custom: _custom, ...values } = sent;
  const refused: Record<string, string> = {};
  if (typeof values["first_name"] === "string" && values["first_name"].trim() === "") refused["first_name"] = "errors.validation";
  for (const field of BLANK_TO_NULL) if (field in values) values[field] = blankToNull(values[field] as string | null);
  if (typeof values["email"] === "string") values["email"] = values["email"].trim();
  if (typeof values["phone"] === "string" && values["phone"] !== before?.["phone"]) {
    const phone = readPhone(values["phone"], country);
    if (phone === undefined) refused["phone"] = "errors.invalid_phone";
    values["phone"] = phone;
  }
  if (typeof values["notes"] === "string") values["notes"] = blankToNull(withoutHtml(values["notes"]));
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}
