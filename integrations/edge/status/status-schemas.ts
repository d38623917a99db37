import { answer, field, flag, instant, nullable, Type, uuid } from "../../../core/schema/schema.ts";
import { PagesLinkRead } from "../pages/page-schemas.ts";
import { RedirectConflictRead, RedirectObservation, RedirectRead } from "../redirects/redirect-schemas.ts";
import { ZoneRead } from "../zones/zone-schemas.ts";

const texts = () => Type.Array(Type.String());

/** A zone with the domain's name, in any account. */
export const ZoneCandidate = answer("ZoneCandidate", {
  account_id: field(uuid(), "The edge account that it is in"),
  account_name: Type.String({ description: "That account's name" }),
  edge_zone_id: Type.String({ description: "The provider's id of the zone" }),
  status: Type.String({ description: "The provider's word for its state" }),
  name_servers: field(texts(), "Name servers that the provider assigned to it"),
});

export const OriginStateRead = answer("OriginState", {
  apex_proxied: field(flag(), "Whether the bare domain has a proxied record"),
  www_proxied: field(flag(), "Whether `www` has a proxied record"),
  has_records: field(flag(), "Whether the zone has any record"),
});

/** A domain at the edge: the request, the provider's last report, and the issues (assets §8.3). */
export const DomainStatusRead = answer("DomainStatusRead", {
  domain_id: field(uuid(), "The domain"),
  domain_name: Type.String({ description: "Its name" }),
  live: field(flag(), "True if the provider was called for this answer, false if it comes from stored data"),
  checked_at: field(nullable(instant()), "Newest reading of zone, redirect and links, UTC; null if never"),
  zone: field(nullable(ZoneRead), "The zone it is linked to; null without one"),
  candidates: field(Type.Array(ZoneCandidate), "Known zones with its name, in any account, without gone ones"),
  expected_nameservers: field(texts(), "Name servers that the provider assigned to the zone; empty without one"),
  observed_nameservers: field(texts(), "Name servers that public DNS last answered"),
  nameservers_delegated: field(
    nullable(flag()),
    "Whether expected and observed name servers have one in common; null if either list is empty",
  ),
  nameservers_checked_at: field(nullable(instant()), "When public DNS was last checked, UTC; null if never"),
  redirect: field(nullable(RedirectRead), "The requested redirect; null without one"),
  redirect_live: field(nullable(RedirectObservation), "That redirect as the provider has it now; null unless it was read"),
  conflicts: field(Type.Array(RedirectConflictRead), "Redirects on the zone that were not made here"),
  redirects_observed_at: field(nullable(instant()), "When the redirects of the zone were last read, UTC; null if never"),
  origin: field(
    nullable(OriginStateRead),
    "Whether records of the zone lead visitors through the provider; null unless they were read now",
  ),
  pages_links: field(Type.Array(PagesLinkRead), "Host names of the domain that static projects serve"),
  domain_status: nullable(Type.String({ description: "`status` of the domain record; null if it has none" })),
  domain_redirect_url: nullable(Type.String({ description: "`redirect_url` of the domain record; null without one" })),
  issues: field(
    texts(),
    "Keys of problems, the most urgent first, such as `not_connected`, `nameservers_not_delegated` or `redirect_drift`",
  ),
  unavailable: field(texts(), "Parts that could not be read: `zone`, `redirect_rules`, `page_rules`, `dns`, `pages`"),
});
