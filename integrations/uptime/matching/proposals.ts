import { namedRecord } from "../../../core/database/named-record.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { namedClient } from "../../../mixins/named/named-clients.ts";
import { matchingDomains, matchingWebsites, visibleMonitor } from "../monitors/monitor-rows.ts";
import type { Anchor } from "../monitors/monitor-schemas.ts";

/** A record that a monitor may watch. */
export interface Candidate {
  entity_type: Anchor;
  entity_id: string;
  entity_name: string;
  company_id: string | null;
  company_name: string | null;
}

/** An unlinked monitor and its candidates. */
export interface Proposal {
  monitor_id: string;
  name: string;
  target: string | null;
  link_status: "matched" | "ambiguous" | "unmatched";
  candidates: Candidate[];
}

const SOURCES = "$2::uuid[]";
const CLIENT = namedRecord("client", namedClient, "md.company_id", SOURCES, "md");
const shown = (type: Anchor, id: string) =>
  `select '${type}' as entity_type, ${id} as entity_id, md.label as entity_name, client.id as company_id, client.name as company_name`;

/** A website with exactly this host wins over the domains that contain the host (workspace-reporting §5, "Matching"). */
const PROPOSALS = statement(`select t.id as monitor_id, t.name, t.target,
    case jsonb_array_length(c.candidates) when 0 then 'unmatched' when 1 then 'matched' else 'ambiguous' end as link_status, c.candidates
  from uptime_monitors t
  left join lateral (${shown("website", "mw.id")} ${matchingWebsites(SOURCES, CLIENT)} limit 1) w on true
  cross join lateral (select case when w.entity_id is not null then jsonb_build_array(to_jsonb(w)) else coalesce(
      (select jsonb_agg(to_jsonb(d) order by length(d.entity_name) desc, d.entity_id)
        from (${shown("domain", "md.id")} ${matchingDomains(SOURCES, CLIENT)}) d), '[]'::jsonb) end as candidates) c
  where t.organisation_id = $1 and num_nonnulls(t.website_id, t.domain_id, t.hosting_id) = 0
    and (${SOURCES} is null or ${visibleMonitor(SOURCES)}) and ($3::uuid[] is null or t.id = any($3::uuid[])) and t.host_names <> '{}'
  order by t.name collate kantoor_text, t.id limit $4`);

/**
 * The candidates of unlinked monitors, by monitor name, read in one statement; links nothing.
 * @param ids only these monitors; null for all
 * @param most limit of the result
 */
export const proposals = (ids: readonly string[] | null, most: number): Promise<Proposal[]> => {
  const { organisation, principal } = request();
  return query<Proposal>(PROPOSALS, [organisation.id, principal?.selection ?? null, ids, most]);
};
