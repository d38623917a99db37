import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

const OF_HOSTS = statement(`select f.host, min(f.id::text) as id from (
    select lower(regexp_replace(c.website, '^([a-z]+://)?(www\\.)?([^/:?#]+).*$', '\\3', 'i')) as host, c.id
      from companies c where c.organisation_id = $1 and c.website <> ''
    union
    select split_part(p.email_key, '@', 2), l.company_id from contacts p
      join contact_links l on l.organisation_id = p.organisation_id and l.contact_id = p.id
     where p.organisation_id = $1 and p.email_key <> '') f
  where f.host = any($2::text[]) and ($3::uuid[] is null or f.id in (select selected_companies($3::uuid[])))
  group by f.host having count(distinct f.id) = 1`);

/**
 * The client of each host, where its website or an address of its contacts names exactly one that the caller sees.
 * @param hosts in lower case, without `www.`
 * @returns ids by host; hosts without a client are absent
 */
export async function clientsOfHosts(hosts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (hosts.length === 0) return new Map();
  const { organisation, principal } = request();
  const found = await query<{ host: string; id: string }>(OF_HOSTS, [organisation.id, hosts, principal?.selection ?? null]);
  return new Map(found.map(({ host, id }) => [host, id]));
}
