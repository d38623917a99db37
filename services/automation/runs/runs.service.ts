import { rangeBounds } from "../../../core/calendar/zones.ts";
import { listQuery } from "../../../core/database/lists/list.ts";
import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { job, type OrganisationRun } from "../../../core/jobs/jobs.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { choice, date, optional, page, Type, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { AutomationRun, RUN_STATUSES } from "../models.ts";
import { ABANDONED } from "./abandoned.ts";
import { executeAll } from "./execution.ts";
import { layOutBeforeReading, layOutRuns } from "./matches.ts";
import { runList, runs, unseenKinds } from "./run.list.ts";
import { MOST_IN_JOB, RUN_JOB, RUNS_AT_ONCE, type RunPayload, scheduleRuns } from "./run-jobs.ts";
import { RunRead } from "./run-schemas.ts";
import { unfinishedRuns } from "./runs.due.ts";

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
async function sweep({ organisation, write }: Pick<OrganisationRun, "organisation" | "write">): Promise<void> {
  await layOutRuns(write);
  await write(async () => {
    await query(BROKEN_OFF, [organisation.id]);
    scheduleRuns(await query<{ id: string; entity_id: string }>(WAITING, [organisation.id]));
  });
}

/** Maximum duration of a run in ms: twenty actions, each of which may wait ten seconds for another system. */
const LONGEST = 300_000;

export default resource("automation.runs", {
  model: AutomationRun,
  actions: {
    list: action({
      rest: "GET /automation/runs",
      summary: "List runs of rules, newest first",
      description:
        "Runs about records that the caller may not read are left out. `date_from` and `date_to` are days in the organisation's time zone on which the event happened, both included. A run is `skipped` at a depth of 3 or more, and if its rule has run 20 times on the same record within an hour. If a node dies, another node continues its runs within a minute; a call to another system that was left without an answer is sent again with the same header `webhook-id`.",
      permission: "automation.run.read",
      query: {
        rule_id: optional(uuid()),
        status: optional(choice(RUN_STATUSES, { description: "Runs in this status" })),
        entity_id: optional(Type.String({ format: "uuid", description: "Runs triggered by events of this record" })),
        date_from: optional({ ...date(), description: "First day on which the event happened, in the organisation's time zone" }),
        date_to: optional({ ...date(), description: "Last day on which the event happened, included" }),
        ...listQuery(runList.spec.sorts),
      },
      returns: page(RunRead),
      async handler(ctx) {
        await layOutBeforeReading();
        const { rule_id, status, entity_id, date_from, date_to } = ctx.params;
        const zone = organisationZone();
        return runs().page(ctx.params, {
          rule_id,
          status,
          entity_id,
          created_from: date_from && rangeBounds(date_from, date_from, zone).from,
          created_before: date_to && rangeBounds(date_to, date_to, zone).until,
          ...unseenKinds(),
        });
      },
    }),
  },

  jobs: {
    [RUN_JOB]: job<RunPayload>({
      about: "Executes runs of rules on one record, each once",
      module: "automation",
      concurrency: RUNS_AT_ONCE,
      timeout: MOST_IN_JOB * LONGEST,
      handler: executeAll,
    }),
    "automation.sweep": {
      about: "Reschedules runs that are overdue or were interrupted",
      schedule: "*/5 * * * *",
      due: unfinishedRuns,
      module: "automation",
      handler: sweep,
    },
  },
});
