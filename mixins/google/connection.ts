import { columns } from "../../core/database/model.ts";
import { queryOne } from "../../core/database/query.ts";
import { type ApiError, refusal } from "../../core/errors/errors.ts";
import { callerId, NO_PERSON } from "../../core/request/caller.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import type { GoogleFailure } from "./failure.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "./models.ts";

const OF_PERSON = `select ${columns(WorkspaceConnection)} from workspace_connections where organisation_id = $1 and account_id = $2`;
const READ = statement(OF_PERSON);
const LOCK = statement(`${OF_PERSON} for update`);

/**
 * The `from` clause for connections that jobs use, with the organisation as `$1`: each belongs to a current member. The alias `c` is the
 * connection.
 */
export const WORKING_CONNECTIONS = `workspace_connections c
  join member_access m on m.organisation_id = c.organisation_id and m.account_id = c.account_id and m.is_live and not m.is_client`;
/** The matching condition: the connection is not broken. */
export const IS_WORKING = "c.organisation_id = $1 and c.status = 'active'";

/** A person's connection; undefined without one. @param accountId the caller by default */
export const connectionOf = (accountId = callerId() ?? NO_PERSON): Promise<WorkspaceConnectionRow | undefined> =>
  queryOne<WorkspaceConnectionRow>(READ, [request().organisation.id, accountId]);

/** A person's connection, locked until the transaction ends. */
export const lockedConnection = (accountId = callerId() ?? NO_PERSON): Promise<WorkspaceConnectionRow | undefined> =>
  queryOne<WorkspaceConnectionRow>(LOCK, [request().organisation.id, accountId]);

/** @throws 409 `workspace_not_connected` */
export function requireConnected(row: WorkspaceConnectionRow | undefined): WorkspaceConnectionRow {
  if (!row) throw refusal("workspace_not_connected");
  return row;
}

/** @throws 409 `workspace_not_connected`, `workspace_connection_error` */
function requireHealthy(row: WorkspaceConnectionRow | undefined): WorkspaceConnectionRow {
  const connection = requireConnected(row);
  if (connection.status === "error") throw refusal("workspace_connection_error");
  return connection;
}

/** The caller's connection, ready for calls. @throws 409 `workspace_not_connected`, `workspace_connection_error` */
export const ownConnection = async (): Promise<WorkspaceConnectionRow> => requireHealthy(await connectionOf());

const REFUSALS: Readonly<Record<string, string>> = {
  grant: "workspace_connection_error",
  not_connected: "workspace_not_connected",
  not_configured: "workspace_not_configured",
};

/** The API error for a failure of the connection itself, the same on every surface; null for any other failure. */
export function connectionRefusal(failure: GoogleFailure): ApiError | null {
  const code = REFUSALS[failure.kind];
  return code === undefined ? null : Object.assign(refusal(code), { cause: failure });
}
