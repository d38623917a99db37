import { createHash } from "node:crypto";
import { columns, newId } from "../../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../../core/database/query.ts";
import { refusal } from "../../../../core/errors/errors.ts";
import { schedule } from "../../../../core/jobs/jobs.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { AdsAccountRow } from "../../../../mixins/google-ads/models.ts";
import { inOwnTransaction, storeOutsideResult } from "../../../../mixins/tenancy.ts";
import { currentActor } from "../../decisions/recording.ts";
import { keepLimits } from "../../policy/limits-lock.ts";
import type { Collection, Planned } from "../requests/operation.ts";
import { AdsIntent, type AdsIntentRow, type OperationResult } from "./intent-model.ts";
import { requireStillWritable } from "./writable.ts";

/** The job that settles writes with an unknown outcome; see `settling`. */
export const SETTLE = "ads.settle";
/** Milliseconds before it checks a write: longer than a write takes. */
export const LOOK_AFTER = 60_000;

const BEGIN =
  statement(`insert into ads_intents (id, organisation_id, account_id, operation, collection, digest, work_id, activity, resource, requested, skipped,
    planned, actor_account_id, actor_service_account_id, actor_name, impersonator_name)
  values ($3, $1, $2, $5, $6, $4, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  on conflict (organisation_id, account_id, digest) where state in ('pending', 'unknown') do nothing returning id`);
const OPEN = statement(`select id from ads_intents where organisation_id = $1 and account_id = $2 and digest = $3
  and state in ('pending', 'unknown')`);
const OF_WORK = statement(
  `select ${columns(AdsIntent)} from ads_intents where organisation_id = $1 and work_id = $2 order by created_at, id`,
);
/** If two callers settle an intent, the first one wins. */
const SETTLED = statement(`update ads_intents set state = $3, outcome = $4, error_code = $5, settled_at = statement_timestamp(),
    version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and state in ('pending', 'unknown') returning id`);
const UNKNOWN =
  statement(`update ads_intents set state = 'unknown', error_code = $3, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and state = 'pending'`);
const FORGET = statement("delete from ads_intents where organisation_id = $1 and id = $2 and state = 'pending'");

/** The operations of one call. */
export interface Sending {
  account: AdsAccountRow;
  /** Name of the route's operation, such as `budgets.create`. */
  operation: string;
  /** The written resource, such as `campaign_budget`. */
  resource: string;
  /** Action of the activity entry, such as `ads.budget_changed`. */
  activity: string;
  collection: Collection;
  planned: readonly Planned[];
  /** Rows in the caller's request, including skipped ones. */
  requested: number;
  skipped: number;
}

const digestOf = ({ account, collection, planned }: Sending): string => {
  const text = JSON.stringify([account.customer_id, collection, planned.map(({ operation }) => operation)]);
  return createHash("sha256").update(text).digest("hex");
};

/** The error for a write whose outcome is unknown. */
export const unknownOutcome = (intentId: string, details: Record<string, string> = {}) =>
  refusal("ads_platform_unreachable", undefined, { details: { ...details, intent_id: intentId } });

/** An intent that was committed, and what it sends. */
interface Begun {
  intentId: string;
  sending: Sending;
}

/**
 * Commits the intent to send a write, and enqueues the job that settles it if no answer arrives.
 * @param judged gives the operations that the limits allow now; it runs in the intent's transaction, and no limit changes before it ends
 * @returns null if no operation is left to send
 * @throws 409 `ads_platform_writes_disabled` if the account was unlinked or writes were switched off meanwhile
 * @throws 422 if the policy no longer allows the operation
 * @throws 502 `ads_platform_unreachable` while the outcome of an identical write is unknown; it is not sent again
 */
export async function beginIntent(accountId: string, judged: () => Promise<Sending>): Promise<Begun | null> {
  const { organisation, workId } = request();
  const intentId = newId();
  const begun = await inOwnTransaction(async (): Promise<Begun | { open: string } | null> => {
    await keepLimits();
    // The account was opened before other calls, and before a turn at a budget.
    await requireStillWritable(accountId);
    const sending = await judged();
    const { operation, collection, activity, resource, requested, skipped, planned } = sending;
    if (planned.length === 0) return null;
    const digest = digestOf(sending);
    const by = currentActor();
    const actor = [by.actor_account_id, by.actor_service_account_id, by.actor_name, by.impersonator_name];
    const facts = [operation, collection, workId ?? null, activity, resource, requested, skipped, JSON.stringify(planned)];
    if (await queryOne(BEGIN, [organisation.id, accountId, intentId, digest, ...facts, ...actor])) {
      const runAt = new Date(Date.now() + LOOK_AFTER);
      schedule(SETTLE, { account_id: accountId }, { runAt, dedupe: accountId });
      return { intentId, sending };
    }
    const open = await queryOne<{ id: string }>(OPEN, [organisation.id, accountId, digest]);
    return { open: open?.id ?? intentId };
  });
  if (begun && "open" in begun) throw unknownOutcome(begun.open);
  return begun;
}

/** The intents of the running request, oldest first; a node that died may have sent them. */
export const intentsOfWork = (): Promise<AdsIntentRow[]> =>
  query<AdsIntentRow>(OF_WORK, [request().organisation.id, request().workId]);

/** The state of a write of which no operation was applied. */
export type Unapplied = "refused" | "superseded";

/**
 * Closes an intent in the running transaction.
 * @param unapplied its state if no operation was applied
 * @returns false if it was closed already
 */
export async function closeIntent(
  id: string,
  outcome: readonly OperationResult[],
  errorCode: string | null = null,
  unapplied: Unapplied = "refused",
): Promise<boolean> {
  const state = outcome.some(({ ok }) => ok) ? "applied" : unapplied;
  const values = [request().organisation.id, id, state, JSON.stringify(outcome), errorCode];
  return (await queryOne(SETTLED, values)) !== undefined;
}

/** Closes an intent that the provider refused as a whole: nothing changed. */
export const closeRefused = (id: string, errorCode: string | null): Promise<void> =>
  storeOutsideResult(async () => {
    await closeIntent(id, [], errorCode);
  });

/** Marks an intent whose outcome is unknown. */
export const markUnknown = (id: string, errorCode: string | null): void =>
  enqueue(UNKNOWN, [request().organisation.id, id, errorCode]);

/** Deletes an intent that was not sent. */
export const forgetIntent = (id: string): Promise<void> =>
  storeOutsideResult(async () => enqueue(FORGET, [request().organisation.id, id]));
