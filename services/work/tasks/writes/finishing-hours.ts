import { forbidden } from "../../../../core/errors/errors.ts";
import { callerId, mayCaller } from "../../../../core/request/caller.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationZone } from "../../../../core/request/today.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { requireLicence } from "../../../../mixins/licence.ts";
import { claimBlock, logBlock } from "../../planning/block-writes.ts";
import type { StoredTask } from "../../task-access.ts";
import { entryInstant } from "../../time/entries/entry-changes.ts";
import { finishingTimes } from "../../time/entry-times.ts";
import { createEntry, describedBy } from "../../time/entry-writes.ts";
import type { TaskLogTime } from "../task-schemas.ts";

/** @throws 403 for a caller who cannot write hours, 402 while the licence does not allow it (work chapter §3.4, `log_time`) */
export function requireMayLog(): void {
  if (!mayCaller("time.entry.write")) throw forbidden();
  requireLicence("time", request().principal);
}

/**
 * Writes the caller's own hours on a task being finished, from a planned block if the body names one.
 * @throws 403 for a caller without hours of its own; 404, 409, 422 of the entry and the block
 */
export async function logFinishing(task: Pick<StoredTask, "id" | "title">, sent: Static<typeof TaskLogTime>): Promise<void> {
  const user_id = callerId();
  if (user_id === null) throw forbidden();
  const { description, billable, entry_type_key, schedule_id } = sent;
  const times = finishingTimes(
    { started_at: entryInstant(sent.started_at), ended_at: entryInstant(sent.ended_at) },
    organisationZone(),
  );
  if (schedule_id) await claimBlock(schedule_id, task.id);
  const entry = await createEntry({
    ...times,
    user_id,
    task_id: task.id,
    description: describedBy(description, task.title),
    billable,
    entry_type_key,
  });
  if (schedule_id) logBlock(schedule_id, entry);
}
