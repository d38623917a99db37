import { isBusy } from "../core/database/database.ts";
import { enqueue, peek, queryOne } from "../core/database/query.ts";
import { statement } from "../core/database/statement.ts";
import { refusal } from "../core/declare/errors.ts";
import type { HttpAnswer, HttpParams, RequestStore } from "../core/request/context.ts";

/** A key that has been claimed for the running request, or the answer a caller already got for it. */
export type Claim = { replay: HttpAnswer } | { remember(answer: HttpAnswer, oneTime: boolean): void };

const CLAIM = statement(`insert into idempotency_keys as k (organisation_id, principal_id, path, key, body_hash)
  values ($1, $2, $3, $4, $5)
  on conflict (organisation_id, principal_id, path, key) do update
    set body_hash = excluded.body_hash, status = null, body = null, headers = null, row_id = null, created_at = now()
    where k.created_at < now() - interval '24 hours'
  returning 1`);
const KNOWN = `select body_hash, status, body, headers, row_id from idempotency_keys
  where organisation_id = $1 and principal_id = $2 and path = $3 and key = $4`;
const LOOK = statement(KNOWN);
const LOOK_FRESH = statement(`${KNOWN} and created_at >= now() - interval '24 hours'`);
const REMEMBER = statement(`update idempotency_keys set status = $5, body = $6, headers = $7, row_id = $8
  where organisation_id = $1 and principal_id = $2 and path = $3 and key = $4`);

type Keyed = NonNullable<HttpParams["$http"]["idempotency"]>;

interface Remembered {
  body_hash: Buffer;
  status: number | null;
  body: string | null;
  headers: Record<string, string> | null;
  row_id: string | null;
}

/**
 * Claims an `Idempotency-Key` inside the request's transaction (conventions §11). A twin waits here on the unique index until the first
 * one ends: committed, it gets the same answer; refused, it goes ahead itself.
 * @throws 409 `idempotency_conflict` for another body or a one-time answer, `idempotency_in_progress` when the wait takes too long
 */
export async function claimKey(store: RequestStore, keyed: Keyed, path: string): Promise<Claim> {
  const place = placeOf(store, keyed, path);
  const digest = Buffer.from(keyed.bodyHash, "hex");
  const claimed = await queryOne(CLAIM, [...place, digest]).catch((error: unknown) => {
    throw isBusy(error) ? refusal("idempotency_in_progress") : error;
  });
  if (claimed)
    return {
      remember({ status, headers, body: answer }, oneTime) {
        const rowId = answer === null ? null : ((JSON.parse(answer) as { id?: string } | null)?.id ?? null);
        // A cookie is a credential: it is neither stored nor given again.
        const { "Set-Cookie": _cookie, ...lasting } = headers;
        const kept = oneTime ? [null, null, null] : [status, answer, JSON.stringify(lasting)];
        enqueue(REMEMBER, [...place, ...kept, rowId]);
      },
    };
  return { replay: replayOf(await queryOne<Remembered>(LOOK, place), digest) };
}

/**
 * The answer that is remembered for a key, or null when there is none: asked before work that comes ahead of the claim.
 * @throws 409 `idempotency_conflict` as the claim would
 */
export async function rememberedAnswer(store: RequestStore, keyed: Keyed, path: string): Promise<HttpAnswer | null> {
  const known = await peek<Remembered>(LOOK_FRESH, placeOf(store, keyed, path));
  return known ? replayOf(known, Buffer.from(keyed.bodyHash, "hex")) : null;
}

/** @throws 422 for a key that is empty or too long */
function placeOf(store: RequestStore, { key }: Keyed, path: string): unknown[] {
  if (key.length < 1 || key.length > 255)
    throw refusal("validation", "errors.validation", { fields: { "Idempotency-Key": "errors.validation" } });
  const who = store.principal?.accountId ?? store.principal?.serviceAccountId;
  return [store.organisation.id, who, path, key];
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
