import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Beat } from "../kuma/heartbeat.ts";
import { type Announcement, announce } from "./announcing.ts";
import { isUnsettled } from "./heartbeats.due.ts";
import { ANNOUNCEMENTS, DECIDED, SILENT, STATE, STORE_INCIDENTS } from "./outages.ts";

const IS_NEWER = "(m.last_heartbeat_at is null or b.at > m.last_heartbeat_at)";
const MOVES = "k.status is distinct from k.last_status";

/**
 * Records heartbeats of one instance, at most one per monitor. Locks monitors in the order of their ids. Stores every delivery, but of the
 * heartbeats read every few minutes only changes of status. A duplicate heartbeat changes nothing.
 */
const RECORD = statement(`with ${SILENT},
  known as materialized (
    select m.id, m.name, m.target, m.company_id, m.website_id, m.last_status, m.outage_since, m.turns, m.flapping, m.announced,
        b.status, b.at, b.ping_ms, b.message, ${IS_NEWER} as is_newer
      from jsonb_to_recordset($3::jsonb) b (remote_id int, status text, at timestamptz, ping_ms int, message text)
      join uptime_monitors m on m.organisation_id = $1 and m.instance_id = $2 and m.remote_id = b.remote_id
     order by m.id for update of m),
  ${DECIDED},
  stored as (
    insert into uptime_heartbeats (id, organisation_id, monitor_id, status, at, ping_ms, message)
    select gen_random_uuid(), $1, k.id, k.status, k.at, k.ping_ms, k.message from known k where $4 or (${MOVES} and k.is_newer)
    on conflict on constraint uptime_heartbeats_key do nothing),
  ${STORE_INCIDENTS},
  moved as (
    update uptime_monitors m set last_status = d.status, last_heartbeat_at = d.at,
        last_status_since = case when d.status is distinct from d.last_status then d.at else m.last_status_since end, ${STATE},
        version = m.version + (d.status is distinct from d.last_status or d.flaps <> d.flapping)::int,
        updated_at = case when d.status is distinct from d.last_status or d.flaps <> d.flapping then statement_timestamp()
          else m.updated_at end
      from decided d where m.organisation_id = $1 and m.id = d.id and d.is_newer)
  ${ANNOUNCEMENTS}`);

/**
 * Records heartbeats of an instance in the running transaction, and announces the monitors whose state changed: down, up again, or flapping
 * (workspace-reporting §5). The number of statements is fixed.
 * @param isDelivery whether the server delivered them, instead of this service reading them
 * @returns how many belong to a known monitor
 */
export async function recordBeats(instanceId: string, beats: readonly Beat[], isDelivery: boolean): Promise<number> {
  if (beats.length === 0) return 0;
  const given = beats.map(({ remoteId, status, at, pingMs, message }) => ({
    remote_id: remoteId,
    status,
    at,
    ping_ms: pingMs,
    message,
  }));
  const { organisation } = request();
  const known = await query<Announcement>(RECORD, [organisation.id, instanceId, JSON.stringify(given), isDelivery]);
  await announce(known);
  return known.length;
}

const DUE = `m.organisation_id = $1 and ${isUnsettled("m")}`;
const IS_DUE = statement(`select 1 from uptime_monitors m where ${DUE} limit 1`);
/** Judges the monitors that were silent or flapping when their state changed, as of now. */
const SETTLE = statement(`with ${SILENT},
  known as materialized (
    select m.id, m.name, m.target, m.company_id, m.website_id, m.outage_since, m.turns, m.flapping, m.announced, null::text as status,
        statement_timestamp() as at, true as is_newer,
        (select h.message from uptime_heartbeats h where h.organisation_id = $1 and h.monitor_id = m.id and h.at = m.outage_since
          and h.status = 'down') as message
      from uptime_monitors m where ${DUE} order by m.id for update of m),
  ${DECIDED},
  moved as (
    update uptime_monitors m set ${STATE}, version = m.version + (d.flaps <> d.flapping)::int,
        updated_at = case when d.flaps <> d.flapping then statement_timestamp() else m.updated_at end
      from decided d where m.organisation_id = $1 and m.id = d.id)
  ${ANNOUNCEMENTS}`);

/** Whether a monitor has a state that was not announced. */
export const isSettlingDue = async (): Promise<boolean> => (await query(IS_DUE, [request().organisation.id])).length > 0;

/** Announces the present state of monitors that have stopped flapping, or are no longer paused, where it differs from the last announced. */
export async function settleMonitors(): Promise<void> {
  await announce(await query<Announcement>(SETTLE, [request().organisation.id]));
}
