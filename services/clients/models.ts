import type { CustomValues } from "../../core/custom-fields/values.ts";
import { column, tenantModel } from "../../core/database/model.ts";
import type { EventPayload } from "../../core/declare/events.ts";
import { conflict, invalid } from "../../core/errors/errors.ts";

const { boolean, date, integer, json, text, uuid } = column;

export type CompanyStatus = EventPayload<"company.created">["status"];

/** A free text field: tracked by the trail, and null when blank. */
const detail = text().orNull().tracked().blankIsNull();

export const Company = tenantModel("companies", {
  name: text().tracked(),
  legal_name: detail,
  client_number: detail,
  website: detail,
  phone: detail,
  invoice_email: detail,
  vat_number: detail,
  coc_number: detail,
  address_line1: detail,
  house_number: detail,
  address_line2: detail,
  postal_code: detail,
  city: detail,
  country: detail,
  notes: text().orNull(),
  status: text<CompanyStatus>().withDefault().tracked(),
  logo_file_id: uuid().orNull(),
  custom: json<CustomValues>().withDefault(),
  search_text: text().byDatabase(),
}).whenViolated({
  companies_client_number_key: () => conflict("errors.companies.client_number_taken", "client_number"),
});

export const CompanyGroup = tenantModel("company_groups", {
  name: text().tracked(),
  position: integer().withDefault(),
}).whenViolated({
  company_groups_name_key: () => invalid({ name: "errors.duplicate" }),
});

export const CompanySettings = tenantModel("company_settings", {
  client_number_format: text().withDefault(),
  client_number_next_seq: integer().withDefault(),
  client_number_reset_yearly: boolean().withDefault(),
  client_number_seq_year: integer().orNull(),
  client_number_auto: boolean().withDefault(),
});

/** A further e-mail address of a contact. */
export interface OtherEmail {
  label: string | null;
  email: string;
}
/** A further telephone number of a contact. */
export interface OtherPhone {
  label: string | null;
  phone: string;
}

export const Contact = tenantModel("contacts", {
  first_name: text().tracked(),
  last_name: detail,
  job_title: detail,
  email: detail,
  phone: detail,
  other_emails: json<readonly OtherEmail[]>().withDefault(),
  other_phones: json<readonly OtherPhone[]>().withDefault(),
  birthday: date().orNull().tracked(),
  notes: text().orNull(),
  custom: json<CustomValues>().withDefault(),
  account_id: uuid().orNull(),
  linked: boolean().byDatabase(),
  email_key: text().orNull().byDatabase(),
  search_text: text().byDatabase(),
}).whenViolated({
  contacts_account_key: () => conflict("errors.portal_email_in_use"),
  contact_links_type_fkey: () => invalid({ contact_type_id: "errors.validation" }),
});

export const ContactType = tenantModel("contact_types", {
  key: text(),
  label_i18n: json<Record<string, string>>().withDefault(),
  position: integer().withDefault(),
  active: boolean().withDefault(),
}).whenViolated({
  contact_types_key_key: () => conflict("errors.conflict", "key"),
});
