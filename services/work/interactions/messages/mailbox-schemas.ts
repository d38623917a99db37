import {
  choice,
  flag,
  input,
  instant,
  integer,
  list,
  map,
  multiline,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
} from "../../../../core/schema/schema.ts";
import { GATES } from "./mailbox-gates.ts";

const plain = () => Type.String();

/** A message of a mailbox, with its headers and labels. */
export const MailboxMessage = input("MailboxMessage", {
  id: Type.String({ minLength: 1, maxLength: 128, description: "Its id in that mailbox" }),
  thread_id: Type.String({ maxLength: 128, description: "Its thread's id in that mailbox" }),
  message_id: nullable(Type.String({ description: "Its Message-ID as the header has it; null without one" })),
  labels: list(Type.String({ description: "A label's id in that mailbox" })),
  excluded: Type.Boolean({ description: "Whether it has the label that its owner excludes" }),
  subject: nullable(multiline()),
  snippet: nullable(multiline()),
  occurred_at: instant(),
  deep_link: nullable(Type.String({ description: "Its address in the mail program; null without one" })),
  participants: list(Type.Object({ email: nullable(plain()), name: nullable(plain()), role: choice(["from", "to", "cc"]) })),
});
export type MailboxMessage = Static<typeof MailboxMessage>;

const mailbox = {
  owner_account_id: Type.String({ format: "uuid", description: "The person whose mailbox it is" }),
  mailboxes: list(
    Type.Object({
      address: Type.String({ description: "Address of a colleague's mailbox" }),
      account_id: uuid(),
      syncs: Type.Boolean({ description: "Whether that mailbox is read" }),
    }),
  ),
  logs_internal: Type.Boolean({ description: "Whether messages between colleagues are logged as well" }),
};
/** The mailbox of messages, and the settings that decide about them. */
export type Mailbox = Pick<Static<typeof MailboxJudge>, "owner_account_id" | "mailboxes" | "logs_internal">;

export const MailboxKnown = input("MailboxKnown", {
  owner_account_id: uuid(),
  ids: list(plain()),
  thread_ids: list(plain()),
});
export const MailboxKnownResult = Type.Object({
  stored: list(plain()),
  suppressed: list(plain()),
  suppressed_threads: list(plain()),
});
export type MailboxKnownResult = Static<typeof MailboxKnownResult>;

export const MailboxJudge = input("MailboxJudge", {
  ...mailbox,
  messages: list(MailboxMessage),
  counts_waiting: Type.Boolean({
    description: "Whether a message waiting in another mailbox counts as known: not for answers shown to a person",
  }),
});
export const MailboxVerdict = Type.Object({
  id: plain(),
  gate: nullable(choice(GATES)),
  detail: map(plain()),
  direction: choice(["inbound", "outbound"]),
  logged: flag(),
  suppressed: flag(),
  interaction_id: nullable(uuid()),
});
export type MailboxVerdict = Static<typeof MailboxVerdict>;
export const MailboxVerdicts = list(MailboxVerdict);

export const MailboxOffer = input("MailboxOffer", {
  ...mailbox,
  message: MailboxMessage,
  approves: Type.Boolean({ description: "Whether it is logged without a review" }),
  approves_followups: Type.Boolean({ description: "Whether it is where its thread has a logged message" }),
});
export const MailboxNotify = input("MailboxNotify", { owner_account_id: uuid() });
export const MailboxOffered = Type.Object({
  interaction_id: nullable(uuid()),
  gate: nullable(choice(GATES)),
  detail: map(plain()),
});
export type MailboxOffered = Static<typeof MailboxOffered>;

const wholeFile = () =>
  nullable(Type.Object({ organisationId: uuid(), id: uuid(), backend: plain(), size: integer(0), sha256: plain() }));

export const MailboxImport = input("MailboxImport", {
  ...mailbox,
  message: MailboxMessage,
  /** The whole message in the store, as a mail program saves it; null: its body is read later. */
  file: wholeFile(),
  company_id: optional(nullable(uuid())),
  project_id: optional(nullable(uuid())),
  task_id: optional(nullable(uuid())),
  contact_ids: optional(nullable(Type.Array(uuid(), { maxItems: 100 }))),
  allow_duplicate: optional(flag(false)),
  enrich_task: optional(flag(false)),
});
export const MailboxImported = Type.Object({ interaction_id: uuid(), subject: nullable(text(500)) });
export type MailboxImported = Static<typeof MailboxImported>;

export const MailboxAwaiting = input("MailboxAwaiting", { owners: list(uuid()), most: integer(1, 1000) });
export const MailboxAwaitingResult = list(
  Type.Object({ interaction_id: uuid(), owner_account_id: uuid(), mail_message_id: plain() }),
);
export type MailboxAwaitingResult = Static<typeof MailboxAwaitingResult>;

/** A whole message in the store, as a mail program saves it; null if the mailbox no longer has it. */
export const MailboxBody = input("MailboxBody", {
  interaction_id: uuid(),
  file: wholeFile(),
});
export const MailboxBodyTried = input("MailboxBodyTried", { interaction_id: uuid() });
