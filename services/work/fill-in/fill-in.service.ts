import { enqueue } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { service } from "../../../mixins/resource.ts";

/** Minutes after which a run counts as stuck (work chapter §3.11). */
const STUCK_AFTER = 20;

const FAIL_STUCK = statement(`update tasks set ai_status = 'failed', ai_status_at = statement_timestamp()
  where organisation_id = $1 and ai_status in ('queued', 'running') and ai_status_at < statement_timestamp() - make_interval(mins => $2)`);

/**
 * The background fill-in of tasks that come from imported messages. What queues and runs it comes with the mailbox and the models; a write of
 * `ai_status` sets `ai_status_at` with it.
 */
export default service("tasks.fill-in", {
  actions: {},
  jobs: {
    "tasks.fail-stuck-fill-ins": {
      about: `Fails fill-ins of tasks that have been stuck for ${STUCK_AFTER} minutes`,
      schedule: "*/15 * * * *",
      handler: (run) => run.write(async () => enqueue(FAIL_STUCK, [run.organisation.id, STUCK_AFTER])),
    },
  },
});
