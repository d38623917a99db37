import { query } from "../../../core/database/query.ts";
import { grantsReading } from "../../../core/declare/records.ts";
import { emitAll } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Beat } from "../kuma/heartbeat.ts";

/** Grants of members who can change monitors. They are notified of monitors that no client roster covers. */
const WRITING = ["*", "uptime.monitor.write"];

const BY_CLIENT = statement(`select c.id as company_id,
    array(select m.account_id from company_assignees ca join member_access m on m.organisation_id = $1 and m.account_id = ca.account_id
      where ca.organisation_id = $1 and ca.company_id = c.id and m.is_live and not m.is_client
        and m.membership_id in (select members_holding($1, $3::text[]))) as recipients
  from unnest($2::uuid[]) c(id)`);
const WRITERS = statement(`select m.account_id from member_access m where m.organisation_id = $1 and m.is_live and not m.is_client
  and m.membership_id in (select members_holding($1, $2::text[]))`);

/**
 * The recipients of monitor events, by client: members of the client's roster who can read monitors. If there are none, and for monitors
 * without a client: everyone who can change monitors. Needs two statements for any number of clients.
 * @returns a function from a client's id, or null, to the recipients
 */
async function recipientsBy(companyIds: readonly (string | null)[]): Promise<(companyId: string | null) => string[]> {
  const { organisation } = request();
  const ids = [...new Set(companyIds.filter((id) => id !== null))];
  const [rosters, writers] = await Promise.all([
    query<{ company_id: string; recipients: string[] }>(BY_CLIENT, [organisation.id, ids, grantsReading("uptime_monitor")]),
    query<{ account_id: string }>(WRITERS, [organisation.id, WRITING]),
  ]);
  const byClient = new Map(rosters.map(({ company_id, recipients }) => [company_id, recipients]));
  const others = writers.map(({ account_id }) => account_id);
  return (companyId) => {
    const roster = companyId === null ? [] : (byClient.get(companyId) ?? []);
    return roster.length > 0 ? roster : others;
  };
}

const IS_NEWER = "(k.last_heartbeat_at is null or k.at > k.last_heartbeat_at)";
const MOVES = "k.status is distinct from k.last_status";

/**
 * Records heartbeats of one instance, at most one per monitor. Locks monitors in the order of their ids. Stores every delivery, but of the
 * heartbeats read every few minutes only changes of status. A duplicate heartbeat changes nothing.
 */
const RECORD = statement(`with known as materialized (
    select m.id, m.name, m.target, m.company_id, m.website_id, m.last_status, m.last_heartbeat_at, b.status, b.at, b.ping_ms, b.message
      from jsonb_to_recordset($3::jsonb) b (remote_id int, status text, at timestamptz, ping_ms int, message text)
      join uptime_monitors m on m.organisation_id = $1 and m.instance_id = $2 and m.remote_id = b.remote_id
     order by m.id for update of m),
  stored as (
    insert into uptime_heartbeats (id, organisation_id, monitor_id, status, at, ping_ms, message)
    select gen_random_uuid(), $1, k.id, k.status, k.at, k.ping_ms, k.message from known k where $4 or (${MOVES} and ${IS_NEWER})
    on conflict on constraint uptime_heartbeats_key do nothing),
  moved as (
    update uptime_monitors m set last_status = k.status, last_heartbeat_at = k.at,
        last_status_since = case when ${MOVES} then k.at else m.last_status_since end,
        version = m.version + (${MOVES})::int,
        updated_at = case when ${MOVES} then statement_timestamp() else m.updated_at end
      from known k where m.organisation_id = $1 and m.id = k.id and ${IS_NEWER})
  select k.id, k.name, k.target, k.company_id, k.website_id, k.at, k.message,
      k.status = 'down' and ${MOVES} and ${IS_NEWER} as is_new_down from known k`);

interface Recorded {
  id: string;
  name: string;
  target: string | null;
  company_id: string | null;
  website_id: string | null;
  at: string;
  message: string | null;
  is_new_down: boolean;
}

/**
 * Records heartbeats of an instance in the running transaction, and emits `uptime.monitor.down` for each monitor that went down
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
  const known = await query<Recorded>(RECORD, [organisation.id, instanceId, JSON.stringify(given), isDelivery]);
  const down = known.filter(({ is_new_down }) => is_new_down);
  if (down.length > 0) {
    const recipients = await recipientsBy(down.map(({ company_id }) => company_id));
    emitAll(
      "uptime.monitor.down",
      "uptime_monitor",
      down.map(({ id, name, target, company_id, website_id, at, message }) => ({
        entityId: id,
        payload: {
          monitor_id: id,
          title: name,
          target,
          company_id,
          website_id,
          at: new Date(at).toISOString(),
          message,
          recipients: recipients(company_id),
        },
      })),
    );
  }
  return known.length;
}
