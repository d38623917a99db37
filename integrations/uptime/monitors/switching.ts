import { lock, queueUpdate } from "../../../core/database/write.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { trail } from "../../../core/trail/trail.ts";
import { refusalOf } from "../kuma/failure.ts";
import { UptimeMonitor, type UptimeMonitorRow } from "../models.ts";
import { type Calls, changeAt, isFailure } from "../sessions/asking.ts";
import type { Change } from "../sessions/performing.ts";
import { requireReachable, storedInstance } from "../sessions/stored-instance.ts";

/** The job that resumes a monitor when its pause ends. */
export const RESUME_JOB = "uptime.resume";

/** A pause that ends: the instant as stored. */
export interface PauseEnd extends Record<string, string> {
  monitor_id: string;
  paused_until: string;
}

/** The server of a monitor, and its number there. */
interface Located {
  instanceId: string;
  remoteId: number;
}

/** Where a monitor can be changed. @throws 409 `errors.uptime_not_pushed`, 409 of the session */
export async function reachable(row: UptimeMonitorRow): Promise<Located> {
  const instance = await storedInstance(row.instance_id);
  if (instance.mode === "managed" && row.remote_id === null) throw refusal("validation_error", "errors.uptime_not_pushed");
  requireReachable(instance);
  return { instanceId: instance.id, remoteId: row.remote_id as number };
}

/** Changes a monitor at its server, without an open transaction. @throws 502 of the session */
export async function changeThere(call: Calls, { instanceId }: Located, change: Change): Promise<void> {
  const performed = await changeAt(call, instanceId, change);
  if (isFailure(performed)) throw refusalOf(performed.failure);
}

/** Pauses or resumes a monitor at its server, without an open transaction. @throws like `changeThere` */
export const switchThere = (call: Calls, located: Located, isActive: boolean): Promise<void> =>
  changeThere(call, located, { switch: { remoteId: located.remoteId, isActive } });

/** Locks the monitor to record what its server did; `If-Match` was checked before that. @throws 404 */
export async function stillThere(id: string): Promise<UptimeMonitorRow> {
  const row = await lock(UptimeMonitor, id);
  if (!row) throw notFound();
  return row;
}

/**
 * Records in the running transaction that a locked monitor was paused or resumed at its server.
 * @param pausedUntil when a job resumes it, ISO 8601 UTC; null for a pause without an end, and for a resumed monitor
 */
export function noteSwitched(before: UptimeMonitorRow, isActive: boolean, pausedUntil: string | null = null): void {
  const { id, active, paused_until } = before;
  if (active === isActive && paused_until === pausedUntil) return;
  queueUpdate(UptimeMonitor, id, { active: isActive, paused_until: pausedUntil, last_synced_at: new Date().toISOString() });
  if (active !== isActive) trail("uptime_monitor", id, "updated", { changes: { active: { from: active, to: isActive } } });
}

/** Whether a person paused it, or it was paused at its server: no rule gives such a pause an end. */
export const isPausedByPerson = ({ active, paused_until }: Pick<UptimeMonitorRow, "active" | "paused_until">): boolean =>
  !active && paused_until === null;

/**
 * Records in the running transaction that a rule paused a locked monitor, and schedules the job that resumes it.
 * @returns when the pause ends, ISO 8601 UTC: at the later end if it was paused already
 */
export function notePausedFor(before: UptimeMonitorRow, minutes: number, now = Date.now()): string {
  const earlier = before.paused_until === null ? 0 : Date.parse(before.paused_until);
  const until = new Date(Math.max(earlier, now + minutes * 60_000)).toISOString();
  noteSwitched(before, false, until);
  schedule(RESUME_JOB, { monitor_id: before.id, paused_until: until }, { runAt: new Date(until) });
  return until;
}

/** Whether the pause of a job is the monitor's current one: no person resumed or paused it since, and no rule extended it. */
export const isCurrentPause = (row: UptimeMonitorRow | undefined, { paused_until }: PauseEnd): row is UptimeMonitorRow =>
  row !== undefined && !row.active && row.paused_until !== null && Date.parse(row.paused_until) === Date.parse(paused_until);
