import type { RowOf, UpdateOf } from "../../../core/database/model.ts";
import { withoutBlanks } from "../../../core/database/write.ts";
import { invalid } from "../../../core/errors/errors.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { blankToNull, readPhone, withoutHtml } from "../../../core/values/text.ts";
import { Contact } from "../models.ts";
import type { ContactCreate, ContactUpdate } from "./contact-schemas.ts";
import { othersOf } from "./other-addresses.ts";

/**
 * The values that a create or update stores (clients chapter §1, §4.1): blanks become null, names are trimmed, e-mails too and keep their
 * case, phones become E.164, notes lose raw HTML. Links and custom values have their own rules and are left out.
 * @param sent the validated body; the result contains only its keys
 * @param before the stored row of an update: an unchanged phone is not validated again
 * @param country the organisation's country, for national phone numbers
 * @throws 422 naming every field that breaks a rule
 */
export function contactValues(
  sent: Static<typeof ContactUpdate> & Pick<Static<typeof ContactCreate>, "company_ids">,
  before: Partial<RowOf<typeof Contact>> | null,
  country: string,
): UpdateOf<typeof Contact> {
  const { company_ids: _links, custom: _custom, other_emails, other_phones, ...own } = sent;
  const refused: Record<string, string> = {};
  const values: UpdateOf<typeof Contact> = withoutBlanks(Contact, own);
  if (values.first_name !== undefined) values.first_name = values.first_name.trim();
  if (values.first_name === "") refused["first_name"] = "errors.validation";
  if (values.last_name) values.last_name = values.last_name.trim();
  if (values.email) values.email = values.email.trim();
  if (values.phone && values.phone !== before?.phone) {
    const phone = readPhone(values.phone, country);
    if (phone === undefined) refused["phone"] = "errors.invalid_phone";
    values.phone = phone;
  }
  Object.assign(values, othersOf({ other_emails, other_phones }, values.email, before, country, refused));
  if (typeof values.notes === "string") values.notes = blankToNull(withoutHtml(values.notes));
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}
