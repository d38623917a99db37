import {
  answer,
  choice,
  field,
  flag,
  input,
  instant,
  list,
  map,
  nullable,
  nullClears,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

export const MailSyncStatus = answer("MailSyncStatus", {
  connected: field(flag(false), "Whether you have a connection"),
  mail_enabled: field(flag(false), "Whether the organisation has mail switched on"),
  sync_enabled: field(flag(false), "Whether your mailbox is polled automatically"),
  scope_granted: field(flag(false), "Whether your grant covers reading mail"),
  connection_error: field(flag(false), "Whether Google refuses your grant, so that you have to connect again"),
  last_polled_at: field(nullable(instant()), "When your mailbox was last read, automatically or by hand, UTC; null if never"),
  gap_since: field(
    nullable(instant()),
    "Since when mail may be missing, UTC, because your mailbox was not read for longer than Google keeps its history; null: no known gap",
  ),
  available: field(flag(false), "Whether a poll is possible: switched on, opted in, with the scope and without an error"),
  retry_after_seconds: Type.Integer({
    default: 0,
    description: "Seconds until you can trigger a read of your mailbox; 0: now",
  }),
});
export const MailRefreshResult = answer(
  "MailRefreshResult",
  {
    status: choice(["polled", "cooldown", "error"], {
      description:
        "`polled`: it was read now. `cooldown`: it was read by hand less than a minute ago. `error`: Google could not be read, which spends the minute as well",
    }),
    logged: Type.Integer({ default: 0, description: "Number of contact moments that this poll created" }),
    sync: MailSyncStatus,
  },
  { sync: "The state of your mailbox after the call" },
);

const MailCandidate = answer("MailCandidate", {
  message_id: Type.String({ description: "Google's id of the message in your mailbox" }),
  thread_id: nullable(Type.String({ description: "Google's id of its thread" })),
  subject: nullable(Type.String({ description: "Subject of the message; null without one" })),
  from_email: nullable(Type.String({ description: "Address of the sender; null if the header has none" })),
  from_name: nullable(Type.String({ description: "Name of the sender; null if the header has none" })),
  recipients: nullable(Type.String({ description: "The first five of To and Cc, by name or else address; null without any" })),
  occurred_at: field(nullable(instant()), "When Google received it, UTC"),
  snippet: nullable(Type.String({ description: "Its first words; null without any" })),
  direction: Type.String({ default: "none", description: "`inbound` or `outbound`" }),
  logged: field(flag(false), "Whether it is a contact moment already, from your mailbox or otherwise"),
  interaction_id: field(nullable(uuid()), "That contact moment; null without one, or if you cannot see it"),
  suppressed: field(flag(false), "Whether you refused it, or its thread, permanently"),
  skip_reason: nullable(Type.String({ description: "Why the feed skips it; null if the feed would offer it" })),
  skip_detail: map(Type.String(), {
    default: {},
    description: "`owner`: the address of the colleague whose message it is",
  }),
  before_connection: field(flag(false), "Whether it is older than your connection, so that the feed has never looked at it"),
  never_offered: field(flag(false), "Whether the feed would offer it now but has not yet"),
});
const found = {
  thread_id: nullable(Type.String({ description: "Google's id of the thread; null for a search" })),
  messages: field({ ...list(MailCandidate), default: [] }, "Of a thread oldest first, of a search as Google ranks them"),
  truncated: field(flag(false), "Whether there are more: of a thread the newest 50 are shown, of a search the first 20"),
  widened_to_thread: field(flag(false), "Whether one message was requested, and its whole thread is shown"),
};
export const MailLookupResult = answer("MailLookupResult", found);
export const MailSearchResult = answer("MailSearchResult", {
  ...found,
  query: Type.String({ default: "", description: "The query that Google was sent" }),
});

export const MailImportRequest = input("MailImportRequest", {
  message_id: text(128, { minLength: 1, description: "Google's id of the message in your mailbox" }),
  company_id: optional(nullClears(field(nullable(uuid()), "Client of the contact moment. Absent: as matched; null: none"))),
  project_id: optional(field(nullable(uuid()), "Project of the contact moment; null or absent: none")),
  task_id: optional(field(nullable(uuid()), "Task of the contact moment; null or absent: none")),
  contact_ids: optional(
    nullClears(
      field(
        nullable(Type.Array(uuid(), { maxItems: 100 })),
        "Contacts of the contact moment, the first one leading. Absent: matched by address; null or empty: none",
      ),
    ),
  ),
  allow_duplicate: optional(
    field(flag(false), "Whether to log it although a message with its Message-ID was logged from another mailbox or a file"),
  ),
  enrich_task: optional(field(flag(false), "Whether AI fills in the task from the message")),
});
export const MailImportResult = answer("MailImportResult", {
  interaction_id: field(uuid(), "The contact moment it became"),
  subject: nullable(Type.String({ description: "Subject of the message; null without one" })),
  body_fetched: field(flag(false), "Whether its body and files are stored already; else they follow within minutes"),
});

export const reference = () =>
  Type.String({
    maxLength: 2048,
    description: "A mail link, the id of a message or thread, `msg-f:` or `thread-f:` with a number, or a Message-ID",
  });
export const threadId = () => text(128, { description: "Google's id of a thread in your mailbox" });
