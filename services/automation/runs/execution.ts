import type { RowOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { type Row, statement } from "../../../core/database/statement.ts";
import { type AutomationOutcome, automation, type NamedAction, unusableConfig } from "../../../core/declare/automation.ts";
import { isApiError, type RefusalParts } from "../../../core/declare/errors.ts";
import { type Check, compileBody } from "../../../core/declare/schema.ts";
import { callInsistently, writeInsistently } from "../../../core/jobs/insisting.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { redact } from "../../../core/outbound/redact.ts";
import type { AutomationRun, Step, StoredAction } from "../models.ts";
import { ABANDONED } from "./abandoned.ts";
import { layOutRuns } from "./matches.ts";
import type { RunPayload } from "./run-jobs.ts";

/** Characters of the error of a step, and of a run (platform chapter §2.5). */
const STEP_ERROR = 500;
const RUN_ERROR = 2000;

/** Milliseconds for which an action waits for the database, or for the node that does it, to be there again. */
const LONGEST_WAIT = 240_000;

/**
 * A run belongs to the job that claimed it: another delivery of it finds it pending no more, and stops. The job itself claims it again, also
 * on the node that takes the job over from one that died; another job does only once nothing has been heard of the run for longer than any
 * action takes. It goes on with the actions that it began with.
 */
const CLAIM = statement(`update automation_runs r
     set status = 'running', claimed_by = $3, started_at = coalesce(r.started_at, statement_timestamp()),
         actions = coalesce(r.actions, (select a.actions from automation_rules a where a.organisation_id = $1 and a.id = r.rule_id)),
         version = r.version + 1, updated_at = statement_timestamp()
   where r.organisation_id = $1 and r.id = $2
     and (r.status = 'pending' or r.status = 'running' and (r.claimed_by = $3 or ${ABANDONED("r")}))
  returning r.id, r.rule_name, r.trigger_event, r.entity_type, r.entity_id, r.company_id, r.depth, r.payload, r.steps, r.actions`);
const NOTE = statement(`update automation_runs
     set steps = $3::jsonb, status = $4, error = $5, finished_at = case when $4 = 'running' then null else statement_timestamp() end,
         version = version + 1, updated_at = statement_timestamp()
   where organisation_id = $1 and id = $2 and status = 'running'`);

type Job = Pick<OrganisationRun<RunPayload>, "id" | "organisation" | "payload" | "write" | "call" | "signal" | "logger">;

type Claimed = Row &
  Pick<
    RowOf<typeof AutomationRun>,
    | "id"
    | "rule_name"
    | "trigger_event"
    | "entity_type"
    | "entity_id"
    | "company_id"
    | "depth"
    | "payload"
    | "steps"
    // Null where the rule is gone.
    | "actions"
  >;

const checks = new WeakMap<NamedAction, Check>();

/** The configuration as its action takes it, or null where that cannot use it. */
function usableConfig(action: NamedAction, given: StoredAction["config"]): Record<string, unknown> | null {
  let check = checks.get(action);
  if (!check) checks.set(action, (check = compileBody(action.config, true)));
  const config = structuredClone(given) as Record<string, unknown>;
  try {
    check(config);
    return config;
  } catch (error) {
    if (isApiError(error)) return null;
    throw error;
  }
}

/** Why a call was refused: the most specific key. What is no refusal stands in the log alone, for it may tell of how the service is made. */
function reasonOf(error: unknown, { logger, id }: Job): string {
  if (!isApiError(error)) {
    logger.error(
      { job: id, error: redact(error instanceof Error ? error.message : String(error)) },
      "an action of a rule failed",
    );
    return "errors.server";
  }
  const { fields = {} } = (error.data ?? {}) as RefusalParts;
  return Object.values(fields)[0] ?? error.message;
}

/**
 * Has one action done, as the system, in a transaction of its actor's own. It is done once: where the run has called it before, what came
 * of it then is its outcome.
 */
async function perform(run: Job, claimed: Claimed, stored: StoredAction): Promise<AutomationOutcome> {
  const action = automation().actions.get(stored.action_type);
  if (!action) return { failed: "errors.automation_unknown_action" };
  const config = usableConfig(action, stored.config);
  if (!config) return unusableConfig;
  const { trigger_event: event, entity_type, entity_id, company_id, payload, rule_name, depth } = claimed;
  const trigger = { event, entity_type, entity_id, company_id, payload, rule_name };
  try {
    const cause = { rule: rule_name, depth: depth + 1 };
    const once = `${claimed.id} ${stored.id}`;
    return await callInsistently(run, [action.call, { body: { config, trigger } }, cause, once], LONGEST_WAIT);
  } catch (error) {
    return { failed: reasonOf(error, run) };
  }
}

const stepOf = (action_type: string, { result, failed }: AutomationOutcome): Step => ({
  action_type,
  status: failed === undefined ? "succeeded" : "failed",
  ...(result && { result }),
  ...(failed !== undefined && { error: failed.slice(0, STEP_ERROR) }),
});

/**
 * Does what a rule says, once (platform chapter §2.5): a delivery that cannot claim the run stops. Each action is done by its own actor, in a
 * transaction of its own; the first that fails ends the run. One that was broken off goes on after the steps that were noted.
 */
async function execute(run: Job, id: string): Promise<void> {
  const place = [run.organisation.id, id];
  const claimed = await writeInsistently(run, () => queryOne<Claimed>(CLAIM, [...place, run.id]));
  if (!claimed) return;
  // What an action did is written down however long the database is away.
  const note = (steps: readonly Step[], status: string, error: string | null) =>
    writeInsistently(
      run,
      async () => void (await queryOne(NOTE, [...place, JSON.stringify(steps), status, error?.slice(0, RUN_ERROR) ?? null])),
    );
  if (!claimed.actions) return note([], "failed", "errors.automation_rule_deleted");
  const steps: Step[] = [...claimed.steps];
  for (const stored of claimed.actions.slice(steps.length)) {
    const outcome = await perform(run, claimed, stored);
    steps.push(stepOf(stored.action_type, outcome));
    if (outcome.failed !== undefined) return note(steps, "failed", outcome.failed);
    if (steps.length < claimed.actions.length) await note(steps, "running", null);
  }
  await note(steps, "succeeded", null);
}

/** Does the runs of a job one after another, until it is to stop: what has not begun then is left to the job's next attempt. */
export async function executeAll(run: Job): Promise<void> {
  await layOutRuns(run.write);
  for (const id of run.payload.run_ids) {
    if (run.signal.aborted) return;
    await execute(run, id);
  }
}
