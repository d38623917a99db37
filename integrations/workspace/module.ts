import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { defineModule } from "../../core/declare/module.ts";
import { list, Type, uuid } from "../../core/declare/schema.ts";
import { mailEvents } from "./mail/mail-events.ts";

const workspaceEvents = {
  "workspace.connection_broken": event(
    "workspace_connection",
    "The provider refused to refresh a person's grant: synchronisation stops until that person connects again",
    {
      email: Type.String({ description: "Address of the connected account at the provider" }),
      recipients: list(uuid()),
    },
  ),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof workspaceEvents>, PayloadsOf<typeof mailEvents> {}
}

/** People's own calendar, files and mail at Google: connections and everything read or written through them. */
export default defineModule({
  key: "workspace",
  kind: "integration",
  licence: "workspace",
  permissions: {
    "workspace.settings.manage": { position: 10, grants: ["admin"] },
    "workspace.connection.manage": { position: 20, grants: ["admin", "member"] },
    "workspace.calendar.read": { position: 30, grants: ["admin", "member"] },
    "workspace.drive.read": { position: 40, grants: ["admin", "member"] },
    "workspace.drive.write": { position: 50, grants: ["admin", "member"] },
    "workspace.drive.manage": { position: 60, grants: ["admin"] },
  },
  errors: {
    404: ["not_found errors.mail_message_not_found"],
    409: [
      "mail_disabled",
      "mail_sync_off",
      "workspace_connection_error",
      "workspace_drive_api_disabled",
      "workspace_drive_disabled",
      "workspace_drive_folder_exists",
      "workspace_drive_forbidden",
      "workspace_drive_no_folder",
      "workspace_drive_scope_missing",
      "workspace_no_automation_connection",
      "workspace_no_refresh_token",
      "workspace_not_configured",
      "workspace_not_connected",
    ],
    422: [
      "validation errors.mail_message_unusable",
      "validation errors.mail_reference_unreadable",
      "validation errors.mail_reference_web_id",
      "validation errors.mail_search_empty",
      "workspace_drive_not_a_folder",
    ],
    502: ["mail_unavailable", "workspace_drive_unavailable", "workspace_upload_failed"],
  },
  events: { ...workspaceEvents, ...mailEvents },
  records: {
    workspace_settings: { readers: { permission: "workspace.settings.manage" }, client: null, trail: true },
    workspace_connection: { readers: { permission: "workspace.settings.manage" }, client: null, trail: true },
  },
  demo: { position: 37, load: async () => (await import("./demo/demo-workspace.ts")).fillWorkspace },
  joins: {
    events: ["company.created", "project.created"],
    load: async () => (await import("./drive/provision-rows.ts")).requestNewFolders,
  },
  effects: { "membership.leaving": async () => (await import("./connections/leaving.ts")).endOfMember },
  tables: [
    "drive_creations",
    "drive_links",
    "drive_listings",
    "drive_provisions",
    "workspace_calendar_channels",
    "workspace_calendar_events",
    "workspace_calendar_mirrors",
    "workspace_calendars",
    "workspace_connections",
    "workspace_ended_grants",
    "workspace_mail_skips",
    "workspace_mailboxes",
    "workspace_settings",
  ],
  // Marketing and advertising show whose grant a link or account is read with (marketing-ads §2.2).
  shows: { workspace_connections: ["id", "account_id", "email", "status", "scopes"] },
  tags: { workspace: "Mail, calendar and documents of connected workspaces." },
  parameters: { ":link_id": "The link between a file and a record" },
});
