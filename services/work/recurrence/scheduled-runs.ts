import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { update } from "../../../core/database/write.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statusRules } from "../statuses/status-rows.ts";
import { Task } from "../tasks/models.ts";
import { lockSeenTask } from "../tasks/task-access.ts";
import { makeOccurrence } from "./occurrences.ts";
import { runsOn } from "./recurrence.ts";

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
export async function runSchedules(
  run: Pick<OrganisationRun, "organisation" | "today" | "read" | "write" | "signal">,
): Promise<void> {
  const due = await run.read(() => query<{ id: string }>(DUE, [run.organisation.id, run.today()]));
  const failures: unknown[] = [];
  for (const { id } of due) {
    if (run.signal.aborted) return;
    await run.write(() => runCarrier(id)).catch((error: unknown) => failures.push(error));
  }
  // Those that are made are not made again: the next attempt meets only what failed.
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${due.length} occurrences were not made`);
}
