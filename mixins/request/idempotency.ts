import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "../../core/database/connection/database.ts";
import { newId } from "../../core/database/model.ts";
import { enqueue, query, queryOne, queryOutside } from "../../core/database/query.ts";
import { isApiError, refusal } from "../../core/errors/errors.ts";
import type { HttpAnswer, HttpParams, RequestStore } from "../../core/request/context.ts";
import { systemRequest } from "../../core/request/system.ts";
import { type Statement, statement } from "../../core/sql/statement.ts";
import { inOwnTransaction, inTenancy } from "../tenancy.ts";

/** The outcome of claiming a key: the earlier answer to replay, or a function that stores the answer of the running request. */
export type Claim = { replay: HttpAnswer } | { remember(answer: HttpAnswer, oneTime: boolean): void };

/** A key held for work that runs before the request's transaction. */
export interface Hold {
  /** Id of the external act for this key; it stays the same if a node dies and another request repeats the work. */
  workId: string;
  /** Whether an earlier request held the key and did not complete. */
  isTakenOver: boolean;
  /** Stops renewing the hold. */
  end(): void;
}

/** Length of a hold and interval of its renewal, in seconds: a dead node's hold lasts this long. */
const HELD = 20;
const RENEWED = 5;
/** Longest wait of a concurrent duplicate for the answer, and interval between its polls; in milliseconds. */
const LONGEST_WAIT = 10_000;
const BETWEEN_LOOKS = 50;

const CLAIM = statement(`insert into idempotency_keys as k (organisation_id, principal_id, path, key, body_hash)
  values ($1, $2, $3, $4, $5)
  on conflict (organisation_id, principal_id, path, key) do update
    set body_hash = excluded.body_hash, status = null, body = null, headers = null, row_id = null, created_at = now()
    where k.created_at < now() - interval '24 hours'
  returning 1`);
const PLACE = "organisation_id = $1 and principal_id = $2 and path = $3 and key = $4";
const KNOWN = `select body_hash, status, body, headers, row_id, held_until is not null as is_held from idempotency_keys where ${PLACE}`;
const LOOK = statement(KNOWN);
const LOOK_FRESH = statement(`${KNOWN} and created_at >= now() - interval '24 hours' and (held_until > now()) is not false`);
const REMEMBER = statement(`update idempotency_keys set status = $5, body = $6, headers = $7, row_id = $8 where ${PLACE}`);
const HOLD =
  statement(`insert into idempotency_keys as k (organisation_id, principal_id, path, key, body_hash, work_id, held_until)
  values ($1, $2, $3, $4, $5, $6, now() + interval '${HELD} seconds')
  on conflict (organisation_id, principal_id, path, key) do update
    set body_hash = excluded.body_hash, status = null, body = null, headers = null, row_id = null, created_at = now(),
      work_id = case when k.held_until is not null and k.body_hash = excluded.body_hash then k.work_id else excluded.work_id end,
      held_until = excluded.held_until
    where k.created_at < now() - interval '24 hours' or k.held_until <= now()
  returning work_id`);
const RENEW = statement(`update idempotency_keys set held_until = now() + interval '${HELD} seconds'
  where ${PLACE} and work_id = $5 and held_until is not null`);
const CLAIM_HELD =
  statement(`update idempotency_keys set held_until = null where ${PLACE} and work_id = $5 and held_until is not null
  returning 1`);
const FREE = statement(`delete from idempotency_keys where ${PLACE} and work_id = $5 and held_until is not null`);
const LEAVE = statement(
  `update idempotency_keys set held_until = now() where ${PLACE} and work_id = $5 and held_until is not null`,
);

/** An operation to run once: its key, the SHA-256 of its content, and its path or action. */
export type Keyed = NonNullable<HttpParams["$http"]["idempotency"]> & { path: string };

/** Longest path stored as it is: an index entry of PostgreSQL has at most 2,704 bytes. */
const LONGEST_PATH = 1000;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Represents the service itself, which has no id, among the principals of keys. */
const SYSTEM_ID = "00000000-0000-0000-0000-000000000000";

/** Makes a key for a job's call that must run once. Its name is permanent, so the parameters are not compared. */
export const keyedCall = (once: string, action: string): Keyed => ({
  key: once,
  bodyHash: sha256(once),
  path: action,
});

interface Remembered {
  body_hash: Buffer;
  status: number | null;
  body: string | null;
  headers: Record<string, string> | null;
  row_id: string | null;
  is_held: boolean;
}

/**
 * Claims an `Idempotency-Key` inside the request's transaction (conventions §11). A concurrent duplicate waits on the unique index for the
 * first request. If that commits, the duplicate gets the same answer; if it is rejected, the duplicate runs itself.
 * @param hold this request's hold on the key; a duplicate then waits in `holdKey`
 * @throws 409 `idempotency_conflict` for another body or a one-time answer, `idempotency_in_progress` when the wait takes too long
 */
