import { answer, flag, instant, nullable, Type, uuid } from "../../../core/declare/schema.ts";
import { PagesLinkRead } from "../pages/page-schemas.ts";
import { RedirectConflictRead, RedirectObservation, RedirectRead } from "../redirects/redirect-schemas.ts";
import { ZoneRead } from "../zones/zone-schemas.ts";

const texts = () => Type.Array(Type.String());

/** A zone that has the domain's name, in any account. */
export const ZoneCandidate = answer("ZoneCandidate", {
  account_id: uuid(),
  account_name: Type.String(),
  edge_zone_id: Type.String(),
  status: Type.String(),
  name_servers: texts(),
});

export const OriginStateRead = answer("OriginState", { apex_proxied: flag(), www_proxied: flag(), has_records: flag() });

/** A domain at the edge: what was asked for, what the provider last said, and what is wrong (assets §8.3). */
export const DomainStatusRead = answer("DomainStatusRead", {
  domain_id: uuid(),
  domain_name: Type.String(),
  live: flag(),
  checked_at: nullable(instant()),
  zone: nullable(ZoneRead),
  candidates: Type.Array(ZoneCandidate),
  expected_nameservers: texts(),
  observed_nameservers: texts(),
  nameservers_delegated: nullable(flag()),
  nameservers_checked_at: nullable(instant()),
  redirect: nullable(RedirectRead),
  redirect_live: nullable(RedirectObservation),
  conflicts: Type.Array(RedirectConflictRead),
  redirects_observed_at: nullable(instant()),
  origin: nullable(OriginStateRead),
  pages_links: Type.Array(PagesLinkRead),
  domain_status: nullable(Type.String()),
  domain_redirect_url: nullable(Type.String()),
  issues: texts(),
  unavailable: texts(),
});
