import { columns } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { trail } from "../../../core/database/trail.ts";
import type { Effect } from "../../../core/declare/effects.ts";
import { type OrganisationRun, schedule, scheduleAll } from "../../../core/jobs/jobs.ts";
import { leavesWork } from "../../../core/jobs/outbox.ts";
import { lockedConnection } from "../../../mixins/google/connection.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { stopChannels } from "../calendar/watching.ts";
import { ALL_ENDED, GRANT_JOB, revocationOf, revokedInJob } from "./ended-grants.ts";

/** Ends the connection of a member who has left; the payload is `{ connection_id }`. */
export const LEAVE_JOB = "workspace.connections.leave";
/** The `last_error` between a member's departure and the end of the connection. */
const WHY = "its owner is no longer an active member";

/** SQL: connections of members who are deactivated here or disabled everywhere; nothing uses them any more. */
const LEFT = `workspace_connections c join member_access m
  on m.organisation_id = c.organisation_id and m.account_id = c.account_id and not m.is_live where c.organisation_id = $1`;
const ALL_LEFT = statement(`select c.id from ${LEFT} order by c.id`);
const ONE_LEFT = statement(`select ${columns(WorkspaceConnection, "c")} from ${LEFT} and c.id = $2`);
const SHUT =
  statement(`update workspace_connections set status = 'error', error_since = coalesce(error_since, statement_timestamp()),
    last_error = $3, access_token = null, access_expires_at = null, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and status = 'active'`);
/** Deletes the connection unless its owner was reactivated and has connected again. */
const END = statement(
  `delete from workspace_connections where organisation_id = $1 and id = $2 and refresh_token = $3 returning id`,
);

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
 * Ends the connection of a deactivated member, unless the member was reactivated meanwhile. First disables it; then Google revokes the
 * grant unless another organisation uses it; only then the tokens are deleted, so that after a crash the next run revokes again. After the
 * last attempt the row is deleted anyway.
 * @throws Error to retry
 */
export async function endLeaver(run: OrganisationRun<{ connection_id: string }>): Promise<void> {
  const { connection_id: id } = run.payload;
  const place = [run.organisation.id, id];
  const row = await run.read(() => queryOne<WorkspaceConnectionRow>(ONE_LEFT, place));
  if (!row) return;
  if (row.status === "active") {
    const trouble = await stopChannels(id, run);
    if (trouble !== null) run.logger.warn({ connection: id, reason: trouble }, "a channel of a member who left was not stopped");
  }
  await run.write(async () => enqueue(SHUT, [...place, WHY]));
  const reason = await revokedInJob(run, row);
  if (reason !== null) run.logger.warn({ connection: id, reason }, "the grant of a member who left was not revoked");
  await run.write(async () => {
    if (!(await queryOne(END, [...place, row.refresh_token]))) return;
    trail("workspace_connection", id, "workspace.disconnected", { email: row.email, not_revoked: reason });
  });
}

/**
 * Ends the connection of a member who leaves, in the same transaction. A deactivated member's row stays until a job has revoked the grant.
 * For a removed membership the connection is deleted at once: the database stores the grant and schedules the job that revokes it
 * (migration 0090).
 */
export const endOfMember: Effect<"membership.leaving"> = async ({ account_id: accountId, is_removed: isRemoved }) => {
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
