import {
  answer,
  flag,
  input,
  instant,
  integer,
  json,
  label,
  list,
  multiline,
  names,
  neverNull,
  nullable,
  optional,
  optionalAll,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";

/** Fields that are typed by people and may all be empty. */
const details = {
  last_name: nullable(text(255)),
  job_title: nullable(text(255)),
  email: nullable(text(320)),
  phone: nullable(text(64)),
  notes: nullable(multiline()),
} satisfies TProperties;
const optionalDetails = optionalAll(details);

export const ContactCreate = input("ContactCreate", {
  first_name: label(255),
  ...optionalDetails,
  custom: optional(json({ default: {} })),
  company_ids: optional(Type.Array(uuid(), { default: [] })),
});

export const ContactUpdate = input("ContactUpdate", {
  first_name: optional(neverNull(nullable(label(255)))),
  ...optionalDetails,
  custom: optional(nullable(json())),
});

const ContactCompanyLink = answer("ContactCompanyLink", {
  company_id: uuid(),
  name: Type.String(),
  is_primary: flag(),
  contact_type_id: nullable(uuid()),
});

export const ContactRead = answer("ContactRead", {
  id: uuid(),
  org_id: uuid(),
  first_name: label(255),
  ...details,
  custom: json(),
  companies: list(ContactCompanyLink),
  created_at: instant(),
  updated_at: instant(),
});

/** A contact in the panel of a company. */
export const ContactOfCompany = answer("ContactOfCompany", { ...ContactRead.properties, is_primary: flag() });

export const ContactLinkCreate = input("ContactLinkCreate", {
  company_id: uuid(),
  is_primary: optional(flag(false)),
  contact_type_id: optional(nullable(uuid())),
});
export const ContactLinkUpdate = input("ContactLinkUpdate", {
  is_primary: optional(flag(false)),
  contact_type_id: optional(nullable(uuid())),
});

const typeKey = () => Type.String({ minLength: 1, maxLength: 50, pattern: "^[a-z0-9_]+$" });

export const ContactTypeRead = answer("ContactTypeRead", {
  id: uuid(),
  org_id: uuid(),
  key: typeKey(),
  label_i18n: names(),
  position: integer(),
  active: flag(),
  created_at: instant(),
  updated_at: instant(),
});
export const ContactTypeCreate = input("ContactTypeCreate", {
  key: typeKey(),
  label_i18n: optional(names({ default: {} })),
  position: optional(integer(undefined, undefined, { default: 0 })),
  active: optional(flag(true)),
});
export const ContactTypeUpdate = input("ContactTypeUpdate", {
  label_i18n: optional(nullable(names())),
  position: optional(neverNull(nullable(integer()))),
  active: optional(neverNull(nullable(flag()))),
});

export const ActivityItem = answer("ActivityItem", {
  id: uuid(),
  entity_type: Type.String(),
  entity_id: uuid(),
  action: Type.String(),
  actor_name: nullable(Type.String()),
  actor_deleted: flag(false),
  impersonator_name: nullable(Type.String()),
  payload: json(),
  created_at: instant(),
});
