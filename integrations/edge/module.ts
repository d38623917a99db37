import { defineModule } from "../../core/declare/module.ts";
import "./redirects/hook-points.ts";
import { edgeFieldTexts } from "./key-texts.ts";

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
  errorTexts: {
    edge_account_ambiguous: ["The request names no edge account, and several are active.", "Send `account_id`."],
    edge_account_inactive: [
      "The edge account in `account_id`, or the one that has the zone, is inactive.",
      "Activate the account, or send another one.",
    ],
    edge_cannot_create_zone: [
      "The provider has no zone with the domain's name, and the edge account has no `edge_account_id` to create one in.",
      "Set `edge_account_id` of the edge account.",
    ],
    edge_domain_already_linked: [
      "The domain already has another zone, or the zone belongs to another domain.",
      "Disconnect the other one first.",
    ],
    edge_no_account: ["The organisation has no active edge account.", "Add or activate an edge account."],
    edge_not_connected: ["The domain has no zone, or the zone no longer exists at the provider.", "Connect the domain first."],
    edge_pages_unavailable: [
      "The edge account of the static site has no `edge_account_id`.",
      "Set `edge_account_id` of the edge account.",
    ],
    edge_record_exists: [
      "The zone already has this record, or a record of the same name that excludes it, such as a `CNAME`.",
      "Change or delete the existing record.",
    ],
    edge_redirect_differs: [
      "The rule at the provider differs from the requested redirect; `fields` names the differences.",
      "Send the redirect as the rule has it, or change the rule first.",
    ],
    edge_redirect_owned: ["The rule belongs to the domain's redirect already.", "Change the redirect itself."],
    edge_rule_not_redirect: ["The rule has another action than a redirect.", "Change the rule at the provider."],
    edge_rule_unreadable: ["The provider returned the rule without an expression.", "Change the rule at the provider."],
    edge_scope_missing: [
      "The API token of the edge account lacks a permission that the call needs.",
      "Add the permission to the token at the provider; `POST /edge/accounts/{account_id}/verify` reports what it lacks.",
    ],
    edge_token_ip_blocked: [
      "The API token of the edge account excludes the network address of this installation.",
      "Allow the address in the token's settings at the provider.",
    ],
    edge_token_rejected: ["The provider rejected the API token of the edge account.", "Enter a valid API token."],
    edge_token_unreadable: [
      "The service cannot decrypt the API token of the edge account, for instance after a change of its encryption key.",
      "Enter the API token again.",
    ],
    edge_zone_ambiguous: [
      "Several edge accounts have a zone with the domain's name, and the request names none of them.",
      "Send `account_id`.",
    ],
    edge_zone_exists: [
      "The provider already has a zone of this name, possibly in another account.",
      "Connect the domain with the account that has the zone.",
    ],
    edge_zone_not_found: [
      "The account has no zone of the domain's name and `create_if_missing` is false. Or the provider does not know the name as a registered domain.",
      "Send `create_if_missing`, or check the registration of the domain.",
    ],
    edge_redirect_loop: [
      "The redirect covers the host of its own `target_url`.",
      "Send a target on another host, or exclude the subdomains.",
    ],
    edge_request_failed: [
      "The provider refused or limited the call, or its response is unusable. Another change of the same zone that does not end within 60 seconds also causes it.",
      "Wait for `details.retry_after_seconds` if it is present, then repeat the call. The edge account stores the provider's message.",
    ],
    edge_unreachable: "The provider did not respond.",
  },
  fieldTexts: edgeFieldTexts,
  hookPoints: ["edge.domain_follows"],
  records: {
    edge_zone: { copied: { list: "edge.zones.list", table: "edge_zones", permission: "edge.dns.read" } },
    edge_account: {
      copied: { list: "edge.accounts.list", table: "edge_accounts" },
      readers: { permission: "edge.settings.manage" },
      client: null,
      trail: true,
    },
  },
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
