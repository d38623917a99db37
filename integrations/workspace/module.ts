import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { defineModule } from "../../core/declare/module.ts";
import { list, Type, uuid } from "../../core/schema/schema.ts";
import { calendarEvents } from "./calendar/calendar-events.ts";
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
  interface EventPayloads
    extends PayloadsOf<typeof workspaceEvents>,
      PayloadsOf<typeof mailEvents>,
      PayloadsOf<typeof calendarEvents> {}
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
      "workspace_drive_storage_full",
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
  errorTexts: {
    "not_found errors.mail_message_not_found": [
      "The mailbox of the caller does not have the message or thread.",
      "Search the mailbox again.",
    ],
    mail_disabled: [
      "`mail_enabled` in the settings of the workspace is false.",
      "Ask an administrator to set `mail_enabled` to true.",
    ],
    mail_sync_off: [
      "The caller's connection does not cover mail, or the operation polls the mailbox and the caller's `mail_sync_enabled` is false.",
      "Connect Google again with mail, and set `mail_sync_enabled` to true.",
    ],
    workspace_connection_error: [
      "Google no longer accepts the grant of the connection, for instance because the person withdrew it.",
      "Connect Google again.",
    ],
    workspace_drive_api_disabled: [
      "The Drive API is disabled in the Google Cloud project of the OAuth client.",
      "Ask an administrator to enable it at Google; connecting again does not help.",
    ],
    workspace_drive_disabled: [
      "`drive_enabled` in the settings of the workspace is false.",
      "Ask an administrator to set `drive_enabled` to true.",
    ],
    workspace_drive_folder_exists: ["The record already has its folder.", "Use that folder."],
    workspace_drive_forbidden: [
      "Google denies the caller's account access to the file, folder or shared drive.",
      "Ask its owner at Google for access.",
    ],
    workspace_drive_no_folder: [
      "The settings of the workspace name neither a parent folder nor a shared drive.",
      "Set `drive_parent_folder_id` or `drive_shared_drive_id`.",
    ],
    workspace_drive_storage_full: [
      "The storage, the shared drive or the folder at Google has no room for another file.",
      "Delete files there, or ask its manager for more storage.",
    ],
    workspace_drive_scope_missing: [
      "The caller's connection does not cover Drive.",
      "Connect Google again, and allow access to Drive.",
    ],
    workspace_no_automation_connection: [
      "The settings of the workspace name no person whose connection creates folders, or that person is not connected.",
      "Set `automation_connection_user_id` to a connected person.",
    ],
    workspace_no_refresh_token: [
      "Google returned no refresh token for a first connection.",
      "Remove the application from the Google account, then connect again.",
    ],
    workspace_not_configured: [
      "Neither the organisation nor the installation has an OAuth client for Google.",
      "Enter the client's id and secret in the settings of the workspace.",
    ],
    workspace_not_connected: ["The person is not connected to Google.", "Connect Google first."],
    "validation errors.mail_message_unusable": [
      "The service cannot read the message, or its headers name no correspondent.",
      "Send another message.",
    ],
    "validation errors.mail_reference_unreadable": [
      "`reference` is not the id of a message or thread, a `Message-ID` or a link to a message.",
      "Send one of these.",
    ],
    "validation errors.mail_reference_web_id": [
      "`reference` is a link with an internal id of Gmail, which Google's API does not accept.",
      "Send the `Message-ID`, which Gmail lists under *Show original*.",
    ],
    "validation errors.mail_search_empty": [
      "The search names neither a participant, a subject nor a day.",
      "Send `participant`, `subject`, `after` or `before`.",
    ],
    workspace_drive_not_a_folder: [
      "`drive_file_id` is a file, and the record's own folder must be a folder.",
      "Send the id of a folder.",
    ],
    mail_unavailable: [
      "Gmail did not respond, failed, or refused the call.",
      "Repeat the call later. If it keeps failing, connect Google again.",
    ],
    workspace_drive_unavailable: [
      "Google Drive did not respond, failed, or limited the calls.",
      "Wait for `details.retry_after_seconds` if it is present, then repeat the call.",
    ],
    workspace_upload_failed: ["Google Drive accepted the upload, but returned no address to send it to.", "Repeat the call."],
  },
  events: { ...workspaceEvents, ...mailEvents, ...calendarEvents },
  records: {
    workspace_settings: { readers: { permission: "workspace.settings.manage" }, client: null, trail: true },
    workspace_connection: { readers: { permission: "workspace.settings.manage" }, client: null, trail: true },
  },
  demo: { position: 37, load: async () => (await import("./demo/demo-workspace.ts")).fillWorkspace },
  eventHook: {
    events: ["company.created", "project.created", "leave.type_renamed"],
    changes: true,
    load: async () => (await import("./event-hook.ts")).workspaceHook,
  },
  hooks: { "membership.leaving": async () => (await import("./connections/leaving.ts")).endOfMember },
  references: {
    "drive_links.company_id": { oneBy: ["drive_file_id"], flag: "is_root" },
    "drive_links.entity_id": { kind: "entity_type", left: "PostgreSQL derives it from the other columns" },
    "drive_provisions.company_id": { oneBy: [] },
    "drive_provisions.entity_id": { kind: "entity_type", left: "PostgreSQL derives it from the other columns" },
  },
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
