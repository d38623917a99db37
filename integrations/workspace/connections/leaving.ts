import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { type OrganisationRun, schedule, scheduleAll } from "../../../core/jobs/jobs.ts";
import { leavesWork } from "../../../core/jobs/outbox.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { lockedConnection } from "../../../mixins/google/connection.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { stopChannels } from "../calendar/watching/watching.ts";
import { endConnection } from "./disconnecting.ts";
import { ALL_ENDED, GRANT_JOB, revocationOf } from "./ended-grants.ts";

/** Ends the connection of a member who has left; the payload is `{ connection_id }`. */
export const LEAVE_JOB = "workspace.connections.leave";

/** SQL: connections of members who are deactivated here or disabled everywhere; nothing uses them any more. */
const LEFT = `workspace_connections c join member_access m
  on m.organisation_id = c.organisation_id and m.account_id = c.account_id and not m.is_live where c.organisation_id = $1`;
const ALL_LEFT = statement(`select c.id from ${LEFT} order by c.id`);
const ONE_LEFT = statement(`select ${columns(WorkspaceConnection, "c")} from ${LEFT} and c.id = $2`);
const LOCK_LEFT = statement(`select ${columns(WorkspaceConnection, "c")} from ${LEFT} and c.id = $2 for update of c`);

const once = (id: string) => ({ payload: { connection_id: id }, key: id, dedupe: id });

/** Schedules the end of every connection whose member has left, and the revocation of every ended grant without a job. Runs in a job. */
export const scheduleLeavers = (run: OrganisationRun): Promise<void> =>
  run.write(async () => {
    const own = [run.organisation.id];
    const [left, ended] = await Promise.all([query<{ id: string }>(ALL_LEFT, own), query<{ id: string }>(ALL_ENDED, own)]);
    scheduleAll(
      LEAVE_JOB,
      left.map(({ id }) => once(id)),
    );
    scheduleAll(
      GRANT_JOB,
      ended.map(({ id }) => revocationOf(id)),
    );
  });

/**
 * Ends the connection of a deactivated member, unless the member was reactivated meanwhile: stops its channels as far as Google answers,
 * then deletes it.
 */
export async function endLeaver(run: OrganisationRun<{ connection_id: string }>): Promise<void> {
  const { connection_id: id } = run.payload;
  const place = [run.organisation.id, id];
  const row = await run.read(() => queryOne<WorkspaceConnectionRow>(ONE_LEFT, place));
  if (!row) return;
  if (row.status === "active") {
    const trouble = await stopChannels(id, run);
    if (trouble !== null)
      run.logger.warn(
        { event: "workspace.member_channel_not_stopped", connection: id, reason: trouble },
        "a channel of a member who left was not stopped",
      );
  }
  await run.write(async () => {
    const left = await queryOne<WorkspaceConnectionRow>(LOCK_LEFT, place);
    if (left) endConnection(left);
  });
}

/**
 * Ends the connection of a member who leaves, in the same transaction. A job ends that of a deactivated
 * member. That of a removed membership is deleted with it: the database stores the grant and schedules the job that revokes it
 * (migration 0092).
 */
export const endOfMember: Hook<"membership.leaving"> = async ({ account_id: accountId, is_removed: isRemoved }) => {
  const row = await lockedConnection(accountId);
  if (!row) return;
  if (!isRemoved) {
    const { payload, ...options } = once(row.id);
    schedule(LEAVE_JOB, payload, options);
    return;
  }
  trail("workspace_connection", row.id, "workspace.disconnected", { email: row.email });
  leavesWork();
};
