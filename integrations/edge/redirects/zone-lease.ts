import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOwnTransaction, storeOutsideResult } from "../../../mixins/tenancy.ts";

/** Seconds without renewal after which another node may take over a dead node's lease. */
const LEASE = 10;
/** Milliseconds between renewals, between attempts to take a lease, and until giving up. */
const RENEWED = 3_000;
const LOOK = 100;
const LONGEST_WAIT = 60_000;

const UNTIL = `statement_timestamp() + interval '${LEASE} seconds'`;
const TAKE =
  statement(`insert into edge_zone_leases as l (organisation_id, zone_id, holder, held_until) values ($1, $2, $3, ${UNTIL})
  on conflict (organisation_id, zone_id) do update set holder = excluded.holder, held_until = excluded.held_until
    where l.held_until < statement_timestamp() returning 1`);
const RENEW = statement(
  `update edge_zone_leases set held_until = ${UNTIL} where organisation_id = $1 and zone_id = $2 and holder = $3`,
);
const END = statement("delete from edge_zone_leases where organisation_id = $1 and zone_id = $2 and holder = $3");

/**
 * Runs work on a zone's rules exclusively across all nodes: two callers that read before either writes would both create a rule. It holds
 * no connection meanwhile, and a dead node's lease expires automatically.
 * @throws 502 `edge_request_failed` with the seconds to wait if another caller does not finish
 */
export async function withLease<T>(zoneId: string, work: () => Promise<T>): Promise<T> {
  const place = [request().organisation.id, zoneId, randomUUID()];
  const deadline = Date.now() + LONGEST_WAIT;
  while (!(await inOwnTransaction(() => queryOne(TAKE, place)))) {
    if (Date.now() > deadline) throw refusal("edge_request_failed", undefined, { details: { retry_after_seconds: LEASE } });
    await sleep(LOOK);
  }
  // The next renewal makes up for a failed one.
  const renewing = setInterval(() => void storeOutsideResult(async () => enqueue(RENEW, place)).catch(() => {}), RENEWED);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    // A lease not released here expires; the result of the work matters more.
    await storeOutsideResult(async () => enqueue(END, place)).catch(() => {});
  }
}
