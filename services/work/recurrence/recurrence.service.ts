import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { update } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import { service } from "../../../mixins/resource.ts";
import { statusRules } from "../statuses/status-rows.ts";
import { Task } from "../tasks/models.ts";
import { plannedTimes } from "../tasks/planned-blocks.ts";
import { followingDates, nextDate, readRecurrence, runsOn } from "../tasks/recurrence.ts";
import { lockSeenTask } from "../tasks/task-access.ts";
import { makeOccurrence } from "./occurrences.ts";
import { RecurrencePreview, RecurrencePreviewRead } from "./recurrence-schemas.ts";

const DUE = statement(
  `select id from tasks where organisation_id = $1 and recurrence_next_run <= $2 order by recurrence_next_run, id`,
);

/**
 * Makes the next occurrence of a carrier whose date has come. Of two nodes that find it the second waits for the first, and then sees that
 * the rule has moved on.
 */
async function runCarrier(id: string): Promise<void> {
  const carrier = await lockSeenTask(id);
  if (!carrier.recurrence || !runsOn(carrier.recurrence_next_run, organisationToday())) return;
  update(Task, id, { recurrence: null, recurrence_next_run: null });
  await makeOccurrence(carrier, carrier.recurrence, await statusRules());
}

/** Makes what is due, each carrier in a transaction of its own: one that cannot be made does not hold up the others. */
async function runSchedules(run: OrganisationRun): Promise<void> {
  const due = await run.read(() => query<{ id: string }>(DUE, [run.organisation.id, run.today()]));
  const failures: unknown[] = [];
  for (const { id } of due) {
    if (run.signal.aborted) return;
    await run.write(() => runCarrier(id)).catch((error: unknown) => failures.push(error));
  }
  // Those that are made are not made again: the next attempt meets only what failed.
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${due.length} occurrences were not made`);
}

export default service("tasks.recurrence", {
  actions: {
    preview: action({
      rest: "POST /tasks/recurrence/preview",
      summary: "The dates a rule would give; nothing is stored",
      permission: "tasks.task.write",
      body: RecurrencePreview,
      returns: RecurrencePreviewRead,
      status: 200,
      handler(ctx) {
        const { recurrence, due_date = null } = ctx.params.body;
        const rule = readRecurrence(recurrence);
        const next_date = nextDate(rule, due_date, organisationToday());
        return {
          next_date,
          following: followingDates(rule, next_date),
          on_completion: rule.mode === "after_completion",
          ...plannedTimes(rule, next_date, organisationZone()),
        };
      },
    }),
  },

  jobs: {
    "tasks.recur": {
      about: "Makes the occurrences of recurring tasks whose date has come",
      schedule: "0 4 * * *",
      timeout: 300_000,
      handler: runSchedules,
    },
  },
});
