import type { RowOf } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { type AutomationOutcome, type ErrorKey, type NamedAction, unusableConfig } from "../../../core/declare/automation.ts";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";
import { isApiError, type RefusalParts } from "../../../core/errors/errors.ts";
import { drain } from "../../../core/jobs/drain.ts";
import { Gathering } from "../../../core/jobs/gathering.ts";
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
     set status = 'running', claimed_by = w.job, started_at = coalesce(r.started_at, statement_timestamp()),
         actions = coalesce(r.actions, (select a.actions from automation_rules a where a.organisation_id = $1 and a.id = r.rule_id)),
         version = r.version + 1, updated_at = statement_timestamp()
    from unnest($2::uuid[], $3::uuid[]) w (id, job)
   where r.organisation_id = $1 and r.id = w.id
     and (r.status = 'pending' or r.status = 'running' and (r.claimed_by = w.job or ${ABANDONED("r")}))
  returning r.id, r.claimed_by, r.rule_name, r.trigger_event, r.entity_type, r.entity_id, r.company_id, r.depth, r.payload, r.steps, r.actions`);
const NOTE = statement(`update automation_runs r
     set steps = n.steps, status = n.status, error = n.error,
         finished_at = case when n.status = 'running' then null else statement_timestamp() end,
         version = r.version + 1, updated_at = statement_timestamp()
    from jsonb_to_recordset($2::jsonb) n (id uuid, steps jsonb, status text, error text)
   where r.organisation_id = $1 and r.id = n.id and r.status = 'running'`);

type Job = Pick<OrganisationRun<RunPayload>, "id" | "organisation" | "payload" | "write" | "call" | "signal" | "logger">;

type Claimed = Row &
  Pick<
    RowOf<typeof AutomationRun>,
    | "id"
    | "claimed_by"
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

interface Claim {
  id: string;
  run: Job;
}

interface Note extends Claim {
  steps: readonly Step[];
  status: string;
  error: string | null;
}

const write = ([first]: readonly Claim[], work: (organisationId: string) => Promise<void>): Promise<void> => {
  const { organisation, write: inTransaction } = (first as Claim).run;
  return inTransaction(() => work(organisation.id));
};
/** Many jobs of an organisation run at the same time: what they write about their runs shares transactions. */
const claims = new Gathering<Claim, Claimed | undefined>(async (items) => {
  const sorted = items.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  let rows: Claimed[] = [];
  await write(items, async (organisationId) => {
    rows = await query<Claimed>(CLAIM, [organisationId, sorted.map(({ id }) => id), sorted.map(({ run }) => run.id)]);
  });
  return items.map(({ id, run }) => rows.find((row) => row.id === id && row.claimed_by === run.id));
});
const notes = new Gathering<Note, void>(async (items) => {
  const rows = items.map(({ id, steps, status, error }) => ({ id, steps, status, error }));
  await write(items, async (organisationId) => enqueue(NOTE, [organisationId, JSON.stringify(rows)]));
  return items.map(() => undefined);
});
const layouts = new Gathering<Claim, void>(async (items) => {
  await layOutRuns((items[0] as Claim).run.write);
  return items.map(() => undefined);
});

/** Claims a run; lays out the runs of the organisation first if it has not been. Undefined for one that is not to be executed. */
async function claimed(run: Job, id: string): Promise<Claimed | undefined> {
  const key = run.organisation.id;
  const claim = () => writeInsistently(insistingFor(run), () => claims.add({ id, run }, key));
  const found = await claim();
  if (found) return found;
  await layouts.add({ id, run }, key);
  return await claim();
}

/** For writes that open their own transaction. */
const insistingFor = ({ signal }: Job) => ({ signal, write: <T>(work: () => Promise<T>) => work() });

/**
 * Executes a rule's actions once (platform chapter §2.5): a delivery that cannot claim the run stops. Each action's own actor executes it,
 * in a transaction of its own; the first failure ends the run. An interrupted run continues after its recorded steps.
 */
async function execute(run: Job, id: string): Promise<void> {
  const mine = await claimed(run, id);
  if (!mine) return;
  // Retries until the outcome of an action is stored, however long the database is down.
  const note = (steps: readonly Step[], status: string, error: ErrorKey | null) => {
    const noted = { id, run, steps: [...steps], status, error: error && shortened(error, RUN_ERROR) };
    return writeInsistently(insistingFor(run), () => notes.add(noted, run.organisation.id));
  };
  if (!mine.actions) return note([], "failed", "errors.automation_rule_deleted");
  const steps: Step[] = [...mine.steps];
  for (const stored of mine.actions.slice(steps.length)) {
    const outcome = await perform(run, mine, stored);
    steps.push(stepOf(stored.action_type, outcome));
    if (outcome.failed !== undefined) return note(steps, "failed", outcome.failed);
    if (steps.length < mine.actions.length) await note(steps, "running", null);
  }
  await note(steps, "succeeded", null);
}

/** Executes the runs of a job in order until the job must stop; the job's next attempt executes the rest. */
export async function executeAll(run: Job): Promise<void> {
  await drain(run.payload.run_ids, { signal: run.signal }, (id) => execute(run, id));
}
