import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { layOutRuns } from "./matches.ts";
import { scheduleRuns } from "./run-jobs.ts";

/** Runs that are offered again at once; the next sweep finds the others. */
const MOST = 500;

/** Those that should have begun two minutes ago, in their order (platform chapter §2.5). */
const WAITING = statement(`select id, entity_id from automation_runs
  where organisation_id = $1 and status = 'pending' and created_at < statement_timestamp() - interval '2 minutes'
  order by created_at, id limit ${MOST}`);
/** Three times as long as a run may take: the node that did it is gone, and how far its last action came is not known. */
const BROKEN_OFF = statement(`update automation_runs
     set status = 'failed', error = 'errors.unavailable', finished_at = statement_timestamp(), version = version + 1,
         updated_at = statement_timestamp()
   where organisation_id = $1 and status = 'running' and started_at < statement_timestamp() - interval '15 minutes'`);

/** Offers runs again that have not begun, and ends those that were broken off. A run that has begun meanwhile is left alone by its claim. */
export async function sweep({ organisation, write }: Pick<OrganisationRun, "organisation" | "write">): Promise<void> {
  await layOutRuns(write);
  await write(async () => {
    await query(BROKEN_OFF, [organisation.id]);
    scheduleRuns(await query<{ id: string; entity_id: string }>(WAITING, [organisation.id]));
  });
}
