import { queueRemove } from "../../../core/database/write.ts";
import { leavesWork } from "../../../core/jobs/outbox.ts";
import { trail } from "../../../core/trail/trail.ts";
import { connectionOf, lockedConnection } from "../../../mixins/google/connection.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { stopChannels } from "../calendar/watching/watching.ts";
import { awaitRevocation } from "./ended-grants.ts";

/**
 * Deletes a connection in the current transaction and records it in the trail. The database stores the grant and schedules the job that
 * revokes it (migration 0092).
 */
export function endConnection({ id, email }: Pick<WorkspaceConnectionRow, "id" | "email">): void {
  queueRemove(WorkspaceConnection, id);
  trail("workspace_connection", id, "workspace.disconnected", { email });
  leavesWork();
}

/** Stops Google's push messages for a connection while it can still be called. */
async function stopPushing(): Promise<string | null> {
  const row = await connectionOf();
  return row?.status === "active" ? stopChannels(row.id) : null;
}

/**
 * Ends the caller's connection, if there is one, and waits a moment for the job that revokes its grant. Runs in the `prepare` of a request.
 * @returns a loggable reason why a channel was not stopped; null if there is none
 */
export async function endOwnConnection(): Promise<string | null> {
  const trouble = await stopPushing();
  const row = await inOwnTransaction(async () => {
    const found = await lockedConnection();
    if (found) endConnection(found);
    return found;
  });
  if (row) await awaitRevocation(row.id);
  return trouble;
}
