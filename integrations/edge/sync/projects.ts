import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { withoutLoops } from "../../../core/database/without-loops.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trailEach } from "../../../core/trail/trail.ts";
import type { EdgeAccess } from "../provider/client.ts";
import { IN_JOB, listEdge } from "../provider/listing.ts";
import { hostIn, type ListedProject, projectIn, textIn } from "../provider/reading.ts";
import type { SyncResult } from "./sync-result.ts";

/** The most projects per sync whose hostnames are fetched individually. */
const MOST_ASKED = 100;

/** A hostname that a project serves; `status` if the provider reported it. */
interface Served {
  project: string;
  hostname: string;
  status: string | null;
}

/** The static sites read from an account. */
export interface ReadProjects {
  projects: ListedProject[];
  served: Served[];
  /** Names of the projects with known hostnames; the others stay unchanged. */
  judged: string[];
}

const UPSERT = statement(`insert into edge_projects as p (id, organisation_id, account_id, name, subdomain, production_branch,
    last_synced_at)
  select r.id, $1, $2, r.name, r.subdomain, r.production_branch, statement_timestamp()
    from jsonb_to_recordset($3::jsonb) r (id uuid, name text, subdomain text, production_branch text) order by r.name
  on conflict on constraint edge_projects_key do update set subdomain = excluded.subdomain,
    production_branch = excluded.production_branch, gone = false, last_synced_at = excluded.last_synced_at, version = p.version + 1,
    updated_at = statement_timestamp()`);
const ABSENT = statement(`update edge_projects set gone = true, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and account_id = $2 and not gone and not name = any($3::text[])`);
const SERVED = `jsonb_to_recordset($3::jsonb) s (project text, hostname text, status text)`;
const SEEN = statement(`update edge_page_links l set missing_at = null, status = coalesce(s.status, l.status),
    last_checked_at = statement_timestamp(), version = l.version + 1, updated_at = statement_timestamp()
  from ${SERVED} join edge_projects p on p.organisation_id = $1 and p.account_id = $2 and p.name = s.project
 where l.organisation_id = $1 and l.project_id = p.id and l.hostname = s.hostname`);
/** A hostname without a row belongs to the domain with the longest matching suffix. */
const ADOPT = statement(`insert into edge_page_links (id, organisation_id, project_id, domain_id, hostname, status, discovered_at,
    last_checked_at)
  select distinct on (p.id, s.hostname) s.id, $1, p.id, d.id, s.hostname, s.status, statement_timestamp(), statement_timestamp()
    from jsonb_to_recordset($3::jsonb) s (id uuid, project text, hostname text, status text, suffixes text[])
    join edge_projects p on p.organisation_id = $1 and p.account_id = $2 and p.name = s.project
    join domains d on d.organisation_id = $1 and d.name = any(s.suffixes)
   where not exists (select 1 from edge_page_links l where l.organisation_id = $1 and l.project_id = p.id and l.hostname = s.hostname)
   order by p.id, s.hostname, length(d.name) desc
  on conflict on constraint edge_page_links_key do nothing
  returning domain_id, hostname, (select name from edge_projects p where p.organisation_id = $1 and p.id = project_id) as project`);
// A hostname that was registered or read after the list was requested is not missing from it.
const UNSERVED = statement(`update edge_page_links l set missing_at = statement_timestamp(), version = l.version + 1,
    updated_at = statement_timestamp()
  from edge_projects p
 where p.organisation_id = $1 and p.account_id = $2 and l.organisation_id = $1 and l.project_id = p.id and l.missing_at is null
   and (p.gone or p.name = any($4::text[])) and coalesce(l.last_checked_at, l.created_at) < $5::timestamptz
   and not exists (select 1 from ${SERVED} where s.project = p.name and s.hostname = l.hostname)`);
const COUNTED = statement(`select count(*) filter (where l.missing_at is null)::int as matched,
    count(*) filter (where l.missing_at is not null)::int as missing
  from edge_projects p join edge_page_links l on l.organisation_id = p.organisation_id and l.project_id = p.id
 where p.organisation_id = $1 and p.account_id = $2 and (p.gone or p.name = any($3::text[]))`);

/** A hostname and all its suffixes, the longest first. */
export function suffixesOf(hostname: string): string[] {
  const labels = hostname.split(".");
  return labels.map((_, at) => labels.slice(at).join("."));
}

/** Reads an account's static sites and their hostnames. @throws EdgeFailure */
export async function readProjects(access: EdgeAccess, edgeAccountId: string): Promise<ReadProjects & { warnings: string[] }> {
  const path = `/accounts/${encodeURIComponent(edgeAccountId)}/pages/projects`;
  const rows = await listEdge(access, { operation: "projects.list", path }, IN_JOB);
  const byName = new Map(rows.flatMap((row) => projectIn(row) ?? []).map((project) => [project.name, project]));
  const projects = [...byName.values()];
  const withoutHosts = projects.filter(({ hostnames }) => hostnames === null);
  const served = projects.flatMap(({ name, hostnames }) =>
    [...new Set(hostnames ?? [])].map((hostname) => ({ project: name, hostname, status: null as string | null })),
  );
  const judged = projects.filter(({ hostnames }) => hostnames !== null).map(({ name }) => name);
  for (const { name } of withoutHosts.slice(0, MOST_ASKED)) {
    const domains = `${path}/${encodeURIComponent(name)}/domains`;
    const listed = await listEdge(access, { operation: "projects.domains", path: domains }, IN_JOB);
    const hosts = new Map(
      listed.flatMap((row) => {
        const hostname = hostIn(row, "name");
        return hostname === null ? [] : [[hostname, textIn(row, "status")] as const];
      }),
    );
    for (const [hostname, status] of hosts) served.push({ project: name, hostname, status });
    judged.push(name);
  }
  return { projects, served, judged, warnings: withoutHosts.length > MOST_ASKED ? ["pages_domains_truncated"] : [] };
}

/**
 * Stores a complete list of static sites; missing ones are gone and serve nothing (assets §6, Sync 4).
 * @param began the instant before the list was requested
 */
export async function storeProjects(
  accountId: string,
  { projects, served, judged }: ReadProjects,
  began: string | null,
): Promise<Partial<SyncResult>> {
  const place = [request().organisation.id, accountId];
  const rows = projects.map(({ name, subdomain, production_branch }) => ({ id: newId(), name, subdomain, production_branch }));
  const hosts = served.map((one) => ({ id: newId(), ...one, suffixes: suffixesOf(one.hostname) }));
  const { adopted, counted } = await withoutLoops(async () => {
    enqueue(UPSERT, [...place, JSON.stringify(rows)]);
    enqueue(ABSENT, [...place, projects.map(({ name }) => name)]);
    enqueue(SEEN, [...place, JSON.stringify(served)]);
    enqueue(UNSERVED, [...place, JSON.stringify(served), judged, began]);
    return {
      adopted: await query<{ domain_id: string; hostname: string; project: string }>(ADOPT, [...place, JSON.stringify(hosts)]),
      counted: await queryOne<{ matched: number; missing: number }>(COUNTED, [...place, judged]),
    };
  });
  trailEach(
    "domain",
    "edge.pages_linked",
    adopted.map(({ domain_id, hostname, project }) => ({ entityId: domain_id, payload: { project, hostname } })),
  );
  return {
    pages_projects_synced: projects.length,
    pages_domains_synced: served.length,
    pages_links_matched: counted?.matched ?? 0,
    pages_links_adopted: adopted.length,
    pages_links_missing: counted?.missing ?? 0,
  };
}
