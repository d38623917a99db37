import { columns, newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { isIdentified, type RemoteMonitor } from "../kuma/remote-monitor.ts";
import { UptimeMonitor, type UptimeMonitorRow, UptimeProfile, type UptimeProfileRow } from "../models.ts";
import { hostNames } from "../monitors/host-names.ts";
import { driftOf } from "./drift.ts";

const KNOWN = statement(`select ${columns(UptimeMonitor)} from uptime_monitors where organisation_id = $1 and instance_id = $2
  order by id for update`);
const PROFILES = statement(`select ${columns(UptimeProfile)} from uptime_profiles where organisation_id = $1`);
const UNTRACKED = statement("select remote_id from uptime_untracked where organisation_id = $1 and instance_id = $2");

const OBSERVED = "remote_id, name, monitor_type, target, port, interval_seconds, retries, active, host_names";
const TYPES = `id uuid, remote_id int, name text, monitor_type text, target text, port int, interval_seconds int, retries int, active boolean,
  host_names text[], sync_status text, drift_fields text[], parent_id uuid`;
const ADD =
  statement(`insert into uptime_monitors (id, organisation_id, instance_id, ${OBSERVED}, sync_status, adopted, last_synced_at)
  select r.id, $1, $2, ${OBSERVED.split(", ")
    .map((name) => `r.${name}`)
    .join(", ")}, 'active', true, statement_timestamp() from jsonb_to_recordset($3::jsonb) r (${TYPES})`);
const SETS = [...OBSERVED.split(", "), "sync_status", "drift_fields", "parent_id"];
const PAIR = (alias: string) => `(${SETS.map((name) => `${alias}.${name}`).join(", ")})`;
// An unchanged monitor keeps its version, so that callers that poll for changes do not get it again. Clears the error of a listed monitor
// unless its last push failed.
const CHANGE = statement(`with changed as (
    update uptime_monitors m set ${SETS.map((name) => `${name} = r.${name}`).join(", ")}, last_synced_at = statement_timestamp(),
        paused_until = case when not r.active then m.paused_until end,
        last_error = case when r.sync_status = 'error' then m.last_error end,
        version = m.version + (${PAIR("m")} is distinct from ${PAIR("r")})::int,
        updated_at = case when ${PAIR("m")} is distinct from ${PAIR("r")} then statement_timestamp() else m.updated_at end
      from jsonb_to_recordset($2::jsonb) r (${TYPES}), uptime_monitors o
     where m.organisation_id = $1 and m.id = r.id and o.organisation_id = $1 and o.id = m.id
    returning ${PAIR("o")} is distinct from ${PAIR("r")} as is_changed)
  select count(*) filter (where is_changed)::int as changed from changed`);
const MISSING =
  statement(`update uptime_monitors set sync_status = 'missing', version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = any($2::uuid[])`);

/** The counts of a sync; see `UptimeSyncResult`. */
export interface Counts {
  found: number;
  added: number;
  changed: number;
  drifted: number;
  missing: number;
  untracked: number;
}

/** The server's values of a monitor, as columns. */
const observed = ({ id, name, type, target, port, interval, retries, active }: RemoteMonitor) => ({
  remote_id: id,
  name: shortened(name, 1_000) || `#${id}`,
  monitor_type: type,
  target,
  port,
  interval_seconds: interval,
  retries,
  active,
  host_names: hostNames(target),
});

/** The requested values of an adopted monitor that its server does not have yet. */
function unwritten({ unpushed, ...row }: UptimeMonitorRow) {
  const isWaiting = (...fields: string[]) => fields.some((field) => unpushed.includes(field));
  const { name, monitor_type, target, port, interval_seconds, retries, host_names, parent_id } = row;
  return {
    ...(isWaiting("name") && { name }),
    ...(isWaiting("monitor_type") && { monitor_type }),
    ...(isWaiting("monitor_type", "target") && { target, host_names }),
    ...(isWaiting("monitor_type", "port") && { port }),
    ...(isWaiting("interval_seconds") && { interval_seconds }),
    ...(isWaiting("retries") && { retries }),
    ...(isWaiting("parent") && { parent_id }),
  };
}

/**
 * Finds the row of a listed monitor: the one with its id, else one without an id that has, or had before, the same name, type and target.
 * This recovers a monitor whose creation was not answered.
 */
function matcher(known: readonly UptimeMonitorRow[]): (monitor: RemoteMonitor) => UptimeMonitorRow | undefined {
  const byNumber = new Map(known.flatMap((row) => (row.remote_id === null ? [] : [[row.remote_id, row] as const])));
  const unplaced = known.filter((row) => row.remote_id === null);
  return (monitor) => {
    const found = byNumber.get(monitor.id);
    if (found) return found;
    const at = unplaced.findIndex((row) => [row, ...row.former].some((identity) => isIdentified(monitor, identity)));
    return at < 0 ? undefined : unplaced.splice(at, 1)[0];
  };
}

/**
 * Stores a server's whole list in the running transaction, in a fixed number of statements (workspace-reporting §5). Adopts new monitors,
 * records the differences of those created here, and marks unlisted ones as missing. Changes nothing at the server.
 * @param began when the list was requested: monitors written to the server since then stay as they are, because the list may be older
 */
export async function storeMonitors(
  instanceId: string,
  listed: readonly RemoteMonitor[],
  began: string | null = null,
): Promise<Counts> {
  const { organisation } = request();
  const place = [organisation.id, instanceId];
  const [known, profiles, skipped] = await Promise.all([
    query<UptimeMonitorRow>(KNOWN, place),
    query<UptimeProfileRow>(PROFILES, [organisation.id]),
    query<{ remote_id: number }>(UNTRACKED, place),
  ]);
  const profileOf = new Map(profiles.map((profile) => [profile.id, profile]));
  const untracked = new Set(skipped.map(({ remote_id }) => remote_id));
  const rowOf = matcher(known);
  const tracked = listed.flatMap((monitor) => {
    const row = rowOf(monitor);
    return row || !untracked.has(monitor.id) ? [{ monitor, row, id: row?.id ?? newId() }] : [];
  });
  const idOf = new Map(tracked.map(({ monitor, id }) => [monitor.id, id]));
  const parentOf = ({ parent }: RemoteMonitor) => (parent === null ? null : (idOf.get(parent) ?? null));
  const added = tracked.filter(({ row }) => row === undefined);
  const isNewer = ({ last_synced_at: written }: UptimeMonitorRow) =>
    began !== null && written !== null && Date.parse(written) >= Date.parse(began);
  const current = tracked.filter(({ row }) => row === undefined || !isNewer(row));
  const states = current.map(({ monitor, row, id }) => {
    // A change not written yet is not a drift of the server.
    const isUnwritten = row && row.unpushed.length > 0 && (row.sync_status === "pending" || row.sync_status === "error");
    if (!row || row.adopted) {
      const there = { ...observed(monitor), parent_id: parentOf(monitor) };
      if (!isUnwritten) return { id, ...there, sync_status: "active", drift_fields: [] };
      return { id, ...there, ...unwritten(row), sync_status: row.sync_status, drift_fields: [] };
    }
    const { name, monitor_type, target, port, interval_seconds, retries, host_names, parent_id } = row;
    const drift_fields = driftOf(row, profileOf.get(row.profile_id ?? "") ?? null, monitor);
    const kept = { name, monitor_type, target, port, interval_seconds, retries, host_names, parent_id };
    const sync_status = isUnwritten ? row.sync_status : drift_fields.length > 0 ? "drift" : "active";
    return { id, ...kept, remote_id: monitor.id, active: monitor.active, sync_status, drift_fields };
  });
  if (added.length > 0) enqueue(ADD, [...place, JSON.stringify(added.map(({ monitor, id }) => ({ id, ...observed(monitor) })))]);
  const [changed] = await query<{ changed: number }>(CHANGE, [organisation.id, JSON.stringify(states)]);
  const here = new Set(tracked.map(({ id }) => id));
  const gone = known.filter((row) => row.remote_id !== null && !here.has(row.id) && !isNewer(row));
  const newlyGone = gone.filter(({ sync_status }) => sync_status !== "missing");
  enqueue(MISSING, [organisation.id, newlyGone.map(({ id }) => id)]);
  const newOnes = new Set(added.map(({ id }) => id));
  return {
    found: listed.length,
    added: newOnes.size,
    // The same statement also sets the groups of new monitors.
    changed: Math.max(
      0,
      (changed?.changed ?? 0) - states.filter(({ id, parent_id }) => newOnes.has(id) && parent_id !== null).length,
    ),
    drifted: states.filter(({ sync_status }) => sync_status === "drift").length,
    missing: gone.length,
    untracked: listed.length - tracked.length,
  };
}
