import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";

/** Seconds until a dead node's turn expires, and milliseconds between renewals. */
const TURN = 6;
const PROLONGED = 2000;
/** Milliseconds between attempts of a waiting caller, and until it gives up. */
const LOOK = 100;
const LONGEST_WAIT = 20_000;

const TAKE = statement(`update registrar_accounts set pushing = $3, pushing_until = now() + interval '${TURN} seconds'
  where organisation_id = $1 and id = $2 and (pushing is null or pushing = $3 or pushing_until < now()) returning 1`);
const GIVE_BACK = statement(`update registrar_accounts set pushing = null, pushing_until = null
  where organisation_id = $1 and id = $2 and pushing = $3 returning 1`);

/**
 * Runs work that changes name servers at an account, one at a time across all nodes: two callers that look for the same group at once would
 * both find none and create two. It holds no connection meanwhile.
 * @throws 503 if others take too long
 */
export async function inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  const place = [request().organisation.id, accountId, newId()];
  const run = (text: typeof TAKE) => inOwnTransaction(() => queryOne(text, place));
  for (const until = Date.now() + LONGEST_WAIT; !(await run(TAKE)); await sleep(LOOK))
    if (Date.now() > until) throw refusal("unavailable", undefined, { headers: { "Retry-After": String(TURN) } });
  const prolonging = setInterval(() => void run(TAKE).catch(() => {}), PROLONGED);
  try {
    return await work();
  } finally {
    clearInterval(prolonging);
    // If this write fails, the turn expires.
    await run(GIVE_BACK).catch(() => {});
  }
}
