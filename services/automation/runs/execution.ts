import type { RowOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { type AutomationOutcome, type ErrorKey, type NamedAction, unusableConfig } from "../../../core/declare/automation.ts";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";
import { isApiError, type RefusalParts } from "../../../core/errors/errors.ts";
import { drain } from "../../../core/jobs/drain.ts";
import { callInsistently, writeInsistently } from "../../../core/jobs/insisting.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { type Check, compileBody } from "../../../core/schema/validation.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import type { AutomationRun, Step, StoredAction } from "../models.ts";
import { ABANDONED } from "./abandoned.ts";
import { layOutRuns } from "./matches.ts";
import type { RunPayload } from "./run-jobs.ts";

/** Maximum characters of the error of a step, and of a run (platform chapter §2.5). */
const STEP_ERROR = 500;
const RUN_ERROR = 2000;

/** Milliseconds an action waits for the database, or for the node that executes it, to come back. */
const LONGEST_WAIT = 240_000;

/**
 * A run belongs to the job that claimed it: a second delivery finds it no longer pending, and stops. The same job can claim it again, also
 * on the node that takes the job over from a dead one; another job can only once the run's last update is older than any action takes. A
 * reclaimed run keeps the actions it began with.
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
    // Null if the rule was deleted.
    | "actions"
  >;

const checks = new WeakMap<NamedAction, Check>();

/** The configuration validated for its action, or null if invalid. */
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

const isKey = (text: string): text is ErrorKey => text.startsWith("errors.");

/** The most specific key of a refusal. Any other error goes only to the log, because it may reveal internals. */
function reasonOf(error: unknown, { logger, id }: Job): ErrorKey {
  if (!isApiError(error)) {
    logger.error(
      { event: "automation.action_failed", job: id, error: redact(error instanceof Error ? error.message : String(error)) },
      "an action of a rule failed",
    );
    return "errors.server";
  }
  const { fields = {} } = (error.data ?? {}) as RefusalParts;
  const key = Object.values(fields)[0] ?? error.message;
  return isKey(key) ? key : "errors.validation";
}

/** Executes one action as the system, in its actor's own transaction, and only once: if the run called it before, returns that outcome. */
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
  ...(failed !== undefined && { error: shortened(failed, STEP_ERROR) }),
});

/**
 * Executes a rule's actions once (platform chapter §2.5): a delivery that cannot claim the run stops. Each action's own actor executes it,
 * in a transaction of its own; the first failure ends the run. An interrupted run continues after its recorded steps.
 */
async function execute(run: Job, id: string): Promise<void> {
  const place = [run.organisation.id, id];
  const claimed = await writeInsistently(run, () => queryOne<Claimed>(CLAIM, [...place, run.id]));
  if (!claimed) return;
  // Retries until the outcome of an action is stored, however long the database is down.
  const note = (steps: readonly Step[], status: string, error: ErrorKey | null) =>
    writeInsistently(
      run,
      async () => void (await queryOne(NOTE, [...place, JSON.stringify(steps), status, error && shortened(error, RUN_ERROR)])),
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

/** Executes the runs of a job in order until the job must stop; the job's next attempt executes the rest. */
export async function executeAll(run: Job): Promise<void> {
  await layOutRuns(run.write);
  await drain(run.payload.run_ids, { signal: run.signal }, (id) => execute(run, id));
}
