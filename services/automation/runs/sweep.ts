import { query } from "../../../core/database/query.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { ABANDONED } from "./abandoned.ts";
import { layOutRuns } from "./matches.ts";
import { scheduleRuns } from "./run-jobs.ts";

/** Maximum number of runs rescheduled at once; the next sweep finds the rest. */
const MOST = 500;

/**
 * Runs that should have begun two minutes ago (platform chapter §2.5), and interrupted ones that their own job did not continue, in order.
 */
const WAITING = statement(`(select r.id, r.entity_id, r.created_at from automation_runs r
    where r.organisation_id = $1 and r.status = 'pending' and r.created_at < statement_timestamp() - interval '2 minutes'
    order by r.created_at, r.id limit ${MOST})
  union all (select r.id, r.entity_id, r.created_at from automation_runs r
    where r.organisation_id = $1 and r.status = 'running' and ${ABANDONED("r")}
    order by r.created_at, r.id limit ${MOST})
  order by created_at, id limit ${MOST}`);
/** Begun by a node of an earlier version that is gone, so the progress of its last action is unknown. */
const BROKEN_OFF = statement(`update automation_runs
     set status = 'failed', error = 'errors.unavailable', finished_at = statement_timestamp(), version = version + 1,
         updated_at = statement_timestamp()
   where organisation_id = $1 and status = 'running' and actions is null
     and started_at < statement_timestamp() - interval '15 minutes'`);

/**
 * Reschedules runs that have not begun or were interrupted, and fails those that cannot be continued. The claim stops a duplicate of a run
 * that has begun meanwhile.
 */
export async function sweep({ organisation, write }: Pick<OrganisationRun, "organisation" | "write">): Promise<void> {
  await layOutRuns(write);
  await write(async () => {
    await query(BROKEN_OFF, [organisation.id]);
    scheduleRuns(await query<{ id: string; entity_id: string }>(WAITING, [organisation.id]));
  });
}
