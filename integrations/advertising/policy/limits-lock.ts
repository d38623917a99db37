import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

const KEY = "hashtextextended('ads limits ' || $1::uuid, 0)";
const KEEP = statement(`select pg_advisory_xact_lock_shared(${KEY})`);
const CHANGE = statement(`select pg_advisory_xact_lock(${KEY})`);

/** Keeps the organisation's limits of writes as they are until the running transaction ends: those of a write hold when its intent commits. */
export async function keepLimits(): Promise<void> {
  await query(KEEP, [request().organisation.id]);
}

/**
 * Waits for the writes that are committing their intents under the limits of now. A policy or setting that was changed after this call
 * holds for every later intent.
 */
export async function changeLimits(): Promise<void> {
  await query(CHANGE, [request().organisation.id]);
}
