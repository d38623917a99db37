import { projection } from "../../../core/database/projection.ts";
import { queryAll } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { EdgeRedirect, GONE } from "../models.ts";
import { linkShown } from "../pages/page-rows.ts";
import type { PagesLinkRead } from "../pages/page-schemas.ts";
import { RedirectRead } from "../redirects/redirect-schemas.ts";
import { isDelegated, newestOf, type OriginState } from "../redirects/routing.ts";
import type { RedirectConflict } from "../redirects/rules/conflicts.ts";
import { zoneShown } from "../zones/zone-rows.ts";
import type { ZoneRead } from "../zones/zone-schemas.ts";
import { issuesOf } from "./issues.ts";
import type { DomainStatusRead, ZoneCandidate } from "./status-schemas.ts";

/** The results of a check that are not stored. */
export interface Live {
  /** Null without an own redirect, or if the rules were not read. */
  redirect: { present: boolean; status_code: number | null; target: string | null; differences: string[] } | null;
  origin: OriginState | null;
  /** The failed probes, in the order of the calls. */
  unavailable: string[];
}

const redirects = projection({ model: EdgeRedirect, schema: RedirectRead });
const OF_DOMAIN = "organisation_id = $1 and domain_id = $2";
/** The same condition for the rows of a projection. */
const SHOWN_OF_DOMAIN = "t.organisation_id = $1 and t.domain_id = $2";
const asJson = (rows: string): Statement => statement(`select to_json(r) as body from (${rows}) r`);

const DOMAIN = asJson(`select t.id, t.label, t.status, t.redirect_url, t.nameservers, t.dns_checked_at from domains t
  where t.organisation_id = $1 and t.id = $2
    and ($3::uuid[] is null or t.company_id in (select selected_companies($3::uuid[])))`);
const ZONE = asJson(`${zoneShown.rows("edge_zones")} where ${SHOWN_OF_DOMAIN}`);
const CANDIDATES = asJson(`select z.account_id, a.name as account_name, z.edge_zone_id, z.status,
    coalesce(z.name_servers, '{}') as name_servers
  from domains d join edge_zones z on z.organisation_id = d.organisation_id and z.name = d.name and z.status <> '${GONE}'
  join edge_accounts a on a.organisation_id = z.organisation_id and a.id = z.account_id
  where d.organisation_id = $1 and d.id = $2 order by a.name, z.id`);
const REDIRECT = asJson(`${redirects.rows("edge_redirects")} where ${SHOWN_OF_DOMAIN}`);
const OWN_RULE = statement(`select rule_id from edge_redirects where ${OF_DOMAIN} and rule_id is not null`);
// Redirect rules before page rules, in probe order.
const OBSERVED = asJson(`select kind, found, observed_at from edge_observations where ${OF_DOMAIN} order by kind desc`);
const LINKS = asJson(`${linkShown.rows("edge_page_links")} where ${SHOWN_OF_DOMAIN} order by t.hostname, t.id`);

interface Facts {
  id: string;
  label: string;
  status: string;
  redirect_url: string | null;
  nameservers: string[] | null;
  dns_checked_at: string | null;
}
type Zone = Static<typeof ZoneRead>;
type Redirect = Static<typeof RedirectRead>;
type Candidate = Static<typeof ZoneCandidate>;
type Link = Static<typeof PagesLinkRead>;
type Observed = { found: RedirectConflict[]; observed_at: string };

/**
 * A domain's state at the edge, from stored data; a check adds its live results (assets §8.3). A fixed number of statements in one batch.
 * @throws 404
 */
export async function domainStatus(domainId: string, live: Live | null): Promise<Static<typeof DomainStatusRead>> {
  const { organisation, principal } = request();
  const place = [organisation.id, domainId];
  const found = await queryAll(
    [DOMAIN, [...place, principal?.selection ?? null]],
    [ZONE, place],
    [CANDIDATES, place],
    [REDIRECT, place],
    [OBSERVED, place],
    [LINKS, place],
    [OWN_RULE, place],
  );
  const bodies = <T>(at: number): T[] => (found[at] ?? []).map(({ body }) => body as T);
  const [domain] = bodies<Facts>(0);
  if (!domain) throw notFound();
  const [zone = null] = bodies<Zone>(1);
  const candidates = bodies<Candidate>(2);
  const [redirect = null] = bodies<Redirect>(3);
  const observed = bodies<Observed>(4);
  const pages_links = bodies<Link>(5);
  const ownRule = found[6]?.[0]?.["rule_id"];
  // A rule that became the domain's own after it was observed is no longer foreign.
  const conflicts = observed.flatMap(({ found: seen }) => seen).filter(({ rule_id }) => rule_id === null || rule_id !== ownRule);
  const expected = zone && zone.status !== GONE ? zone.name_servers : [];
  const nameservers = domain.nameservers ?? [];
  const nameservers_delegated = isDelegated(expected, nameservers);
  const { redirect: redirect_live = null, origin = null, unavailable = [] } = live ?? {};
  return {
    domain_id: domain.id,
    domain_name: domain.label,
    live: live !== null,
    checked_at: newestOf([
      zone?.last_synced_at,
      redirect?.last_checked_at,
      ...pages_links.map(({ last_checked_at }) => last_checked_at),
    ]),
    zone,
    candidates,
    expected_nameservers: expected,
    observed_nameservers: nameservers,
    nameservers_delegated,
    nameservers_checked_at: domain.dns_checked_at,
    redirect,
    redirect_live,
    conflicts,
    redirects_observed_at: newestOf(observed.map(({ observed_at }) => observed_at)),
    origin,
    pages_links,
    domain_status: domain.status,
    domain_redirect_url: domain.redirect_url,
    issues: issuesOf({
      candidates: candidates.length,
      zone,
      isDelegated: nameservers_delegated,
      redirect,
      origin,
      conflicts,
      pagesLinks: pages_links,
      domainStatus: domain.status,
      unavailable,
    }),
    unavailable,
  };
}
