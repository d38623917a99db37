import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  json,
  label,
  link,
  list,
  multiline,
  neverNull,
  nullable,
  optional,
  optionalAll,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";
import { LONGEST_ADDRESSES } from "../../../core/mail/addresses.ts";
import { AssigneeRead, AssigneeWrite } from "../../../core/values/roster-schemas.ts";

export const STATUSES = ["lead", "onboarding", "active", "offboarding", "archived"] as const;
const CompanyStatus = choice(STATUSES, { $id: "CompanyStatus" });

/** Fields that are typed by people, stored as they are, and may all be empty. */
const details = {
  legal_name: nullable(text(255)),
  client_number: nullable(text(40)),
  website: nullable(link(512)),
  phone: nullable(text(32)),
  vat_number: nullable(text(32)),
  coc_number: nullable(text(32)),
  address_line1: nullable(text(255)),
  house_number: nullable(text(32)),
  address_line2: nullable(text(255)),
  postal_code: nullable(text(16)),
  city: nullable(text(120)),
  notes: nullable(multiline()),
} satisfies TProperties;

const INVOICE_EMAIL =
  "One or several e-mail addresses, separated by comma or semicolon and stored with `, ` between them: a document without a contact's address is mailed to all of them. Null for none.";

/** Written as typed; what a blank or a wrong form means is decided by the rules of the company, not by the shape. */
const written = {
  ...details,
  invoice_email: nullable(text(LONGEST_ADDRESSES, { description: INVOICE_EMAIL })),
  country: nullable(text(2)),
  responsible_user_id: nullable(uuid()),
  assignees: nullable(list(AssigneeWrite)),
} satisfies TProperties;

export const CompanyCreate = input("CompanyCreate", {
  name: label(255),
  ...optionalAll(written),
  status: optional(choice(STATUSES, { $id: "CompanyStatus", default: "active" })),
  custom: optional(json({ default: {} })),
});

export const CompanyUpdate = input("CompanyUpdate", {
  name: optional(neverNull(nullable(label(255)))),
  ...optionalAll(written),
  status: optional(neverNull(nullable(choice(STATUSES)))),
  custom: optional(nullable(json())),
});

const CompanyBudgetHours = answer("CompanyBudgetHours", {
  budget_hours: nullable(Type.Number()),
  spent_hours: Type.Number({ default: 0 }),
  billable_hours: Type.Number({ default: 0 }),
  unapproved_hours: Type.Number({ default: 0 }),
  remaining_hours: nullable(Type.Number()),
  unbudgeted_hours: Type.Number({ default: 0 }),
  project_count: Type.Integer({ default: 0 }),
  period: nullable(Type.String()),
});

export const CompanyRead = answer("CompanyRead", {
  id: uuid(),
  org_id: uuid(),
  name: label(255),
  ...details,
  invoice_email: nullable(text(LONGEST_ADDRESSES, { description: INVOICE_EMAIL })),
  country: nullable(Type.String({ minLength: 2, maxLength: 2 })),
  status: CompanyStatus,
  responsible_user_id: nullable(uuid()),
  assignees: list(AssigneeRead),
  logo_file_id: nullable(uuid()),
  custom: json(),
  hours: nullable(CompanyBudgetHours),
  created_at: instant(),
  updated_at: instant(),
});

export const PanelData = answer("PanelData", {
  key: Type.String(),
  title_key: Type.String(),
  position: Type.Integer(),
  data: json(),
  prominence: Type.String({ default: "register" }),
  size: Type.String({ default: "full" }),
  empty: flag(false),
});

export const SummaryData = answer("SummaryData", {
  key: Type.String(),
  label_key: Type.String(),
  value: Type.String(),
  format: Type.String({ default: "number" }),
  currency: nullable(Type.String()),
  tone: Type.String({ default: "neutral" }),
  hint_key: nullable(Type.String()),
  hint_params: json(),
  href: nullable(Type.String()),
  position: Type.Integer({ default: 100 }),
});

export const GroupRead = answer("GroupRead", {
  id: uuid(),
  name: Type.String(),
  position: Type.Integer(),
  company_ids: list(uuid()),
  membership_ids: list(uuid()),
});
export const GroupCreate = input("GroupCreate", { name: label(255) });
export const GroupUpdate = input("GroupUpdate", {
  name: optional(neverNull(nullable(label(255)))),
  position: optional(neverNull(nullable(integer()))),
});
export const GroupCompanies = input("GroupCompanies", { company_ids: list(uuid()) });
export const GroupMemberships = input("GroupMemberships", { membership_ids: list(uuid()) });

export const CompanyNumberingRead = answer("CompanyNumberingRead", {
  client_number_format: Type.String(),
  client_number_next_seq: Type.Integer(),
  client_number_reset_yearly: flag(),
  client_number_auto: flag(),
  client_number_seq_year: nullable(Type.Integer()),
});
export const CompanyNumberingWrite = input("CompanyNumberingWrite", {
  client_number_format: optional(nullable(text(60))),
  client_number_next_seq: optional(nullable(integer(1))),
  client_number_reset_yearly: optional(nullable(flag())),
  client_number_auto: optional(nullable(flag())),
});
export const ClientNumberBackfillResult = answer("ClientNumberBackfillResult", { numbered: Type.Integer() });
