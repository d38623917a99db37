import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { ABANDONED } from "./abandoned.ts";
import { layOutRuns } from "./matches.ts";
import { scheduleRuns } from "./run-jobs.ts";

/** Runs that are offered again at once; the next sweep finds the others. */
const MOST = 500;

/**
 * Those that should have begun two minutes ago (platform chapter §2.5), and those that were broken off and whose own job did not go on with
 * them, in their order.
 */
const WAITING = statement(`(select r.id, r.entity_id, r.created_at from automation_runs r
    where r.organisation_id = $1 and r.status = 'pending' and r.created_at < statement_timestamp() - interval '2 minutes'
    order by r.created_at, r.id limit ${MOST})
  union all (select r.id, r.entity_id, r.created_at from automation_runs r
    where r.organisation_id = $1 and r.status = 'running' and ${ABANDONED("r")}
    order by r.created_at, r.id limit ${MOST})
  order by created_at, id limit ${MOST}`);
/** Begun by a node of an earlier version that is gone: how far its last action came is not known. */
const BROKEN_OFF = statement(`update automation_runs
     set status = 'failed', error = 'errors.unavailable', finished_at = statement_timestamp(), version = version + 1,
         updated_at = statement_timestamp()
   where organisation_id = $1 and status = 'running' and actions is null
     and started_at < statement_timestamp() - interval '15 minutes'`);

/**
 * Offers runs again that have not begun, or were broken off, and ends those that cannot be gone on with. A run that has begun meanwhile is left
 * alone by its claim.
 */
export async function sweep({ organisation, write }: Pick<OrganisationRun, "organisation" | "write">): Promise<void> {
  await layOutRuns(write);
  await write(async () => {
    await query(BROKEN_OFF, [organisation.id]);
    scheduleRuns(await query<{ id: string; entity_id: string }>(WAITING, [organisation.id]));
  });
}
