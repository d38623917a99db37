import { tenantModel, types } from "../../core/database/model.ts";
import { explainConstraints } from "../../core/database/write.ts";
import { conflict, invalid } from "../../core/declare/errors.ts";

const text = types.TEXT;

export const Company = tenantModel("companies", {
  name: text,
  legal_name: text,
  client_number: text,
  website: text,
  phone: text,
  invoice_email: text,
  vat_number: text,
  coc_number: text,
  address_line1: text,
  house_number: text,
  address_line2: text,
  postal_code: text,
  city: text,
  country: text,
  notes: text,
  status: text,
  logo_file_id: types.UUID,
  custom: types.JSONB,
});

export const CompanyGroup = tenantModel("company_groups", { name: text, position: types.INTEGER });

export const CompanySettings = tenantModel("company_settings", {
  client_number_format: text,
  client_number_next_seq: types.INTEGER,
  client_number_reset_yearly: types.BOOLEAN,
  client_number_seq_year: types.INTEGER,
  client_number_auto: types.BOOLEAN,
});

export const Contact = tenantModel("contacts", {
  first_name: text,
  last_name: text,
  job_title: text,
  email: text,
  phone: text,
  notes: text,
  custom: types.JSONB,
  account_id: types.UUID,
});

export const ContactType = tenantModel("contact_types", {
  key: text,
  label_i18n: types.JSONB,
  position: types.INTEGER,
  active: types.BOOLEAN,
});

explainConstraints({
  companies_client_number_key: () => conflict("errors.companies.client_number_taken", "client_number"),
  company_groups_name_key: () => invalid({ name: "errors.duplicate" }),
  contact_types_key_key: () => conflict("errors.conflict", "key"),
  contact_links_type_fkey: () => invalid({ contact_type_id: "errors.validation" }),
});
