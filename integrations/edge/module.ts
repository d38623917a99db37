import { defineModule } from "../../core/declare/module.ts";
import "./redirects/moments.ts";

/** Zones, records, redirects and static sites of domains at an edge DNS provider. */
export default defineModule({
  key: "edge",
  kind: "integration",
  licence: "edge",
  requires: ["domains"],
  permissions: {
    "edge.settings.manage": { position: 10, grants: ["admin"] },
    "edge.dns.read": { position: 20, grants: ["admin"] },
    "edge.zone.manage": { position: 30, grants: ["admin"] },
  },
  errors: {
    409: [
      "edge_account_ambiguous",
      "edge_account_inactive",
      "edge_cannot_create_zone",
      "edge_domain_already_linked",
      "edge_no_account",
      "edge_not_connected",
      "edge_pages_unavailable",
      "edge_record_exists",
      "edge_redirect_differs",
      "edge_redirect_owned",
      "edge_rule_not_redirect",
      "edge_rule_unreadable",
      "edge_scope_missing",
      "edge_token_ip_blocked",
      "edge_token_rejected",
      "edge_token_unreadable",
      "edge_zone_ambiguous",
      "edge_zone_exists",
      "edge_zone_not_found",
    ],
    422: ["edge_redirect_loop"],
    502: ["edge_request_failed", "edge_unreachable"],
  },
  moments: ["edge.domain_follows"],
  records: { edge_account: { readers: { permission: "edge.settings.manage" }, client: null, trail: true } },
  tables: [
    "edge_accounts",
    "edge_observations",
    "edge_page_links",
    "edge_projects",
    "edge_redirects",
    "edge_registrations",
    "edge_zone_leases",
    "edge_zones",
  ],
  // The registers decide whether a domain is billed (assets §2.3).
  shows: {
    edge_accounts: ["id", "registrations_read_at"],
    edge_registrations: ["id", "account_id", "name", "domain_id", "at_provider", "expires_at", "gone"],
  },
  warnings: ["no_account_id", "pages_domains_truncated"],
  tags: { edge: "DNS zones, records and redirects at the edge provider." },
  parameters: {
    ":account_id": "The account at the edge provider",
    ":rule_id": "The redirect rule at the provider",
    ":link_id": "The link between a pages project and a host name",
    ":zone_id": "The DNS zone",
    ":record_id": "The DNS record at the provider",
    account_id: "Only what belongs to this account at the edge provider",
    linked: "Only zones that are linked to a domain, or only others; absent for both",
  },
});
