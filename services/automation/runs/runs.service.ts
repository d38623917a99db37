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
      summary: "List runs of rules, newest first",
      description:
        "`date_from` and `date_to` are days in the organisation's time zone on which the event happened, both included. A run is `skipped` at a depth of 3 or more, and if its rule has run 20 times on the same record within an hour. If a node dies, another node continues its runs within a minute; a run whose call to another system was left without an answer fails with `errors.automation_outcome_unknown`.",
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
      module: "automation",
      handler: sweep,
    },
  },
});
