import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { refusal } from "../../../core/declare/errors.ts";
import { request } from "../../../core/request/context.ts";
import { inOwnTransaction, keepTold } from "../../../mixins/tenancy.ts";

/** After so many seconds without a sign of life the lease of a node that died may be taken. */
const LEASE = 10;
/** Milliseconds between two signs of life, between two tries to get a lease, and how long is tried in all. */
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
 * Runs work on the rules of a zone while no other caller does, on any node: two that read before either writes would both make a rule. No
 * connection is held meanwhile, and the lease of a node that dies ends by itself.
 * @throws 502 `edge_request_failed` with the seconds to wait where another caller does not come to an end
 */
export async function withLease<T>(zoneId: string, work: () => Promise<T>): Promise<T> {
  const place = [request().organisation.id, zoneId, randomUUID()];
  const deadline = Date.now() + LONGEST_WAIT;
  while (!(await inOwnTransaction(() => queryOne(TAKE, place)))) {
    if (Date.now() > deadline) throw refusal("edge_request_failed", undefined, { details: { retry_after_seconds: LEASE } });
    await sleep(LOOK);
  }
  // A renewal that fails is made up for by the next.
  const renewing = setInterval(() => void keepTold(async () => enqueue(RENEW, place)).catch(() => {}), RENEWED);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    // What is not ended here ends by itself; how the work came out matters more.
    await keepTold(async () => enqueue(END, place)).catch(() => {});
  }
}
