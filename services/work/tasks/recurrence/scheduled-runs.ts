import { query } from "../../../../core/database/query.ts";
import { queueUpdate } from "../../../../core/database/write.ts";
import type { OrganisationRun } from "../../../../core/jobs/jobs.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { statusRules } from "../../statuses/status-rows.ts";
import { lockSeenTask } from "../../task-access.ts";
import { Task } from "../../task-models.ts";
import { makeOccurrence } from "./occurrences.ts";
import { runsOn } from "./recurrence.ts";

const DUE = statement(
  `select id from tasks where organisation_id = $1 and recurrence_next_run <= $2 order by recurrence_next_run, id`,
);

/**
 * Creates the next occurrence of a due carrier. If two nodes find it, the second waits for the first, then sees that the rule has moved on.
 */
async function runCarrier(id: string): Promise<void> {
  const carrier = await lockSeenTask(id);
  if (!carrier.recurrence || !runsOn(carrier.recurrence_next_run, organisationToday())) return;
  queueUpdate(Task, id, { recurrence: null, recurrence_next_run: null });
  await makeOccurrence(carrier, carrier.recurrence, await statusRules());
}

/** Creates the due occurrences, each in its own transaction, so that one failure does not block the others. */
export async function runSchedules(
  run: Pick<OrganisationRun, "organisation" | "today" | "read" | "write" | "signal">,
): Promise<void> {
  const due = await run.read(() => query<{ id: string }>(DUE, [run.organisation.id, run.today()]));
  const failures: unknown[] = [];
  for (const { id } of due) {
    if (run.signal.aborted) return;
    await run.write(() => runCarrier(id)).catch((error: unknown) => failures.push(error));
  }
  // Successful carriers have lost their rule, so a retry handles only the failed ones.
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${due.length} occurrences were not made`);
}
