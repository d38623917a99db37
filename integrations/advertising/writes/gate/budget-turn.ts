import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { enqueue, queryOne } from "../../../../core/database/query.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { inOwnTransaction, storeOutsideResult } from "../../../../mixins/tenancy.ts";

/** Seconds of a lease without renewal; after that, another caller can take over from a node that died. */
const LEASE = 15;
/** Milliseconds between renewals, between attempts to acquire the lease, and of the longest wait for it. */
const RENEWED = 5_000;
const LOOK = 100;
const LONGEST_WAIT = 20_000;

const UNTIL = `statement_timestamp() + interval '${LEASE} seconds'`;
const ONE = "organisation_id = $1 and account_id = $2 and budget_id = $3 and holder = $4";
const TAKE =
  statement(`insert into ads_budget_turns as t (organisation_id, account_id, budget_id, holder, held_until) values ($1, $2, $3, $4, ${UNTIL})
  on conflict (organisation_id, account_id, budget_id) do update set holder = excluded.holder, held_until = excluded.held_until
    where t.held_until < statement_timestamp() returning 1`);
const RENEW = statement(`update ads_budget_turns set held_until = ${UNTIL} where ${ONE}`);
const END = statement(`delete from ads_budget_turns where ${ONE}`);

/**
 * Reads and changes a budget under a lease, so no other caller on any node changes it meanwhile. The allowed increase depends on the
 * current amount: two callers that both read before either writes could raise it twice as far. Holds no database connection meanwhile.
 * @throws 409 `conflict` if another caller holds the lease for too long
 */
export async function inBudgetTurn<T>(accountId: string, budgetId: string, work: () => Promise<T>): Promise<T> {
  const place = [request().organisation.id, accountId, budgetId, randomUUID()];
  const deadline = Date.now() + LONGEST_WAIT;
  while (!(await inOwnTransaction(() => queryOne(TAKE, place)))) {
    if (Date.now() > deadline) throw conflict();
    await sleep(LOOK);
  }
  const renewing = setInterval(() => void storeOutsideResult(async () => enqueue(RENEW, place)).catch(() => {}), RENEWED);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    // If the release fails, the lease expires automatically; the result of the work matters more.
    await storeOutsideResult(async () => enqueue(END, place)).catch(() => {});
  }
}
