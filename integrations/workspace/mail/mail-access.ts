import { type ApiError, refusal } from "../../../core/errors/errors.ts";
import { RateLimiter } from "../../../core/http/rate-limit.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { connectionOf, connectionRefusal, requireConnected } from "../../../mixins/google/connection.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import type { WorkspaceConnectionRow, WorkspaceSettingsRow } from "../../../mixins/google/models.ts";
import { storedSettings } from "../../../mixins/google/oauth-settings.ts";
import { hasScope, SCOPE } from "../../../mixins/google/scopes.ts";
import { UnreadableMessage } from "./message.ts";
import type { Unreadable } from "./reference.ts";

/** Whether a connection's grant covers reading mail. */
export const coversMail = ({ scopes }: WorkspaceConnectionRow): boolean => hasScope(scopes, SCOPE.mail);

/** The caller's connection that can read mail, and the settings. */
export interface MailAccess {
  connection: WorkspaceConnectionRow;
  settings: WorkspaceSettingsRow;
}

/**
 * The caller's mailbox, if it can be read (workspace §2.6).
 * @param optedIn whether its owner must also have enabled regular polling
 * @throws 409 in this order: `mail_disabled`, `workspace_not_connected`, `mail_sync_off`, `workspace_connection_error`
 */
export async function ownMailbox(optedIn = false): Promise<MailAccess> {
  const settings = await storedSettings();
  if (!settings?.mail_enabled) throw refusal("mail_disabled");
  const connection = requireConnected(await connectionOf());
  if (!coversMail(connection) || (optedIn && !connection.mail_sync_enabled)) throw refusal("mail_sync_off");
  if (connection.status === "error") throw refusal("workspace_connection_error");
  return { connection, settings };
}

/** Maps a failure of the provider and an unreadable message to an API error; returns other errors unchanged. */
export function mailRefusal(error: unknown): unknown {
  if (error instanceof UnreadableMessage) return unusableMessage();
  if (!(error instanceof GoogleFailure)) return error;
  if (error.kind === "scope") return Object.assign(refusal("mail_sync_off"), { cause: error });
  return connectionRefusal(error) ?? Object.assign(refusal("mail_unavailable"), { cause: error });
}

/** @throws 404 `errors.mail_message_not_found` */
export const messageNotFound = (): ApiError => refusal("not_found", "errors.mail_message_not_found");

/** The error for an unreadable reference. */
export function unreadable(why: Unreadable): ApiError {
  const message = why === "web_id" ? "errors.mail_reference_web_id" : "errors.mail_reference_unreadable";
  return refusal("validation", message, { fields: { reference: why === "empty" ? "errors.required" : message } });
}

/** 422 for a search without usable terms. */
export const emptySearch = (): ApiError =>
  refusal("validation", "errors.mail_search_empty", { fields: { participant: "errors.mail_search_empty" } });

/** 422 for a message that cannot be read or whose headers name no correspondent. */
export const unusableMessage = (): ApiError => refusal("validation", "errors.mail_message_unusable");

const limiter = (calls: number) => new RateLimiter(calls, () => {});
const LIMITS = { lookup: limiter(20), search: limiter(20), import: limiter(10) };

/** Counts a call against the person's limit per minute (workspace §2.6). @throws 429 with `Retry-After` */
export const takeCall = (kind: keyof typeof LIMITS): Promise<void> =>
  LIMITS[kind].require(`mail-${kind} ${request().organisation.id} ${callerId()}`);
