import { columns } from "../../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../../core/database/query.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { requireMatch } from "../../../../core/http/etag.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { ownHours } from "../../hour-callers.ts";
import { stoppedTimes } from "../entry-times.ts";
import { createEntry } from "../entry-writes.ts";
import { TimeEntry, type TimeEntryRow } from "../models.ts";
import { saveEntry } from "./entry-changes.ts";
import type { TimerStart } from "./entry-schemas.ts";

/** Serialises calls about one person's timer, even while there is no row to lock. */
const TAKE_TURNS = statement("select pg_advisory_xact_lock(hashtextextended('timer ' || $1::uuid || ' ' || $2::uuid, 0))");
/** Whatever its client: a timer whose client left the caller's selection would otherwise run on. */
const RUNNING = statement(`select ${columns(TimeEntry, "t")} from time_entries t
  where t.organisation_id = $1 and t.user_id = $2 and t.ended_at is null for update`);

const now = () => new Date().toISOString();

/** Ends a running entry; the trail records if it was forgotten for more than 24 hours (work chapter §4.1). */
async function endTimer(running: TimeEntryRow, at: string): Promise<void> {
  const { times, capped } = stoppedTimes(running, at);
  await saveEntry(running, times, capped ? { capped } : {});
}

/**
 * Starts the caller's timer and first stops a running one, whatever its client (work chapter §4.2).
 * @returns the id of the new entry
 * @throws 403 for a caller that is not a person, 404 and 422 as for any entry, 412 if the running timer does not match `If-Match`
 */
export async function startTimer(body: Static<typeof TimerStart>): Promise<string> {
  const user_id = ownHours();
  const place = [request().organisation.id, user_id];
  enqueue(TAKE_TURNS, place);
  const current = await queryOne<TimeEntryRow>(RUNNING, place);
  const started_at = now();
  if (current) {
    requireMatch(current.version);
    await endTimer(current, started_at);
  }
  return createEntry({ ...body, user_id, started_at, ended_at: null, minutes: 0, break_minutes: body.break_minutes ?? 0 });
}

/**
 * Stops the caller's timer, whatever its client (work chapter §4.2).
 * @returns the id of its entry
 * @throws 403 for a caller that is not a person, 404 if no timer runs, 412
 */
export async function stopTimer(): Promise<string> {
  const place = [request().organisation.id, ownHours()];
  enqueue(TAKE_TURNS, place);
  const current = await queryOne<TimeEntryRow>(RUNNING, place);
  if (!current) throw notFound();
  requireMatch(current.version);
  await endTimer(current, now());
  return current.id;
}
