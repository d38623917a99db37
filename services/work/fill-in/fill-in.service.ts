import { enqueue } from "../../../core/database/query.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { UNREADABLE_ANSWER } from "../../../core/errors/reasons.ts";
import { job, type OrganisationRun } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { FILL_IN } from "../queued-fill-in.ts";
import { STUCK_AFTER, stuckFillIns } from "./fill-in.due.ts";
import { beginFillIn, failFillIn, finishFillIn } from "./fill-in-writes.ts";
import type { Suggested } from "./generated.ts";

const FAIL_STUCK = statement(`update tasks set ai_status = 'failed', ai_status_at = statement_timestamp()
  where organisation_id = $1 and ai_status in ('queued', 'running') and ai_status_at < statement_timestamp() - make_interval(mins => $2)`);

type FillIn = { task_id: string; interaction_id: string };

/** Requests additions to a task, outside any transaction, and writes the allowed ones. */
async function fillIn(run: OrganisationRun<FillIn>): Promise<void> {
  const { task_id: id, interaction_id: interactionId } = run.payload;
  const material = await run.write(() => beginFillIn(id, interactionId));
  if (!material) return run.write(async () => failFillIn(id));
  const today = run.today();
  const suggested = await run.call<Suggested>("ai.tasks.suggest", { body: { ...material, today } });
  await run.write(() => finishFillIn(id, suggested, `${material.subject ?? ""}\n${material.text}`, today));
}

/**
 * A permanent refusal: models are switched off, the budget is used up, the task is gone, or the model's answer could not be read twice. A retry
 * would get the same answer.
 */
const isRefused = (error: unknown): boolean =>
  isApiError(error) && (error.code < 500 || error.data.details?.["reason"] === UNREADABLE_ANSWER);

/** The background fill-in of tasks from imported messages (work chapter §3.11). */
export default service("tasks.fill-in", {
  actions: {},
  jobs: {
    [FILL_IN]: job<FillIn>({
      about: "Fills a task in from a message",
      module: "ai",
      // A provider can take up to three minutes and ten seconds.
      timeout: 240_000,
      retry: { attempts: 3, backoff: { first: 15_000, factor: 4 } },
      async handler(run) {
        try {
          await fillIn(run);
        } catch (error) {
          const isOver = isRefused(error);
          if (isOver || run.lastAttempt) await run.write(async () => failFillIn(run.payload.task_id));
          if (!isOver) throw error;
        }
      },
    }),
    "tasks.fail-stuck-fill-ins": {
      about: `Fails fill-ins of tasks that have been stuck for ${STUCK_AFTER} minutes`,
      schedule: "*/15 * * * *",
      due: stuckFillIns,
      handler: (run) => run.write(async () => enqueue(FAIL_STUCK, [run.organisation.id, STUCK_AFTER])),
    },
  },
});
