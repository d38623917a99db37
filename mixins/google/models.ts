import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import { namedValues } from "../../core/naming/named-values.ts";

const { boolean, instant, sealed, text, texts, uuid } = column;

export const MAIL_APPROVAL_MODES = namedValues("MailApprovalMode", ["approval_required", "auto_approve"]);
export const MAIL_THREAD_FOLLOWUPS = namedValues("MailThreadFollowup", ["inherit_pending", "inherit_approve"]);

/** An organisation's workspace settings; at most one row (workspace §2.1). */
export const WorkspaceSettings = tenantModel("workspace_settings", {
  client_id: text().orNull().tracked(),
  client_secret: sealed().orNull(),
  calendar_enabled: boolean().withDefault().tracked(),
  drive_enabled: boolean().withDefault().tracked(),
  mail_enabled: boolean().withDefault().tracked(),
  drive_shared_drive_id: text().orNull().tracked(),
  drive_parent_folder_id: text().orNull().tracked(),
  drive_template_folder_id: text().orNull().tracked(),
  drive_auto_provision: boolean().withDefault().tracked(),
  automation_connection_user_id: uuid().orNull().tracked(),
  mail_approval_mode: text<(typeof MAIL_APPROVAL_MODES)[number]>().withDefault().tracked(),
  mail_thread_followup: text<(typeof MAIL_THREAD_FOLLOWUPS)[number]>().withDefault().tracked(),
  mail_log_internal: boolean().withDefault().tracked(),
});
export type WorkspaceSettingsRow = RowOf<typeof WorkspaceSettings>;

/** One person's grant at the provider, with its sealed tokens (workspace §2.2). */
export const WorkspaceConnection = tenantModel("workspace_connections", {
  account_id: uuid(),
  subject: text(),
  client_id: text(),
  email: text(),
  status: text<"active" | "error">().withDefault(),
  scopes: texts().withDefault(),
  refresh_token: sealed(),
  access_token: sealed().orNull(),
  access_expires_at: instant().orNull(),
  refresh_holder: uuid().orNull(),
  refresh_until: instant().orNull(),
  mail_sync_enabled: boolean().withDefault(),
  mail_excluded_label: text().orNull(),
  connected_at: instant().withDefault(),
  error_since: instant().orNull(),
  last_error: text().orNull(),
});
export type WorkspaceConnectionRow = RowOf<typeof WorkspaceConnection>;
