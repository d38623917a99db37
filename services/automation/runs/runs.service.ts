import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { optional, page, uuid } from "../../../core/declare/schema.ts";
import { job } from "../../../core/jobs/jobs.ts";
import { resource } from "../../../mixins/resource.ts";
import { AutomationRun } from "../models.ts";
import { executeAll } from "./execution.ts";
import { layOutBeforeReading } from "./matches.ts";
import { runList, runs } from "./run.list.ts";
import { MOST_IN_JOB, RUN_JOB, RUNS_AT_ONCE, type RunPayload } from "./run-jobs.ts";
import { RunRead } from "./run-schemas.ts";
import { sweep } from "./sweep.ts";

/** Longest time of a run in ms: twenty actions, each of which may wait ten seconds for another system. */
const LONGEST = 300_000;

export default resource("automation.runs", {
  model: AutomationRun,
  actions: {
    list: action({
      rest: "GET /automation/runs",
      summary: "What rules did, newest first",
      permission: "automation.run.read",
      query: { rule_id: optional(uuid()), ...listQuery(runList.spec.sorts) },
      returns: page(RunRead),
      async handler(ctx) {
        await layOutBeforeReading();
        return runs().page(ctx.params, { rule_id: ctx.params.rule_id });
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
      about: "Offers runs again that wait for longer than they should, and ends those that were broken off",
      schedule: "*/5 * * * *",
      module: "automation",
      handler: sweep,
    },
  },
});
