import { enqueue, query, queryOne } from "../core/database/query.ts";
import { seal, unseal } from "../core/database/sealed.ts";
import type { Meta, Organisation } from "../core/declare/principal.ts";
import { refusal } from "../core/errors/errors.ts";
import { drain } from "../core/jobs/drain.ts";
import type { OrganisationRun } from "../core/jobs/jobs.ts";
import { type ActOutcome, request } from "../core/request/context.ts";
import { systemRequest } from "../core/request/system.ts";
import { statement } from "../core/sql/statement.ts";
import { inTenancy, storeOutsideResult } from "./tenancy.ts";

/** A call of an action and its caller, stored until the act is recorded. */
export interface StoredAct {
  /** The parameters; null for a call that only its caller can repeat. */
  call: unknown;
  meta: Omit<Meta, "organisation">;
  /** What its `prepare` returned; the name is the stored one, which nodes of the version before read. */
  kept: ActOutcome;
}

/** The parameter with which the job has an action record its act. Only the system can use it. */
export const RECORDS = "$records";

/** Longest stored call, in characters: speech is longer, and only its caller needs the answer. */
const MOST_CALL = 256 * 1024;
/** Minutes until the first attempt, longer than from the provider's answer to the commit; doubled with every attempt. */
const FIRST_ATTEMPT = 2;
const MOST_ATTEMPTS = 8;
/** Acts of one organisation per run of the job. */
const AT_ONCE = 100;

const STORE = statement(`insert into outside_acts (id, organisation_id, action, content, due_at)
  values ($2, $1, $3, $4, case when $5 then now() + interval '${FIRST_ATTEMPT} minutes' end)
  on conflict (id) do update set content = excluded.content, due_at = excluded.due_at`);
const LOAD = statement("select content from outside_acts where organisation_id = $1 and id = $2");
const RECORDED = statement("delete from outside_acts where organisation_id = $1 and id = $2 returning 1");
const CLAIM = statement(`update outside_acts set attempts = attempts + 1,
    due_at = case when attempts + 1 < ${MOST_ATTEMPTS} then now() + interval '${FIRST_ATTEMPT} minutes' * 2 ^ (attempts + 1) end
  where organisation_id = $1 and id in (select id from outside_acts where organisation_id = $1 and due_at <= now()
    order by due_at limit ${AT_ONCE} for update skip locked)
  returning id, action, due_at is null as is_last`);

/** @throws TypeError for values that JSON would lose: a bug in the action's `prepare` */
function plain(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const own = this[key];
  const kind = typeof own === "object" && own !== null ? Object.getPrototypeOf(own) : Object.prototype;
  if (typeof own === "function" || (kind !== null && kind !== Object.prototype && kind !== Array.prototype))
    throw new TypeError(`a prepare that acts outside must return JSON, and '${key}' is not`);
  return value;
}

const placeOf = (organisation: string, row: string) => ({ table: "outside_acts", column: "content", organisation, row });

/**
 * Stores the running request's external act in its own transaction, so that a dying node no longer loses it. The returned value has passed
 * through JSON; every run of the request continues with it.
 */
export async function storeAct(id: string, action: string, { call, meta, kept }: StoredAct): Promise<ActOutcome> {
  const running = request();
  const { organisation, committed, mayBeKept } = running;
  const size = JSON.stringify(call).length;
  const text = JSON.stringify({ call: size > MOST_CALL ? null : call, meta, kept } satisfies StoredAct, plain);
  const content = seal(text, placeOf(organisation.id, id));
  await storeOutsideResult(async () => enqueue(STORE, [organisation.id, id, action, content, size <= MOST_CALL]));
  // Its own commit does not prevent a re-run: a later run finds the stored act.
  Object.assign(running, { committed, mayBeKept });
  return (JSON.parse(text) as StoredAct).kept;
}

/** The stored data of an unrecorded act; null if there is none or it cannot be decrypted. */
export async function storedAct(organisation: Organisation, id: string): Promise<StoredAct | null> {
  const found = await inTenancy(
    () => systemRequest("acts", organisation, "read"),
    () => queryOne<{ content: string }>(LOAD, [organisation.id, id]),
  );
  const text = unseal(found?.content, placeOf(organisation.id, id));
  return text === null ? null : (JSON.parse(text) as StoredAct);
}

/**
 * Removes an act from the store in the transaction that records it, so that it is recorded once.
 * @throws 503 if another node has recorded it meanwhile
 */
export async function recordAct(id: string): Promise<void> {
  if (!(await queryOne(RECORDED, [request().organisation.id, id]))) throw refusal("unavailable");
}

/** Forgets an act if its request was rejected while recording it. Never throws: the job retries an act that remains. */
export async function forgetAct(organisation: Organisation, id: string): Promise<void> {
  await inTenancy(
    () => systemRequest("acts", organisation, "write"),
    () => query(RECORDED, [organisation.id, id]),
  ).catch(() => {});
}

/** Records the external acts of dead nodes: each action's handler runs as its caller, with the result of its `prepare`. */
export async function recordDueActs({ organisation, write, call, logger, signal }: OrganisationRun): Promise<void> {
  const due = await write(() => query<{ id: string; action: string; is_last: boolean }>(CLAIM, [organisation.id]));
  await drain(due, { signal }, async ({ id, action, is_last }) => {
    try {
      const answer = await call(action, { [RECORDS]: id });
      if (answer) logger.info({ event: "acts.act_recorded", action, work: id }, "a job recorded an outside act of a request");
      else
        logger.warn(
          { event: "acts.act_skipped", action, work: id },
          "an outside act of the request is recorded already, or does not decrypt",
        );
    } catch (error) {
      const details = { action, work: id, error: (error as Error).message };
      if (is_last)
        logger.error({ event: "acts.act_not_recorded", ...details }, "an outside act of the request could not be recorded");
      else logger.warn({ event: "acts.act_delayed", ...details }, "an outside act of the request is not recorded yet");
    }
  });
}
