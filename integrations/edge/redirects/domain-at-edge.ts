import { columns } from "../../../core/database/model.ts";
import { queryAll } from "../../../core/database/query.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import {
  EdgeAccount,
  type EdgeAccountRow,
  EdgeRedirect,
  type EdgeRedirectRow,
  EdgeZone,
  type EdgeZoneRow,
  GONE,
} from "../models.ts";

/** The fields of a domain that its redirect depends on. */
export interface DomainFacts {
  id: string;
  /** In ASCII: the apex of assets §8.1. */
  name: string;
  status: string;
  redirect_url: string | null;
}

/** A domain with its stored state at the edge provider. */
export interface DomainAtEdge {
  domain: DomainFacts;
  /** Its linked zone and account; a gone zone counts as none (assets §7). */
  connected: { zone: EdgeZoneRow; account: EdgeAccountRow } | null;
  redirect: EdgeRedirectRow | null;
}

const DOMAIN = statement(`select t.id, t.name, t.status, t.redirect_url from domains t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or t.company_id in (select selected_companies($3::uuid[])))`);
const ZONE = statement(`select ${columns(EdgeZone)} from edge_zones
  where organisation_id = $1 and domain_id = $2 and status <> '${GONE}'`);
const ACCOUNT = statement(`select ${columns(EdgeAccount, "a")} from edge_accounts a
  join edge_zones z on z.organisation_id = a.organisation_id and z.account_id = a.id
  where z.organisation_id = $1 and z.domain_id = $2 and z.status <> '${GONE}'`);
const REDIRECT = statement(`select ${columns(EdgeRedirect)} from edge_redirects where organisation_id = $1 and domain_id = $2`);

/** A domain visible to the caller. @throws 404 */
export async function domainAtEdge(domainId: string): Promise<DomainAtEdge> {
  const { organisation, principal } = request();
  const place = [organisation.id, domainId];
  const [[domain], [zone], [account], [redirect]] = (await queryAll(
    [DOMAIN, [...place, principal?.selection ?? null]],
    [ZONE, place],
    [ACCOUNT, place],
    [REDIRECT, place],
  )) as unknown as [[DomainFacts?], [EdgeZoneRow?], [EdgeAccountRow?], [EdgeRedirectRow?]];
  if (!domain) throw notFound();
  return { domain, connected: zone && account ? { zone, account } : null, redirect: redirect ?? null };
}

/** A domain linked to a zone. */
export type ConnectedDomain = DomainAtEdge & { connected: NonNullable<DomainAtEdge["connected"]> };

/**
 * A visible domain linked to a zone that is not gone, after checking the redirect's version against `If-Match`.
 * @throws 404, 409 `edge_not_connected`, 412
 */
export async function connectedDomain(domainId: string): Promise<ConnectedDomain> {
  const at = await domainAtEdge(domainId);
  const { connected, redirect } = at;
  if (!connected) throw refusal("edge_not_connected");
  requireFresh(redirect);
  return { ...at, connected };
}

/** Checks `If-Match` first, so a stale request never reaches the provider. @throws 412 */
function requireFresh(redirect: EdgeRedirectRow | null): void {
  if (redirect) requireMatch(redirect.version);
  else if (request().ifMatch !== null) throw refusal("precondition_failed");
}
