import { MAIL_TYPE, OUTLOOK_TYPE } from "../../../core/files/file-types.ts";
import { lateUpload } from "../../../core/files/upload.ts";
import { namedValues } from "../../../core/naming/named-values.ts";
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
} from "../../../core/schema/schema.ts";

const KIND = {
  active: "Whether it is offered for new records. Records that have it keep it when it becomes inactive",
  key: "Key of the kind, unique in the organisation; it never changes",
  is_protected: "Whether the kind can be neither deactivated nor deleted, as `email`",
};

const MOMENT = {
  kind: "Key of the kind, such as `call` or `note`. Only messages have `email`",
  status:
    "`pending`: a message that waits for the review of its mailbox's owner, who alone sees it; `logged`: visible to the team",
  source: "`manual`: written by a person; `mail`: read from a mailbox; `upload`: an .eml or .msg file",
  direction: "`inbound`: from the client; `outbound`: to the client; `none`: neither",
  occurred_at: "When it happened, UTC",
  subject: "Subject; null if none",
  snippet: "First words of the message or the notes; null if none",
  body_text: "Text of a message without markup; null if none, and in lists unless `with_body=true`",
  body_markdown: "Notes, or a message, in markdown; null if none",
  company_id: "The client concerned; null if none. Without one it is derived from task or project",
  project_id: "The project concerned, else that of the task; null if none",
  task_id: "The task concerned; null if none",
  contact_id: "First of `contacts`; null if none",
  contacts: "Contacts who took part, the first one leading",
  closes_task: "Whether it is the closing contact moment of its task",
  owner_user_id: "Author, or owner of the mailbox; null if that account is gone",
  owner_name: "Full name of the author or owner; null if unknown",
  participants: "Sender and recipients of a message; empty for others",
  mail_thread_id: "Id of the thread in the mailbox; null for others than messages of a mailbox",
  conversation_id: "Its conversation: messages of one thread share it",
  conversation_count: "Number of contact moments in the whole conversation that the caller can see",
  deep_link: "Address of the message in the mail program; null without one",
};

const FILING = {
  company_id: "The client it is about. Null clears it; without one it is derived from task or project",
  project_id: "The project it is about; null clears it",
  task_id: "The task it is about; null clears it",
  contact_id: "The one participating contact; null clears them. `contact_ids` overrides it",
  contact_ids: "Contacts who took part, the first one leading. Replaces them; `[]` or null empties them",
};

const REVIEW = {
  ids: "Messages to review, of the caller's own mailbox. One refused message refuses all",
  suppress_thread: "Whether later messages of the thread are never offered either",
};

const KEY = "^[a-z0-9_]+$";
const key = () => Type.String({ pattern: KEY, minLength: 1, maxLength: 50 });
const direction = () => choice(namedValues("InteractionDirection", ["inbound", "outbound", "none"]));
const ids = () => Type.Array(uuid(), { minItems: 1, maxItems: 200 });

export const InteractionKindRead = answer(
  "InteractionKindRead",
  {
    id: uuid(),
    org_id: uuid(),
    key: key(),
    label_i18n: map(Type.String()),
    position: integer(),
    active: flag(),
    is_protected: flag(),
    created_at: instant(),
    updated_at: instant(),
  },
  KIND,
);
export const InteractionKindCreate = input(
  "InteractionKindCreate",
  {
    key: key(),
    label_i18n: optional(names({ default: {} })),
    position: optional(integer(undefined, undefined, { default: 0 })),
    active: optional(flag(true)),
  },
  KIND,
);
export const InteractionKindUpdate = input(
  "InteractionKindUpdate",
  {
    label_i18n: optional(nullable(names())),
    position: optional(neverNull(nullable(integer()))),
    active: optional(neverNull(nullable(flag()))),
  },
  KIND,
);

