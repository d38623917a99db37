import { answer, field, flag, input, instant, list, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";

export const WorkspaceConnectionRead = answer("WorkspaceConnectionRead", {
  user_id: field(uuid(), "The person whose connection it is"),
  email: Type.String({ description: "Address of the connected account at Google" }),
  status: Type.String({
    description:
      "`active`, or `error`: Google refused to refresh the grant; synchronisation stops until the person connects again",
  }),
  scopes: field(list(Type.String()), "Scopes that the person granted, as Google names them"),
  mail_sync_enabled: field(flag(false), "Whether the person allows logging of new mail"),
  mail_excluded_label: nullable(Type.String({ description: "Label of the mailbox whose messages are ignored; null if none" })),
  connected_at: field(instant(), "When the person last connected, UTC"),
  last_error: nullable(Type.String({ description: "Why the grant was refused, in Google's words; null while it works" })),
});

const enabled = (what: string) => field(flag(false), `Whether the organisation has switched on ${what}`);

export const MyConnectionRead = answer(
  "MyConnectionRead",
  {
    connected: field(flag(false), "Whether there is a connection, a broken one included"),
    connection: nullable(WorkspaceConnectionRead),
    configured: field(flag(false), "Whether there is an OAuth client to connect with"),
    calendar_enabled: enabled("the calendar"),
    drive_enabled: enabled("files"),
    mail_enabled: enabled("mail"),
  },
  { connection: "Your connection; null without one" },
);

export const MyConnectionUpdate = input("MyConnectionUpdate", {
  mail_sync_enabled: optional(
    field(nullable(Type.Boolean()), "Whether new mail can be logged; absent or null keeps the stored value"),
  ),
  mail_excluded_label: optional(
    nullable(text(128, { description: "Label of the mailbox whose messages are ignored; blank or null if none" })),
  ),
});
