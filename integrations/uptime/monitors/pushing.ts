import { columns } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { failureKey, type PlainFailure } from "../kuma/failure.ts";
import type { OwnedField } from "../kuma/remote-monitor.ts";
import { UptimeMonitor, type UptimeMonitorRow, UptimeProfile, type UptimeProfileRow } from "../models.ts";
import { type Calls, changeAt, isFailure } from "../sessions/asking.ts";
import { wantedOf } from "./wanted.ts";

const MONITOR = statement(`select ${columns(UptimeMonitor, "t")},
    (select p.remote_id from uptime_monitors p where p.organisation_id = t.organisation_id and p.id = t.parent_id) as parent_remote_id
  from uptime_monitors t where t.organisation_id = $1 and t.id = $2`);
const PROFILE = statement(`select ${columns(UptimeProfile)} from uptime_profiles where organisation_id = $1 and id = $2`);
const TAKEN = statement(
  "select remote_id from uptime_monitors where organisation_id = $1 and instance_id = $2 and remote_id is not null",
);
// A change made during the write to the server still has to be written; the version reveals it.
const PUSHED =
  statement(`update uptime_monitors set remote_id = coalesce(remote_id, $3), last_error = null, last_synced_at = statement_timestamp(),
    unpushed = case when version = $4 then '{}' else unpushed end,
    drift_fields = array(select f from unnest(drift_fields) f where f <> all($5::text[])),
    sync_status = case when version <> $4 then sync_status when drift_fields <@ $5::text[] then 'active' else 'drift' end,
    version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);
const FAILED = statement(`update uptime_monitors set sync_status = $3, last_error = $4, version = version + 1,
    updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);

/** The data for writing a monitor to its server. */
export interface Writing {
  monitor: UptimeMonitorRow;
  parentRemoteId: number | null;
  profile: UptimeProfileRow | null;
  /** Ids at the server that belong to other rows; read only if the monitor may have to be looked up. */
  taken: readonly number[];
  isRepeated: boolean;
}

/** The result of a write to a server. */
export interface Pushed {
  id: string;
  remoteId: number;
  version: number;
  fields: readonly OwnedField[];
}

/**
 * Reads the data for writing a monitor; undefined if it no longer exists.
 * @param isRepeated whether an earlier attempt may have created it at the server
 */
export async function readWriting(id: string, isRepeated: boolean): Promise<Writing | undefined> {
  const { organisation } = request();
  const monitor = await queryOne<UptimeMonitorRow & { parent_remote_id: number | null }>(MONITOR, [organisation.id, id]);
  if (!monitor) return undefined;
  const looksUp = isRepeated && monitor.remote_id === null;
  const [profile, taken] = await Promise.all([
    monitor.profile_id === null ? undefined : queryOne<UptimeProfileRow>(PROFILE, [organisation.id, monitor.profile_id]),
    looksUp ? query<{ remote_id: number }>(TAKEN, [organisation.id, monitor.instance_id]) : [],
  ]);
  return {
    monitor,
    parentRemoteId: monitor.parent_remote_id,
    profile: profile ?? null,
    taken: taken.map(({ remote_id }) => remote_id),
    isRepeated,
  };
}

/** Writes a monitor's changes to its server, and with `repairs` also its drifted fields. */
export async function pushMonitor(call: Calls, writing: Writing, repairs = false): Promise<Pushed | PlainFailure> {
  const { monitor, parentRemoteId, profile, taken, isRepeated } = writing;
  const { id, remote_id: remoteId, version, unpushed, drift_fields, former, instance_id } = monitor;
  const fields = [...new Set([...unpushed, ...(repairs ? drift_fields : [])])] as OwnedField[];
  const wanted = wantedOf(monitor, profile, parentRemoteId);
  const performed = await changeAt(call, instance_id, { push: { remoteId, wanted, fields, isRepeated, former, taken } });
  if (isFailure(performed)) return performed.failure;
  return { id, remoteId: performed.value as number, version, fields };
}

/** Stores the result of a write, in the running transaction. */
export function storePushed({ id, remoteId, version, fields }: Pushed): void {
  enqueue(PUSHED, [request().organisation.id, id, remoteId, version, fields]);
}

/** Stores why a write failed, in the running transaction. */
export function storeFailure(id: string, { kind, text }: PlainFailure): void {
  enqueue(FAILED, [request().organisation.id, id, kind === "gone" ? "missing" : "error", text || failureKey(kind)]);
}

export const hasFailed = (pushed: Pushed | PlainFailure): pushed is PlainFailure => "kind" in pushed;
