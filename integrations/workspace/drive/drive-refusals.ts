import { type ApiError, refusal } from "../../../core/errors/errors.ts";
import { requireNoImpersonation } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { type GoogleAccess, googleAccess } from "../../../mixins/google/client.ts";
import { connectionRefusal, ownConnection } from "../../../mixins/google/connection.ts";
import { GoogleFailure, type GoogleFailureKind } from "../../../mixins/google/failure.ts";
import type { WorkspaceConnectionRow, WorkspaceSettingsRow } from "../../../mixins/google/models.ts";
import { storedSettings } from "../../../mixins/google/oauth-settings.ts";
import { hasScope, SCOPE } from "../../../mixins/google/scopes.ts";

/** Errors of every call to the provider as the caller, in the order in which they are checked (workspace §2.4). */
export const CALLING = [
  "workspace_drive_disabled",
  "workspace_not_configured",
  "workspace_not_connected",
  "workspace_connection_error",
  "workspace_drive_scope_missing",
  "workspace_drive_api_disabled",
  "workspace_drive_forbidden",
  "workspace_drive_storage_full",
  "not_found",
  "workspace_drive_unavailable",
] as const;

const CODES: Partial<Record<GoogleFailureKind, string>> = {
  scope: "workspace_drive_scope_missing",
  api_disabled: "workspace_drive_api_disabled",
  forbidden: "workspace_drive_forbidden",
  full: "workspace_drive_storage_full",
  not_found: "not_found",
};

/** Maps a failure of the provider to an API error (workspace §2.4). The response never contains the provider's message. */
export function driveRefusal(failure: GoogleFailure): ApiError {
  const ofConnection = connectionRefusal(failure);
  if (ofConnection) return ofConnection;
  const { kind, retryAfter } = failure;
  const code = CODES[kind] ?? "workspace_drive_unavailable";
  const details = code === "workspace_drive_unavailable" && retryAfter !== null ? { retry_after_seconds: retryAfter } : undefined;
  const message = code === "not_found" ? "errors.not_found" : undefined;
  return Object.assign(refusal(code, message, details ? { details } : {}), { cause: failure });
}

/** Calls the provider and maps its failures to API errors. @throws 404, 409, 502 */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof GoogleFailure ? driveRefusal(error) : error;
  }
}

/** The settings, if the organisation has files enabled. @throws 409 `workspace_drive_disabled` */
export async function requireDrive(): Promise<WorkspaceSettingsRow> {
  const settings = await storedSettings();
  if (!settings?.drive_enabled) throw refusal("workspace_drive_disabled");
  return settings;
}

/** The folder that contains everything of an organisation; null if none is set. The id of a shared drive is that of its root folder. */
export const rootFolderOf = (
  settings: Pick<WorkspaceSettingsRow, "drive_parent_folder_id" | "drive_shared_drive_id">,
): string | null => settings.drive_parent_folder_id ?? settings.drive_shared_drive_id;

/** @throws 409 `workspace_drive_no_folder` */
export function requireRootFolder(settings: WorkspaceSettingsRow): string {
  const folder = rootFolderOf(settings);
  if (folder === null) throw refusal("workspace_drive_no_folder");
  return folder;
}

/** Whether a grant may cover files; an empty list of scopes does not prove that one is missing. */
export const mayUseDrive = ({ scopes }: Pick<WorkspaceConnectionRow, "scopes">): boolean =>
  scopes.length === 0 || hasScope(scopes, SCOPE.drive);

/** The caller's own connection and access to the provider. */
export interface OwnDrive {
  connection: WorkspaceConnectionRow;
  access: GoogleAccess;
}

/**
 * The caller's own drive; an impersonator cannot use that person's files.
 * @throws 403 during impersonation; 409 `workspace_not_connected`, `workspace_connection_error`, `workspace_drive_scope_missing`
 */
export async function ownDrive(): Promise<OwnDrive> {
  requireNoImpersonation(request().principal);
  const connection = await ownConnection();
  if (!mayUseDrive(connection)) throw refusal("workspace_drive_scope_missing");
  return { connection, access: googleAccess(connection) };
}
