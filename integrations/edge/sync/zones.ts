import { domainToUnicode } from "node:url";
import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { withoutLoops } from "../../../core/database/without-loops.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trailEach } from "../../../core/trail/trail.ts";
import { GONE } from "../models.ts";
import type { EdgeAccess } from "../provider/client.ts";
import { IN_JOB, listEdge } from "../provider/listing.ts";
import { type ListedZone, zoneIn } from "../provider/reading.ts";
import type { SyncResult } from "./sync-result.ts";

// A zone visible to two accounts stays with its current one, unless that account can no longer report it.
const UPSERT =
  statement(`insert into edge_zones as z (id, organisation_id, account_id, edge_zone_id, name, label, status, plan, paused,
    name_servers, original_name_servers, last_synced_at)
  select r.id, $1, $2, r.edge_zone_id, r.name, r.label, r.status, r.plan, r.paused, r.name_servers, r.original_name_servers, statement_timestamp()
    from jsonb_to_recordset($3::jsonb) r (id uuid, edge_zone_id text, name text, label text, status text, plan text, paused boolean,
      name_servers text[], original_name_servers text[])
   order by r.edge_zone_id
  on conflict on constraint edge_zones_key do update set
    account_id = case when z.status = '${GONE}' or not exists (select 1 from edge_accounts a where a.organisation_id = z.organisation_id
      and a.id = z.account_id and a.active and a.status = 'active') then excluded.account_id else z.account_id end,
    name = excluded.name, label = excluded.label, status = excluded.status, plan = excluded.plan, paused = excluded.paused,
    name_servers = excluded.name_servers, original_name_servers = excluded.original_name_servers,
    last_synced_at = excluded.last_synced_at, version = z.version + 1, updated_at = statement_timestamp()`);
// A zone that was created or read after the list was requested is not missing from it.
const ABSENT = statement(`update edge_zones set status = '${GONE}', version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and account_id = $2 and status <> '${GONE}' and edge_zone_id not in (select unnest($3::text[]))
    and coalesce(last_synced_at, created_at) < $4::timestamptz`);
/**
 * The domain of each listed zone without one, if only a gone zone or none claims it; of several zones with one name, the active one first.
 */
const UNCLAIMED = statement(`select distinct on (d.id) z.id as zone_id, z.name, d.id as domain_id, g.id as gone_id
  from edge_zones z join domains d on d.organisation_id = z.organisation_id and d.name = z.name
  left join edge_zones g on g.organisation_id = z.organisation_id and g.domain_id = d.id
 where z.organisation_id = $1 and z.edge_zone_id in (select unnest($2::text[])) and z.domain_id is null and coalesce(g.status, '${GONE}') = '${GONE}'
 order by d.id, z.status <> 'active', z.edge_zone_id`);
const RELEASE = statement(`update edge_zones set domain_id = null, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = any($2::uuid[])`);
const LINK =
  statement(`update edge_zones z set domain_id = l.domain_id, version = z.version + 1, updated_at = statement_timestamp()
  from jsonb_to_recordset($2::jsonb) l (zone_id uuid, domain_id uuid) where z.organisation_id = $1 and z.id = l.zone_id`);
/** A requested redirect moves with its domain. */
const CARRY =
  statement(`update edge_redirects r set zone_id = l.zone_id, version = r.version + 1, updated_at = statement_timestamp()
  from jsonb_to_recordset($2::jsonb) l (zone_id uuid, domain_id uuid)
 where r.organisation_id = $1 and r.domain_id = l.domain_id and r.zone_id <> l.zone_id`);
const LINKED = statement(`select count(*)::int as count from edge_zones
  where organisation_id = $1 and edge_zone_id in (select unnest($2::text[])) and domain_id is not null`);

/** All zones visible to the token in an account. @throws EdgeFailure */
export async function readZones(access: EdgeAccess, edgeAccountId: string | null): Promise<ListedZone[]> {
  const query: Record<string, string> = edgeAccountId === null ? {} : { "account.id": edgeAccountId };
  const rows = await listEdge(access, { operation: "zones.list", path: "/zones", query }, IN_JOB);
  return rows.flatMap((row) => zoneIn(row) ?? []);
}

/** A zone with its name in Unicode. */
export const labelled = (zone: ListedZone) => ({ ...zone, label: domainToUnicode(zone.name) || zone.name });

interface Link {
  zone_id: string;
  name: string;
  domain_id: string;
  gone_id: string | null;
}

/** Links domains to their zones; links of gone zones move to the new ones. In a write. */
export function linkZones(links: readonly Link[]): void {
  if (links.length === 0) return;
  const { organisation, retryableConstraints } = request();
  // If a caller links concurrently, retry.
  retryableConstraints.add("edge_zones_domain_key");
  const gone = links.flatMap(({ gone_id }) => gone_id ?? []);
  const pairs = JSON.stringify(links.map(({ zone_id, domain_id }) => ({ zone_id, domain_id })));
  if (gone.length > 0) enqueue(RELEASE, [organisation.id, gone]);
  enqueue(LINK, [organisation.id, pairs]);
  if (gone.length > 0) enqueue(CARRY, [organisation.id, pairs]);
}

/**
 * Stores a complete list of an account's zones; missing ones are gone (assets §6, Sync 2).
 * @param began the instant before the list was requested
 */
export async function storeZones(
  accountId: string,
  zones: readonly ListedZone[],
  began: string | null,
): Promise<Partial<SyncResult>> {
  const { organisation } = request();
  const ids = zones.map(({ edge_zone_id }) => edge_zone_id);
  const { links, linked } = await withoutLoops(async () => {
    enqueue(UPSERT, [organisation.id, accountId, JSON.stringify(zones.map((zone) => ({ id: newId(), ...labelled(zone) })))]);
    enqueue(ABSENT, [organisation.id, accountId, ids, began]);
    return {
      links: await query<Link>(UNCLAIMED, [organisation.id, ids]),
      linked: await queryOne<{ count: number }>(LINKED, [organisation.id, ids]),
    };
  });
  // By id, like a caller's link: one query plan.
  linkZones(links);
  trailEach(
    "domain",
    "edge.zone_linked",
    links.map(({ domain_id, name }) => ({ entityId: domain_id, payload: { zone: name } })),
  );
  return { zones_synced: zones.length, zones_matched: (linked?.count ?? 0) + links.length };
}
