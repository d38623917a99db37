import { runtime } from "../../core/config/runtime.ts";
import { columns } from "../../core/database/model.ts";
import { queryOne } from "../../core/database/query.ts";
import { unsealed } from "../../core/database/sealed.ts";
import { refusal } from "../../core/errors/errors.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import { WorkspaceSettings, type WorkspaceSettingsRow } from "./models.ts";
import type { OAuthClient } from "./oauth-client.ts";

const READ = statement(`select ${columns(WorkspaceSettings)} from workspace_settings where organisation_id = $1`);

/** The organisation's stored settings; undefined before they are first saved. */
export const storedSettings = (): Promise<WorkspaceSettingsRow | undefined> =>
  queryOne<WorkspaceSettingsRow>(READ, [request().organisation.id]);

/** Whether this installation has an OAuth client for organisations without their own. */
export const hasInstanceClient = (): boolean => runtime().config.workspaceClientId !== undefined;

/** The OAuth client for the given settings: the stored one or the instance's; null without either (workspace §2.1). */
export function oauthClientOf(row: WorkspaceSettingsRow | undefined): OAuthClient | null {
  const secret = row ? unsealed(WorkspaceSettings, row, "client_secret") : null;
  if (row?.client_id && secret !== null) return { id: row.client_id, secret };
  const { workspaceClientId, workspaceClientSecret } = runtime().config;
  return workspaceClientId && workspaceClientSecret ? { id: workspaceClientId, secret: workspaceClientSecret } : null;
}

/** The organisation's OAuth client; null if none is configured. */
export const oauthClient = async (): Promise<OAuthClient | null> => oauthClientOf(await storedSettings());

/** @throws 409 `workspace_not_configured` */
export function requireConfigured(row: WorkspaceSettingsRow | undefined): OAuthClient {
  const client = oauthClientOf(row);
  if (!client) throw refusal("workspace_not_configured");
  return client;
}
