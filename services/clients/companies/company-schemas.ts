import { LONGEST_ADDRESSES } from "../../../core/mail/addresses.ts";
import { namedValues } from "../../../core/naming/named-values.ts";
import { AssigneeRead, AssigneeWrite } from "../../../core/rules/roster-schemas.ts";
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
  nonEmpty,
  nullable,
  optional,
  optionalAll,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

const COMPANY = {
  name: "Name shown everywhere, on one line. Several clients can have the same name",
  legal_name: "Name that documents are addressed to; null if it is `name`. A blank text is stored as null",
  client_number:
    "Number of the client, unique in the organisation; null without one. If a new client has none and automatic numbering is on, the service allocates one",
  website: "Address of the website; a bare host such as `www.example.com` is accepted. Null without one",
  phone:
    "Phone number, stored in E.164; null without one. A national number is read in `country`, else in the organisation's country",
  vat_number: "VAT identification number, as typed; null without one",
  coc_number: "Number in the trade register, as typed; null without one",
  address_line1: "Street, without the house number; null without one",
  house_number: "House number with its addition; null without one",
  address_line2: "Second line of the address, such as a floor or a suite; null without one",
  postal_code: "Postal code, as typed; null without one",
  city: "Town or city; null without one",
  notes: "Notes in markdown; null without any. The service removes HTML when it stores them",
  country: "Country, ISO 3166-1 alpha-2, such as `NL`; null without one",
  responsible_user_id:
    "The starred person of the roster; null without one. Sent alone on a change it moves the star and keeps the other assignees; `assignees` overrides it",
  assignees:
    "Roster of the client, the starred person first. A sent roster replaces the stored one, and `[]` empties it; at most one person has the star",
  status: "Stage of the client. Any stage may follow any other; a new client is `active` unless sent",
  logo_file_id: "File of the logo; null without one",
  hours:
    "Hour budgets of the client's active projects, filled by `hours=true` for callers with `time.entry.read`; null otherwise",
};

const GROUP = {
  name: "Name of the group, unique in the organisation",
  position: "Position in the list of groups: lower numbers come first",
  company_ids: "Clients in the group",
  membership_ids: "Members who see the clients of the group. A member of any group sees only the clients of those groups",
};

const NUMBERING = {
  client_number_format:
    "Pattern of new numbers: plain text with one `{seq}` or, padded with zeros, `{seq:4}`, and optionally `{year}` or `{yy}`. A rendered number has at most 40 characters",
  client_number_next_seq: "Sequence number that the next allocation starts with; numbers in use are skipped",
  client_number_reset_yearly: "Whether the sequence starts at 1 in each year of the organisation's time zone",
  client_number_auto: "Whether a client that is created without a number gets one",
  client_number_seq_year: "Year of the last allocation; null before the first one",
};

export const STATUSES = namedValues("CompanyStatus", ["lead", "onboarding", "active", "offboarding", "archived"]);
const CompanyStatus = choice(STATUSES);

/** Free text fields, stored as sent; all can be empty. */
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
  "One or several e-mail addresses, separated by comma or semicolon and stored with `, ` between them: a document without a contact's address is mailed to all of them. Null if none.";

/** Stored as typed; the company's rules, not the schema, handle blanks and invalid formats. */
const written = {
  ...details,
  invoice_email: nullable(text(LONGEST_ADDRESSES, { description: INVOICE_EMAIL })),
  country: nullable(text(2)),
  responsible_user_id: nullable(uuid()),
  assignees: nullable(list(AssigneeWrite)),
} satisfies TProperties;

export const CompanyCreate = input(
  "CompanyCreate",
  {
    name: nonEmpty(255),
    ...optionalAll(written),
    status: optional(choice(STATUSES, { default: "active" })),
    custom: optional(json({ default: {} })),
  },
  COMPANY,
);

export const CompanyUpdate = input(
  "CompanyUpdate",
  {
    name: optional(neverNull(nullable(nonEmpty(255)))),
    ...optionalAll(written),
    status: optional(neverNull(nullable(choice(STATUSES)))),
    custom: optional(nullable(json())),
  },
  COMPANY,
);

