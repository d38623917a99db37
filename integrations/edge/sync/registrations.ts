import { newId } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { withoutLoops } from "../../../core/database/without-loops.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { EdgeAccess } from "../provider/client.ts";
import { IN_JOB, listEdge } from "../provider/listing.ts";
import { type ListedRegistration, registrationIn } from "../provider/reading.ts";
import type { SyncResult } from "./sync-result.ts";

const UPSERT =
  statement(`insert into edge_registrations as e (id, organisation_id, account_id, name, domain_id, current_registrar,
    at_provider, expires_at, auto_renew, locked, registry_statuses, last_synced_at)
  select r.id, $1, $2, r.name, d.id, r.current_registrar, r.at_provider, r.expires_at, r.auto_renew, r.locked, r.registry_statuses,
      statement_timestamp()
    from jsonb_to_recordset($3::jsonb) r (id uuid, name text, current_registrar text, at_provider boolean, expires_at timestamptz,
      auto_renew boolean, locked boolean, registry_statuses text[])
    left join domains d on d.organisation_id = $1 and d.name = r.name
   order by r.name
  on conflict on constraint edge_registrations_key do update set
    domain_id = coalesce(e.domain_id, excluded.domain_id), current_registrar = excluded.current_registrar,
    at_provider = excluded.at_provider, expires_at = excluded.expires_at, auto_renew = excluded.auto_renew, locked = excluded.locked,
    registry_statuses = excluded.registry_statuses, gone = false, last_synced_at = excluded.last_synced_at,
    version = e.version + 1, updated_at = statement_timestamp()`);
const ABSENT = statement(`update edge_registrations set gone = true, at_provider = false, version = version + 1,
    updated_at = statement_timestamp()
  where organisation_id = $1 and account_id = $2 and not gone and name not in (select unnest($3::text[]))`);
const COUNTED = statement(`select count(*) filter (where at_provider)::int as at_edge, count(domain_id)::int as matched
  from edge_registrations where organisation_id = $1 and account_id = $2 and not gone`);

/** The domains registered in an account, by name; nameless rows are skipped. @throws EdgeFailure */
export async function readRegistrations(access: EdgeAccess, edgeAccountId: string): Promise<ListedRegistration[]> {
  const path = `/accounts/${encodeURIComponent(edgeAccountId)}/registrar/domains`;
  const rows = await listEdge(access, { operation: "registrations.list", path }, IN_JOB);
  const byName = new Map<string, ListedRegistration>();
  for (const row of rows) {
    const read = registrationIn(row);
    if (read) byName.set(read.name, read);
  }
  return [...byName.values()];
}

/** Stores a complete list of registrations; missing ones are gone (assets §6, Sync 5). */
export async function storeRegistrations(
  accountId: string,
  registrations: readonly ListedRegistration[],
): Promise<Partial<SyncResult>> {
  const place = [request().organisation.id, accountId];
  const counted = await withoutLoops(() => {
    enqueue(UPSERT, [...place, JSON.stringify(registrations.map((one) => ({ id: newId(), ...one })))]);
    enqueue(ABSENT, [...place, registrations.map(({ name }) => name)]);
    return queryOne<{ at_edge: number; matched: number }>(COUNTED, place);
  });
  return {
    registrar_read: true,
    registrar_domains_synced: registrations.length,
    registrar_domains_at_edge: counted?.at_edge ?? 0,
    registrar_domains_matched: counted?.matched ?? 0,
  };
}
