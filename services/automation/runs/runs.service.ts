import { rangeBounds } from "../../../core/calendar/zones.ts";
import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { choice, date, optional, page, Type, uuid } from "../../../core/declare/schema.ts";
import { job } from "../../../core/jobs/jobs.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { resource } from "../../../mixins/resource.ts";
import { AutomationRun, RUN_STATUSES } from "../models.ts";
import { executeAll } from "./execution.ts";
import { layOutBeforeReading } from "./matches.ts";
import { runList, runs } from "./run.list.ts";
import { MOST_IN_JOB, RUN_JOB, RUNS_AT_ONCE, type RunPayload } from "./run-jobs.ts";
import { RunRead } from "./run-schemas.ts";
import { sweep } from "./sweep.ts";

/** Maximum duration of a run in ms: twenty actions, each of which may wait ten seconds for another system. */
const LONGEST = 300_000;

export default resource("automation.runs", {
  model: AutomationRun,
  actions: {
    list: action({
      rest: "GET /automation/runs",
      summary: "What rules did, newest first",
      description:
        "`date_from` and `date_to` are days of the organisation's own calendar on which the event happened, both counted. A run is `skipped` at a depth of 3 or more, and where its rule ran 20 times on the same record within an hour. A run whose node died goes on elsewhere within a minute; where a call to another system was left without an answer it has failed with `errors.automation_outcome_unknown`.",
      permission: "automation.run.read",
      query: {
        rule_id: optional(uuid()),
        status: optional(choice(RUN_STATUSES, { description: "Runs in this status" })),
        entity_id: optional(Type.String({ format: "uuid", description: "Runs that this record set off" })),
        date_from: optional({ ...date(), description: "First day on which the event happened, in the organisation's zone" }),
        date_to: optional({ ...date(), description: "Last day on which the event happened, counted too" }),
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
        });
      },
    }),
  },

  jobs: {
    [RUN_JOB]: job<RunPayload>({
      about: "Does what rules say about one record, each run once",
      module: "automation",
      concurrency: RUNS_AT_ONCE,
      timeout: MOST_IN_JOB * LONGEST,
      handler: executeAll,
    }),
    "automation.sweep": {
      about: "Offers runs again that wait for longer than they should, or were broken off",
      schedule: "*/5 * * * *",
      module: "automation",
      handler: sweep,
    },
  },
});
