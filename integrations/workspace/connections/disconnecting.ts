import { queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { statement } from "../../../core/database/statement.ts";
import { trail } from "../../../core/database/trail.ts";
import { remove } from "../../../core/database/write.ts";
import { connectionOf, lockedConnection } from "../../../mixins/google/connection.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { revokeGrant } from "../../../mixins/google/oauth-client.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { stopChannels } from "../calendar/watching.ts";

const IN_USE = statement("select workspace_grant_in_use($1, $2) as used");

/**
 * Whether a working connection in any organisation still uses this grant. Google revokes all tokens of a person and OAuth client together.
 */
export const isGrantUsed = async ({
  subject,
  client_id,
}: Pick<WorkspaceConnectionRow, "subject" | "client_id">): Promise<boolean> =>
  (await queryOne<{ used: boolean }>(IN_USE, [subject, client_id]))?.used === true;

/** Stops Google's push messages for a connection while it can still be called. */
async function stopPushing(): Promise<string | null> {
  const row = await connectionOf();
  return row?.status === "active" ? stopChannels(row.id) : null;
}

/**
 * Ends the caller's connection, if there is one. Deletes the row before it revokes the grant: if two organisations end theirs at the same
 * time, the later one finds the grant unused and revokes it. Google then revokes all tokens of the person and OAuth client together.
 * @returns a loggable reason why a channel was not stopped or the grant not revoked; null if there is none
 */
export async function endConnection(): Promise<string | null> {
  const trouble = await stopPushing();
  const row = await inOwnTransaction(async () => {
    const found = await lockedConnection();
    if (!found) return undefined;
    remove(WorkspaceConnection, found.id);
    trail("workspace_connection", found.id, "workspace.disconnected", { email: found.email });
    return found;
  });
  if (!row) return trouble;
  const refreshToken = unsealed(WorkspaceConnection, row, "refresh_token");
  if ((await isGrantUsed(row)) || refreshToken === null) return trouble;
  return (await revokeGrant(refreshToken, row.id)) ?? trouble;
}
