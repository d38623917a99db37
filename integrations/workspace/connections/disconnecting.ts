import { queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { statement } from "../../../core/database/statement.ts";
import { trail } from "../../../core/database/trail.ts";
import { remove } from "../../../core/database/write.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { revokeGrant } from "../google/oauth-client.ts";
import { WorkspaceConnection } from "../models.ts";
import { lockedConnection } from "./connection-rows.ts";

const IN_USE = statement("select workspace_grant_in_use($1, $2) as used");

/**
 * Ends the caller's connection, if there is one. The row goes first: of two organisations that end theirs at once the later one finds the
 * grant unused and revokes it, which the provider does for all tokens of the person and the OAuth client together.
 * @returns why the grant could not be revoked, as it may be logged; null where there is nothing to say
 */
export async function endConnection(): Promise<string | null> {
  const row = await inOwnTransaction(async () => {
    const found = await lockedConnection();
    if (!found) return undefined;
    remove(WorkspaceConnection, found.id);
    trail("workspace_connection", found.id, "workspace.disconnected", { email: found.email });
    return found;
  });
  if (!row) return null;
  const found = await queryOne<{ used: boolean }>(IN_USE, [row.subject, row.client_id]);
  const refreshToken = unsealed(WorkspaceConnection, row, "refresh_token");
  if (found?.used || refreshToken === null) return null;
  return revokeGrant(refreshToken, row.id);
}
