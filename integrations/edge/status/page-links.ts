import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trailEach } from "../../../core/trail/trail.ts";
import type { DomainFacts } from "../redirects/domain-at-edge.ts";
import { suffixesOf } from "../sync/projects.ts";
import type { ServedHost } from "./probing.ts";

const HOSTS = "jsonb_to_recordset($4::jsonb) h (id uuid, project_id uuid, hostname text, status text, error text, longer text[])";
const REFRESH = statement(`update edge_page_links l set
    status = case when h.hostname is null then l.status else h.status end,
    last_error = case when h.hostname is null then l.last_error else h.error end,
    missing_at = case when h.hostname is null then coalesce(l.missing_at, $5) end,
    last_checked_at = $5, version = l.version + 1, updated_at = statement_timestamp()
  from edge_page_links own left join ${HOSTS} on h.project_id = own.project_id and h.hostname = own.hostname
  where own.organisation_id = $1 and own.domain_id = $2 and own.project_id = any($3::uuid[])
    and l.organisation_id = own.organisation_id and l.id = own.id
    and (h.hostname is not null or coalesce(own.last_checked_at, own.created_at) < $6)`);
const ADOPT = statement(`insert into edge_page_links
    (id, organisation_id, project_id, domain_id, hostname, status, last_error, discovered_at, last_checked_at)
  select h.id, $1, h.project_id, $2, h.hostname, h.status, h.error, $5, $5 from ${HOSTS}
   where h.longer is not null and h.project_id = any($3::uuid[])
     and not exists (select 1 from domains d where d.organisation_id = $1 and d.name = any(h.longer))
  on conflict on constraint edge_page_links_key do nothing
  returning hostname, (select name from edge_projects p where p.organisation_id = $1 and p.id = project_id) as project`);

/** The names from a host up to, but excluding, its domain; null for a host outside it. */
function namesBelow(hostname: string, domain: string): string[] | null {
  const names = suffixesOf(hostname);
  const at = names.indexOf(domain);
  return at < 0 ? null : names.slice(0, at);
}

/**
 * Refreshes the page links of a domain on the sites that were read (assets §8.3). It also adopts hostnames without a link for which no
 * domain matches more closely. Sites that were not read stay unchanged. The number of statements is fixed.
 * @param served hostnames by the id of the site
 * @param began ISO instant before the sites were read: a hostname that was registered since is not missing from them
 * @param now ISO instant
 */
export async function refreshLinks(
  { id, name }: DomainFacts,
  served: ReadonlyMap<string, readonly ServedHost[]>,
  began: string,
  now: string,
): Promise<void> {
  if (served.size === 0) return;
  const hosts = [...served].flatMap(([project_id, ofProject]) =>
    ofProject.map((host) => ({ id: newId(), project_id, ...host, longer: namesBelow(host.hostname, name) })),
  );
  const values = [request().organisation.id, id, [...served.keys()], JSON.stringify(hosts), now];
  enqueue(REFRESH, [...values, began]);
  const adopted = await query<{ hostname: string; project: string }>(ADOPT, values);
  trailEach(
    "domain",
    "edge.pages_linked",
    adopted.map(({ project, hostname }) => ({ entityId: id, payload: { project, hostname } })),
  );
}