const InteractionContact = answer(
  "InteractionContact",
  { contact_id: uuid(), name: nullable(Type.String()) },
  { contact_id: "The contact", name: "Full name of the contact; null if the caller cannot see it" },
);
const InteractionParticipant = answer(
  "InteractionParticipant",
  {
    email: nullable(Type.String()),
    name: nullable(Type.String()),
    role: choice(["from", "to", "cc"]),
    contact_id: nullable(uuid()),
    user_id: nullable(uuid()),
  },
  {
    email: "Address in the header; null if it has none",
    name: "Name in the header, or of the contact or colleague; null if unknown or hidden from the caller",
    role: "Header of the message that names the person",
    contact_id: "Contact with that address; null if none, or if the caller cannot see it",
    user_id: "Colleague with that address; null if none",
  },
);

const shared = {
  id: uuid(),
  org_id: uuid(),
  kind: key(),
  status: choice(namedValues("InteractionStatus", ["pending", "logged"])),
  source: choice(namedValues("InteractionSource", ["manual", "mail", "upload"])),
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
export const InteractionRead = answer("InteractionRead", shared, MOMENT);
export const InteractionUploaded = answer(
  "InteractionUploaded",
  {
    ...shared,
    occurred_guessed: flag(),
    attachments_added: integer(0),
    attachments_skipped: integer(0),
  },
  {
    ...MOMENT,
    occurred_guessed: "Whether the message has no usable date, so that `occurred_at` is the moment of the upload",
    attachments_added: "Number of attachments that were stored",
    attachments_skipped: "Number of attachments that were not stored because the rules of uploads refuse them",
  },
);

/** The records a contact moment is about; null clears a field, an omitted one stays. */
const filing = {
  company_id: optional(nullable(uuid())),
  project_id: optional(nullable(uuid())),
  task_id: optional(nullable(uuid())),
  contact_id: optional(nullable(uuid())),
  contact_ids: optional(nullable(Type.Array(uuid(), { maxItems: 100 }))),
};
/** The same for a POST. */
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
/** A date-time; without an offset, in the organisation's local time. */
const localInstant = () =>
  Type.Unsafe<string>({
    type: "string",
    format: "date-time",
    description: "When it happened. Without an offset: the organisation's local time",
  });

export const InteractionCreate = input(
  "InteractionCreate",
  {
    kind: key(),
    occurred_at: optional(nullable(localInstant())),
    direction: optional(choice(namedValues("InteractionDirection", ["inbound", "outbound", "none"]), { default: "none" })),
    ...content,
  },
  { ...MOMENT, ...FILING },
);
export const InteractionUpdate = input(
  "InteractionUpdate",
  {
    kind: optional(neverNull(nullable(key()))),
    occurred_at: optional(neverNull(nullable(localInstant()))),
    direction: optional(neverNull(nullable(direction()))),
    ...content,
  },
  { ...MOMENT, ...FILING },
);
export const InteractionFiling = input("InteractionFiling", refiling, FILING);
export const InteractionReject = input("InteractionReject", { suppress_thread: optional(flag(false)) }, REVIEW);

export const InteractionsApprove = input("InteractionsApprove", { ids: ids() }, REVIEW);
export const InteractionsReject = input("InteractionsReject", { ids: ids(), suppress_thread: optional(flag(false)) }, REVIEW);
export const InteractionsAssign = input("InteractionsAssign", { ids: ids(), ...refiling }, { ...FILING, ...REVIEW });
const InteractionFailure = answer(
  "InteractionFailure",
  { id: uuid(), error: Type.String() },
  { id: "The contact moment that was not written", error: "Why, as a translation key" },
);
export const InteractionsReviewed = answer(
  "InteractionsReviewed",
  { succeeded: integer(0), failed: list(InteractionFailure) },
  { succeeded: "Number of contact moments that were written", failed: "Those that were not, those not found first" },
);

export const InteractionEml = input(
  "InteractionEml",
  {
    file: lateUpload([MAIL_TYPE, OUTLOOK_TYPE]),
    company_id: optional(uuid()),
    project_id: optional(uuid()),
    task_id: optional(uuid()),
    contact_id: optional(uuid()),
    allow_duplicate: optional(flag(false)),
    enrich_task: optional(flag(false)),
  },
  {
    file: "The message as an .eml file, or a .msg file of Outlook",
    company_id: "The client it is about; where not sent, derived from task or project",
    contact_id: "The contact it is about",
    allow_duplicate: "Whether the message is logged although a contact moment with its Message-ID exists",
    enrich_task: "Whether AI fills in the task from the message",
  },
);