export async function claimKey(store: RequestStore, keyed: Keyed, hold?: Hold): Promise<Claim> {
  const place = placeOf(store, keyed);
  const digest = Buffer.from(keyed.bodyHash, "hex");
  const claiming = hold ? queryOne(CLAIM_HELD, [...place, hold.workId]) : queryOne(CLAIM, [...place, digest]);
  const claimed = await claiming.catch((error: unknown) => {
    throw isBusy(error) ? refusal("idempotency_in_progress") : error;
  });
  if (claimed)
    return {
      remember({ status, headers, body: answer }, oneTime) {
        const rowId = answer === null ? null : ((JSON.parse(answer) as { id?: string } | null)?.id ?? null);
        // A cookie is a credential, so it is neither stored nor replayed.
        const { "Set-Cookie": _cookie, ...lasting } = headers;
        const kept = oneTime ? [null, null, null] : [status, answer, JSON.stringify(lasting)];
        enqueue(REMEMBER, [...place, ...kept, rowId]);
      },
    };
  const known = await queryOne<Remembered>(LOOK, place);
  // This request lost its hold by taking too long, and another one has taken the key over.
  if (known?.is_held) throw refusal("idempotency_in_progress");
  return { replay: replayOf(known, digest) };
}

/**
 * The stored answer for a key, or null if there is none yet; for checking before work that precedes the claim.
 * @throws 409 `idempotency_conflict` under the same conditions as `claimKey`
 */
export async function rememberedAnswer(store: RequestStore, keyed: Keyed): Promise<HttpAnswer | null> {
  const known = await queryOutside<Remembered>(LOOK_FRESH, placeOf(store, keyed));
  const digest = Buffer.from(keyed.bodyHash, "hex");
  return known && !(known.is_held && known.body_hash.equals(digest)) ? replayOf(known, digest) : null;
}

/**
 * Holds a key for irreversible work before the claim. A concurrent duplicate waits here for the first request, as in `claimKey`, but
 * without holding a connection.
 * @throws 409 `idempotency_conflict`, `idempotency_in_progress`
 */
export async function holdKey(store: RequestStore, keyed: Keyed): Promise<Hold | { replay: HttpAnswer }> {
  const place = placeOf(store, keyed);
  const workId = newId();
  const values = [...place, Buffer.from(keyed.bodyHash, "hex"), workId];
  const { committed } = store;
  for (let waited = 0; ; waited += BETWEEN_LOOKS) {
    const held = await inOwnTransaction(() => queryOne<{ work_id: string }>(HOLD, values));
    // Holding a key does not prevent a re-run, because the hold remains.
    store.committed = committed;
    if (held) return { ...heldKey(store, [...place, held.work_id], held.work_id), isTakenOver: held.work_id !== workId };
    if (waited >= LONGEST_WAIT) throw refusal("idempotency_in_progress");
    const replay = await rememberedAnswer(store, keyed);
    if (replay) return { replay };
    await sleep(BETWEEN_LOOKS);
  }
}

/** Runs a statement about a held key outside its request. Never throws: if renewal or release fails, the hold expires. */
async function beside({ organisation }: Pick<RequestStore, "organisation">, text: Statement, values: unknown[]): Promise<void> {
  await inTenancy(
    () => systemRequest("idempotency", organisation, "write"),
    () => query(text, values),
  ).catch(() => {});
}

function heldKey(store: RequestStore, values: unknown[], workId: string): Omit<Hold, "isTakenOver"> {
  const timer = setInterval(() => void beside(store, RENEW, values), RENEWED * 1000);
  return { workId, end: () => clearInterval(timer) };
}

/**
 * Releases the key of a failed request. If it failed without a rejection, its external act may have happened: the next holder of the key
 * repeats it under the same id.
 */
export async function releaseKey(
  { organisation, principal }: Pick<RequestStore, "organisation" | "principal">,
  keyed: Keyed,
  { workId }: Hold,
  error: unknown,
): Promise<void> {
  const isRefused = isApiError(error) && error.code < 500;
  const values = [...placeOf({ organisation, principal }, keyed), workId];
  await beside({ organisation }, isRefused ? FREE : LEAVE, values);
}

/** @throws 422 for an empty or too long key */
function placeOf(store: Pick<RequestStore, "organisation" | "principal">, { key, path }: Keyed): unknown[] {
  if (key.length < 1 || key.length > 255)
    throw refusal("validation", "errors.validation", { fields: { "Idempotency-Key": "errors.validation" } });
  const { accountId, serviceAccountId, credential, impersonation } = store.principal ?? {};
  // Service access by an operator is identified by its grant, and a member's view as a client by its session: the client's answers may
  // contain more than the member may see.
  const own = impersonation ? credential?.id : (accountId ?? serviceAccountId ?? credential?.id);
  const who = store.principal?.kind === "system" ? SYSTEM_ID : own;
  return [store.organisation.id, who, path.length > LONGEST_PATH ? sha256(path) : path, key];
}

function replayOf(known: Remembered | undefined, digest: Buffer): HttpAnswer {
  if (!known || known.status === null || !known.body_hash.equals(digest))
    throw refusal(
      "idempotency_conflict",
      undefined,
      known?.row_id && known.body_hash.equals(digest) ? { details: { id: known.row_id } } : {},
    );
  return { status: known.status, body: known.body, headers: { ...known.headers, "Idempotent-Replayed": "true" } };
}
