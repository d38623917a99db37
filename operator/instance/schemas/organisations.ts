import {
  answer,
  choice,
  field,
  flag,
  input,
  instant,
  integer,
  label,
  list,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { PLANS } from "../../licences.ts";

const SUSPENSION = {
  suspended_at: nullable(instant()),
  suspended_reason: nullable(Type.String()),
  purge_at: nullable(instant()),
  purge_reason: nullable(Type.String()),
};
const SUSPENSION_TEXTS = {
  suspended_at: "When the operator suspended it; null if that is not so",
  suspended_reason: "Why the operator suspended it, as the operator wrote it; null without one",
  purge_at: "When everything of it is deleted for good; null unless its deletion was requested",
  purge_reason: "Why it is to be deleted, as the operator wrote it; null without one",
};

export const OrganisationRead = answer(
  "InstanceOrganisation",
  {
    id: uuid(),
    slug: Type.String(),
    name: Type.String(),
    state: choice(["active", "suspended", "deleting"]),
    ...SUSPENSION,
    hostname: Type.String(),
    domains: list(Type.String()),
    plan: choice([...PLANS]),
    plan_ends_at: nullable(instant()),
    enabled_modules: list(Type.String()),
    instance_mail: flag(),
    members: integer(),
    created_at: instant(),
  },
  {
    id: "Id of the organisation",
    slug: "First label of its address below the base domain",
    name: "Its name",
    state: "`active`; `suspended` by the operator; `deleting` while it waits for its purge, in which it is suspended, too",
    ...SUSPENSION_TEXTS,
    hostname: "Its address below the base domain",
    domains: "Its verified domains, in order of the alphabet",
    plan: "Plan of a hosted organisation; it has no effect on a self-hosted installation",
    plan_ends_at: "When the plan ends; null if it does not",
    enabled_modules: "Modules that are switched on",
    instance_mail: "Whether it may use the mail transport of the installation",
    members: "Number of active members",
    created_at: "When it was created",
  },
);

export const OrganisationPage = answer(
  "InstanceOrganisationPage",
  {
    items: list(OrganisationRead),
    total: integer(),
    limit: integer(),
    next_cursor: nullable(Type.String()),
  },
  {
    items: "The organisations of this page, by slug",
    total: "Number of organisations on all pages",
    limit: "Largest number on a page, as requested",
    next_cursor: "Value of `cursor` for the next page; null on the last",
  },
);

export const OrganisationQuery = {
  q: optional(field(text(200), "Only organisations with this text in slug, name or a verified domain, in any case")),
  state: optional(field(choice(["active", "suspended", "deleting"]), "Only organisations in this state")),
  limit: optional(field(integer(1, 200, { default: 50 }), "Largest number of organisations on a page")),
  cursor: optional(field(text(100), "`next_cursor` of the page before; all other parameters must be the same")),
};

export const OrganisationCreate = input(
  "InstanceOrganisationCreate",
  { slug: text(63, { example: "agency" }), name: optional(label(200)) },
  {
    slug: "First label of its address: 1 to 63 of a-z, 0-9 and -, no dash at either end, and none of the reserved names",
    name: "Its name; the slug if absent",
  },
);

export const Reason = input(
  "InstanceReason",
  { reason: optional(nullable(label(500))) },
  { reason: "Why, for other administrators; members do not see it" },
);

export const DeletionRequest = input(
  "InstanceDeletionRequest",
  {
    reason: optional(nullable(label(500))),
    days: optional(integer(1, 365, { default: 30 })),
  },
  { reason: "Why, for other administrators; members do not see it", days: "Days until the purge" },
);

export const PurgeConfirmation = input(
  "InstancePurgeConfirmation",
  { slug: text(63, { example: "agency" }) },
  { slug: "The slug of the organisation once more: what is purged cannot be restored" },
);

export const Purged = answer(
  "InstancePurged",
  { rows: integer(), accounts: integer(), files: integer() },
  {
    rows: "Number of rows that were deleted in all tables",
    accounts: "Number of accounts that were deleted, because they belonged to this organisation alone",
    files: "Number of stored files whose bytes were removed",
  },
);
