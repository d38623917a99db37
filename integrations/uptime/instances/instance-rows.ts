import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { organisationAddress } from "../../../core/organisation/organisation-address.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { UptimeInstance, type UptimeInstanceRow } from "../models.ts";
import { seenMonitor } from "../monitors/monitor-rows.ts";
import type { InstanceDetail, UptimeInstanceRead } from "./instance-schemas.ts";
import { hookUrl } from "./webhook-token.ts";

const SELECTION = "$2::uuid[]";
const SHOWN = `select ${columns(UptimeInstance, "t")},
    (select count(*)::int from uptime_monitors m where m.organisation_id = t.organisation_id and m.instance_id = t.id
      and ${seenMonitor("m", SELECTION)}) as monitor_count,
    (select count(*)::int from uptime_untracked u where u.organisation_id = t.organisation_id and u.instance_id = t.id) as untracked_count
  from uptime_instances t where t.organisation_id = $1`;
const ALL = statement(`${SHOWN} and ($3::timestamptz is null or t.updated_at >= $3::timestamptz)
  order by t.name collate kantoor_text, t.id`);
const ONE = statement(`${SHOWN} and t.id = $3`);

type Shown = UptimeInstanceRow & { monitor_count: number; untracked_count: number };
type Answer = Static<typeof UptimeInstanceRead>;

function shown(row: Shown): Answer {
  const { id, name, mode, base_url, ssl_verify, active, status, server_version, monitor_count, untracked_count } = row;
  const { enrolled_at, last_synced_at, heartbeats_read_at, last_error, created_at, updated_at } = row;
  return {
    id,
    name,
    mode,
    base_url,
    ssl_verify,
    active,
    status,
    enrolled: unsealed(UptimeInstance, row, "token") !== null,
    headers_configured: row.connect_headers !== null,
    server_version,
    monitor_count,
    untracked_count,
    enrolled_at,
    last_synced_at,
    heartbeats_read_at,
    last_error,
    created_at,
    updated_at,
  };
}

/** The parameters of a read: the organisation, the caller's selection and one more. */
function callerAnd(value: string | null): unknown[] {
  const { organisation, principal } = request();
  return [organisation.id, principal?.selection ?? null, value];
}

/** The instances by name. @param since an instant; only those changed since then */
export async function instancesSince(since: string | null): Promise<Answer[]> {
  return (await query<Shown>(ALL, callerAnd(since))).map(shown);
}

/** An instance with its webhook address. @throws 404 */
export async function instanceDetail(id: string): Promise<JsonText> {
  const row = await queryOne<Shown>(ONE, callerAnd(id));
  if (!row) throw notFound();
  const secret = unsealed(UptimeInstance, row, "hook_secret");
  const token = secret === null ? null : { organisationId: row.organisation_id, instanceId: id, secret };
  const detail: InstanceDetail = { ...shown(row), webhook_url: token && hookUrl(await organisationAddress(), token) };
  return new JsonText(JSON.stringify(detail), row.version);
}