const CompanyBudgetHours = answer(
  "CompanyBudgetHours",
  {
    budget_hours: nullable(Type.Number()),
    spent_hours: Type.Number({ default: 0 }),
    billable_hours: Type.Number({ default: 0 }),
    unapproved_hours: Type.Number({ default: 0 }),
    remaining_hours: nullable(Type.Number()),
    unbudgeted_hours: Type.Number({ default: 0 }),
    project_count: Type.Integer({ default: 0 }),
    period: nullable(Type.String()),
  },
  {
    budget_hours:
      "Sum of the hour budgets of the counted projects: active ones with their own budget. Null without such a project",
    spent_hours:
      "Hours booked on those projects, billable or not, each from the start of its current budget period. Running timers do not count",
    billable_hours: "The part of `spent_hours` that is billable",
    unapproved_hours: "The part of `spent_hours` that is not approved",
    remaining_hours: "`budget_hours` less `spent_hours`; negative when the budget is exceeded, null without a counted project",
    unbudgeted_hours: "All hours ever booked on the client less those on the counted projects, at least 0",
    project_count: "Number of counted projects",
    period:
      "Budget period of the counted projects: `total`, `monthly`, `weekly` or `daily`; null if they differ or there are none",
  },
);

export const CompanyRead = answer(
  "CompanyRead",
  {
    id: uuid(),
    org_id: uuid(),
    name: nonEmpty(255),
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
  },
  COMPANY,
);

export const PanelData = answer(
  "PanelData",
  {
    key: Type.String(),
    title_key: Type.String(),
    position: Type.Integer(),
    data: json(),
    prominence: Type.String({ default: "register" }),
    size: Type.String({ default: "full" }),
    empty: flag(false),
  },
  {
    key: "The panel, such as `contacts.company`",
    title_key: "Translation key of the title",
    position: "Position on the page: lower numbers come first, equal ones by key",
    data: "Content of the panel; its shape depends on `key`",
    prominence: "`primary`: a surface to work on; `register`: a reference list",
    size: "Width of the panel: `full` or `half`",
    empty: "Whether the panel is empty",
  },
);

export const SummaryData = answer(
  "SummaryData",
  {
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
  },
  {
    key: "The tile, such as `tasks.open`",
    label_key: "Translation key of the label",
    value: "Figure of the tile as raw text; `format` determines how to show it",
    format: "How to show the value: `money`, `number`, `hours`, `date` or `text`",
    currency: "Currency of a `money` value, ISO 4217; null for other formats",
    tone: "`neutral`, `good`, `warn` or `bad`",
    hint_key: "Translation key of a hint below the value; null without a hint",
    hint_params: "Values that the hint names, such as `count` or `days`",
    href: "Path of the page that shows more; null without one",
    position: "Position among the tiles: lower numbers come first, equal ones by key",
  },
);

export const GroupRead = answer(
  "GroupRead",
  {
    id: uuid(),
    name: Type.String(),
    position: Type.Integer(),
    company_ids: list(uuid()),
    membership_ids: list(uuid()),
  },
  GROUP,
);
export const GroupCreate = input("GroupCreate", { name: label(255) }, GROUP);
export const GroupUpdate = input(
  "GroupUpdate",
  {
    name: optional(neverNull(nullable(label(255)))),
    position: optional(neverNull(nullable(integer()))),
  },
  GROUP,
);
export const GroupCompanies = input(
  "GroupCompanies",
  { company_ids: list(uuid()) },
  { company_ids: "The clients of the group from now on. Replaces the set; ids that the organisation does not have are ignored" },
);
export const GroupMemberships = input(
  "GroupMemberships",
  { membership_ids: list(uuid()) },
  {
    membership_ids: "The members of the group from now on. Replaces the set; ids that the organisation does not have are ignored",
  },
);

export const CompanyNumberingRead = answer(
  "CompanyNumberingRead",
  {
    client_number_format: Type.String(),
    client_number_next_seq: Type.Integer(),
    client_number_reset_yearly: flag(),
    client_number_auto: flag(),
    client_number_seq_year: nullable(Type.Integer()),
  },
  NUMBERING,
);
export const CompanyNumberingWrite = input(
  "CompanyNumberingWrite",
  {
    client_number_format: optional(nullable(text(60))),
    client_number_next_seq: optional(nullable(integer(1))),
    client_number_reset_yearly: optional(nullable(flag())),
    client_number_auto: optional(nullable(flag())),
  },
  NUMBERING,
);
export const ClientNumberBackfillResult = answer(
  "ClientNumberBackfillResult",
  { numbered: Type.Integer() },
  { numbered: "Number of clients that got a number" },
);
