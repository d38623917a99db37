import { described } from "../../../core/schema/fields.ts";
import {
  answer,
  date,
  flag,
  input,
  instant,
  integer,
  json,
  list,
  multiline,
  names,
  neverNull,
  nonEmpty,
  nullable,
  optional,
  optionalAll,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

const CONTACT = {
  first_name: "First name, or the whole name of a person or mailbox without a last name",
  last_name: "Last name; null without one",
  job_title: "Function of the person; null without one",
  email: "E-mail address, unique among the contacts of the organisation, case ignored. A blank text is stored as null",
  phone: "Phone number, stored in E.164; null without one. A national number is read in the organisation's country",
  other_emails:
    "Further e-mail addresses, in their order, at most 20. Mail from one of them finds the contact where it is nobody's first address. One that becomes `email` leaves this list",
  other_phones: "Further phone numbers, in their order, at most 20",
  birthday: "Day of birth; null if unknown",
  notes: "Notes in markdown; null without any. The service removes HTML when it stores them",
  company_ids:
    "Clients to link the new contact to, which requires `contacts.link.write`. The contact becomes the primary one of each client without one",
  companies: "Clients linked to the contact, primary links first, then by name; only those the caller can see",
};

const LINK = {
  name: "Name of the client",
  is_primary:
    "Whether the contact is the primary one of this client, which has at most one. Setting it replaces the other; on a PATCH, absent means false",
  contact_type_id: "Kind of relation between the contact and this client; null if none",
};

const TYPE = {
  active: "Whether it is offered for new records. Records that have it keep it when it becomes inactive",
  key: "Key of the type, unique in the organisation; it never changes",
};

const LABEL = "What it is, such as `home` or `mobile`; null without a label";
/** Most further addresses, and numbers, of a contact. */
export const MOST_OTHERS = 20;
const blankLabel = () => optional(nullable(text(50, { default: null })));
const OtherEmail = Type.Object(
  described(
    { label: blankLabel(), email: nonEmpty(320) },
    { label: LABEL, email: "E-mail address; other contacts can have it too" },
  ),
  {
    $id: "ContactOtherEmail",
    "x-usage": "both",
    additionalProperties: false,
    example: { label: "home", email: "anna@example.org" },
  },
);
const OtherPhone = Type.Object(
  described({ label: blankLabel(), phone: nonEmpty(64) }, { label: LABEL, phone: "Phone number, stored in E.164" }),
  {
    $id: "ContactOtherPhone",
    "x-usage": "both",
    additionalProperties: false,
    example: { label: "mobile", phone: "+31612345678" },
  },
);
const others = {
  other_emails: Type.Array(OtherEmail, { maxItems: MOST_OTHERS }),
  other_phones: Type.Array(OtherPhone, { maxItems: MOST_OTHERS }),
  birthday: nullable(date()),
};
const optionalOthers = {
  other_emails: optional(others.other_emails),
  other_phones: optional(others.other_phones),
  birthday: optional(others.birthday),
};

/** Free text fields; all can be empty. */
const details = {
  last_name: nullable(text(255)),
  job_title: nullable(text(255)),
  email: nullable(text(320)),
  phone: nullable(text(64)),
  notes: nullable(multiline()),
} satisfies TProperties;
const optionalDetails = optionalAll(details);

export const ContactCreate = input(
  "ContactCreate",
  {
    first_name: nonEmpty(255),
    ...optionalDetails,
    ...optionalOthers,
    custom: optional(json({ default: {} })),
    company_ids: optional(Type.Array(uuid(), { default: [] })),
  },
  CONTACT,
);

export const ContactUpdate = input(
  "ContactUpdate",
  {
    first_name: optional(neverNull(nullable(nonEmpty(255)))),
    ...optionalDetails,
    ...optionalOthers,
    custom: optional(nullable(json())),
  },
  CONTACT,
);

const ContactCompanyLink = answer(
  "ContactCompanyLink",
  {
    company_id: uuid(),
    name: Type.String(),
    is_primary: flag(),
    contact_type_id: nullable(uuid()),
  },
  LINK,
);

export const ContactRead = answer(
  "ContactRead",
  {
    id: uuid(),
    org_id: uuid(),
    first_name: nonEmpty(255),
    ...details,
    ...others,
    custom: json(),
    companies: list(ContactCompanyLink),
    created_at: instant(),
    updated_at: instant(),
  },
  CONTACT,
);

/** A contact in a company's panel. */
export const ContactOfCompany = answer(
  "ContactOfCompany",
  { ...ContactRead.properties, is_primary: flag() },
  { is_primary: "Whether the contact is the primary one of this client" },
);

export const ContactLinkCreate = input(
  "ContactLinkCreate",
  {
    company_id: uuid(),
    is_primary: optional(flag(false)),
    contact_type_id: optional(nullable(uuid())),
  },
  LINK,
);
export const ContactLinkUpdate = input(
  "ContactLinkUpdate",
  {
    is_primary: optional(flag(false)),
    contact_type_id: optional(nullable(uuid())),
  },
  LINK,
);

const typeKey = () => Type.String({ minLength: 1, maxLength: 50, pattern: "^[a-z0-9_]+$" });

export const ContactTypeRead = answer(
  "ContactTypeRead",
  {
    id: uuid(),
    org_id: uuid(),
    key: typeKey(),
    label_i18n: names(),
    position: integer(),
    active: flag(),
    created_at: instant(),
    updated_at: instant(),
  },
  TYPE,
);
export const ContactTypeCreate = input(
  "ContactTypeCreate",
  {
    key: typeKey(),
    label_i18n: optional(names({ default: {} })),
    position: optional(integer(undefined, undefined, { default: 0 })),
    active: optional(flag(true)),
  },
  TYPE,
);
export const ContactTypeUpdate = input(
  "ContactTypeUpdate",
  {
    label_i18n: optional(nullable(names())),
    position: optional(neverNull(nullable(integer()))),
    active: optional(neverNull(nullable(flag()))),
  },
  TYPE,
);

export const ActivityItem = answer(
  "ActivityItem",
  {
    id: uuid(),
    entity_type: Type.String(),
    entity_id: uuid(),
    action: Type.String(),
    actor_name: nullable(Type.String()),
    actor_deleted: flag(false),
    impersonator_name: nullable(Type.String()),
    payload: json(),
    created_at: instant(),
  },
  {
    entity_type: "Kind of the record that the line is about, such as `company`",
    entity_id: "The record that the line is about; it may have been deleted since",
    action: "What happened, such as `created`, `updated` or `status_changed`",
    actor_name: "Full name of who acted, else their e-mail address; null for the system",
    actor_deleted: "Whether the account of who acted was deleted since; `actor_name` is then its name at that time",
    impersonator_name: "Full name of the member who acted in another person's login; null otherwise",
    payload: "Facts of the action; for `updated`, `changes` has `from` and `to` by field",
    created_at: "When it happened, UTC",
  },
);
