import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { refusal } from "../../../core/declare/errors.ts";
import { request } from "../../../core/request/context.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";

/** Seconds after which the turn of a node that died is over, and milliseconds after which one that lives prolongs it. */
const TURN = 6;
const PROLONGED = 2000;
/** Milliseconds between two looks of a caller that waits, and how long it does. */
const LOOK = 100;
const LONGEST_WAIT = 20_000;

const TAKE = statement(`update registrar_accounts set pushing = $3, pushing_until = now() + interval '${TURN} seconds'
  where organisation_id = $1 and id = $2 and (pushing is null or pushing = $3 or pushing_until < now()) returning 1`);
const GIVE_BACK = statement(`update registrar_accounts set pushing = null, pushing_until = null
  where organisation_id = $1 and id = $2 and pushing = $3 returning 1`);

/**
 * Runs work that changes name servers at an account, one at a time over all nodes: two that look for one group at once would both find none and
 * make two. No connection is held meanwhile.
 * @throws 503 when others take too long
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
    // It ends by itself where this cannot be written.
    await run(GIVE_BACK).catch(() => {});
  }
}
