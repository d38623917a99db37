import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  line,
  list,
  map,
  multiline,
  names,
  neverNull,
  nullable,
  nullClears,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";
import { MAIL_TYPE } from "../../../core/files/file-types.ts";
import { lateUpload } from "../../../core/files/upload.ts";

const KEY = "^[a-z0-9_]+$";
const key = () => Type.String({ pattern: KEY, minLength: 1, maxLength: 50 });
const direction = () => choice(["inbound", "outbound", "none"]);
const ids = () => Type.Array(uuid(), { minItems: 1, maxItems: 200 });

export const InteractionKindRead = answer("InteractionKindRead", {
  id: uuid(),
  org_id: uuid(),
  key: key(),
  label_i18n: map(Type.String()),
  position: integer(),
  active: flag(),
  is_protected: flag(),
  created_at: instant(),
  updated_at: instant(),
});
export const InteractionKindCreate = input("InteractionKindCreate", {
  key: key(),
  label_i18n: optional(names({ default: {} })),
  position: optional(integer(undefined, undefined, { default: 0 })),
  active: optional(flag(true)),
});
export const InteractionKindUpdate = input("InteractionKindUpdate", {
  label_i18n: optional(nullable(names())),
  position: optional(neverNull(nullable(integer()))),
  active: optional(neverNull(nullable(flag()))),
});

const InteractionContact = answer("InteractionContact", { contact_id: uuid(), name: nullable(Type.String()) });
const InteractionParticipant = answer("InteractionParticipant", {
  email: nullable(Type.String()),
  name: nullable(Type.String()),
  role: choice(["from", "to", "cc"]),
  contact_id: nullable(uuid()),
  user_id: nullable(uuid()),
});

const shared = {
  id: uuid(),
  org_id: uuid(),
  kind: key(),
  status: choice(["pending", "logged"]),
  source: choice(["manual", "mail", "upload"]),
  direction: direction(),
  occurred_at: instant(),
  subject: nullable(line()),
  snippet: nullable(Type.String()),
  body_text: nullable(Type.String()),
  body_markdown: nullable(Type.String()),
  company_id: nullable(uuid()),
  company_name: nullable(Type.String()),
  project_id: nullable(uuid()),
  project_name: nullable(Type.String()),
  task_id: nullable(uuid()),
  task_title: nullable(Type.String()),
  contact_id: nullable(uuid()),
  contacts: list(InteractionContact),
  closes_task: flag(),
  owner_user_id: nullable(uuid()),
  owner_name: nullable(Type.String()),
  participants: list(InteractionParticipant),
  mail_thread_id: nullable(Type.String()),
  conversation_id: uuid(),
  conversation_count: integer(0),
  deep_link: nullable(Type.String()),
  created_at: instant(),
  updated_at: instant(),
};
export const InteractionRead = answer("InteractionRead", shared);
/** What an uploaded message became. */
export const InteractionUploaded = answer("InteractionUploaded", {
  ...shared,
  attachments_added: integer(0),
  attachments_skipped: integer(0),
});

/** What a contact moment is about; null clears, what is not sent stays. */
const filing = {
  company_id: optional(nullable(uuid())),
  project_id: optional(nullable(uuid())),
  task_id: optional(nullable(uuid())),
  contact_id: optional(nullable(uuid())),
  contact_ids: optional(nullable(Type.Array(uuid(), { maxItems: 100 }))),
};
/** The same in a POST. */
const refiling = {
  company_id: optional(nullClears(nullable(uuid()))),
  project_id: optional(nullClears(nullable(uuid()))),
  task_id: optional(nullClears(nullable(uuid()))),
  contact_id: optional(nullClears(nullable(uuid()))),
  contact_ids: optional(nullClears(nullable(Type.Array(uuid(), { maxItems: 100 })))),
};
const content = {
  subject: optional(nullable(text(500))),
  body_markdown: optional(nullable(multiline())),
  ...filing,
};
/** A moment in time; without an offset it is the organisation's local time. */
const localInstant = () =>
  Type.Unsafe<string>({ type: "string", format: "date-time", description: "Without an offset: local time of the organisation" });

export const InteractionCreate = input("InteractionCreate", {
  kind: key(),
  occurred_at: optional(nullable(localInstant())),
  direction: optional(choice(["inbound", "outbound", "none"], { default: "none" })),
  ...content,
});
export const InteractionUpdate = input("InteractionUpdate", {
  kind: optional(neverNull(nullable(key()))),
  occurred_at: optional(neverNull(nullable(localInstant()))),
  direction: optional(neverNull(nullable(direction()))),
  ...content,
});
export const InteractionFiling = input("InteractionFiling", refiling);
export const InteractionReject = input("InteractionReject", { suppress_thread: optional(flag(false)) });

export const InteractionsApprove = input("InteractionsApprove", { ids: ids() });
export const InteractionsReject = input("InteractionsReject", { ids: ids(), suppress_thread: optional(flag(false)) });
export const InteractionsAssign = input("InteractionsAssign", { ids: ids(), ...refiling });
export const InteractionsUpdated = answer("InteractionsUpdated", { updated: integer(0) });

export const InteractionEml = input("InteractionEml", {
  file: lateUpload([MAIL_TYPE]),
  company_id: optional(uuid()),
  project_id: optional(uuid()),
  task_id: optional(uuid()),
  contact_id: optional(uuid()),
  allow_duplicate: optional(flag(false)),
  enrich_task: optional(flag(false)),
});
