import { column, model, type RowOf, tenantModel } from "../../core/database/model.ts";
import { notFound, refusal } from "../../core/errors/errors.ts";
import { syncColumns } from "../../mixins/account-sync/account-sync.ts";

const { boolean, instant, integer, json, sealed, text, texts, uuid } = column;

/** An account at the edge provider, with its sealed token (assets §6). */
export const EdgeAccount = tenantModel("edge_accounts", {
  name: text().tracked(),
  api_token: sealed(),
  edge_account_id: text().orNull().tracked(),
  edge_account_name: text().orNull(),
  provider_id: uuid().orNull(),
  active: boolean().withDefault().tracked(),
  status: text<"active" | "error">().withDefault(),
  capabilities: json<Record<string, boolean>>().withDefault(),
  capability_errors: json<Record<string, string>>().withDefault(),
  last_verified_at: instant().orNull(),
  last_synced_at: instant().orNull(),
  last_error: text().orNull(),
  registrations_read_at: instant().orNull(),
  ...syncColumns,
}).whenViolated({
  edge_accounts_name_key: () => refusal("conflict", "errors.conflict", { fields: { name: "errors.duplicate" } }),
});
export type EdgeAccountRow = RowOf<typeof EdgeAccount>;

/** The status of a zone missing from a complete listing; all other statuses are the provider's (assets §5.13). */
export const GONE = "gone";

/** A zone as the provider last reported it, and the domain it serves (assets §7). `name` is in ASCII, `label` in Unicode, for searches. */
export const EdgeZone = tenantModel("edge_zones", {
  account_id: uuid(),
  edge_zone_id: text(),
  name: text(),
  label: text().orNull(),
  status: text(),
  plan: text().orNull(),
  paused: boolean().orNull(),
  name_servers: texts().orNull(),
  original_name_servers: texts().orNull(),
  domain_id: uuid().orNull(),
  last_synced_at: instant().orNull(),
}).whenViolated({
  edge_zones_domain_key: () => refusal("edge_domain_already_linked"),
  // A record that is deleted during the provider's calls is not found either; so below.
  edge_zones_domain_fkey: notFound,
});
export type EdgeZoneRow = RowOf<typeof EdgeZone>;

export type RedirectStatus = "pending" | "active" | "drift" | "missing" | "error";

/** The requested redirect of a domain, and how the provider's rule compares with it (assets §8). */
export const EdgeRedirect = tenantModel("edge_redirects", {
  zone_id: uuid(),
  domain_id: uuid(),
  target_url: text(),
  status_code: integer(),
  preserve_path: boolean(),
  preserve_query: boolean(),
  include_subdomains: boolean(),
  ruleset_id: text().orNull(),
  rule_id: text().orNull(),
  adopted: boolean().withDefault(),
  last_status: text<RedirectStatus>().withDefault(),
  last_error: text().orNull(),
  last_checked_at: instant().orNull(),
  last_pushed_at: instant().orNull(),
}).whenViolated({ edge_redirects_zone_fkey: notFound, edge_redirects_domain_fkey: notFound });
export type EdgeRedirectRow = RowOf<typeof EdgeRedirect>;

/** Other redirects on a domain's zone, not made by Kantoor, as last seen; one row per kind of probe (assets §8.3). */
export const EdgeObservation = model("edge_observations", {
  organisation_id: uuid().byPlatform(),
  domain_id: uuid(),
  kind: text<"redirect_rule" | "page_rule">(),
  found: json<readonly unknown[]>(),
  targets: texts().withDefault(),
  observed_at: instant(),
}).whenViolated({ edge_observations_domain_fkey: notFound });

/** A static site as the provider last listed it. */
export const EdgeProject = tenantModel("edge_projects", {
  account_id: uuid(),
  name: text(),
  subdomain: text().orNull(),
  production_branch: text().orNull(),
  gone: boolean().withDefault(),
  last_synced_at: instant().orNull(),
});
export type EdgeProjectRow = RowOf<typeof EdgeProject>;

/** A hostname of a domain that a static site serves. */
export const EdgePageLink = tenantModel("edge_page_links", {
  project_id: uuid(),
  domain_id: uuid(),
  hostname: text(),
  status: text().orNull(),
  last_error: text().orNull(),
  discovered_at: instant().orNull(),
  missing_at: instant().orNull(),
  last_checked_at: instant().orNull(),
}).whenViolated({ edge_page_links_project_fkey: notFound, edge_page_links_domain_fkey: notFound });
export type EdgePageLinkRow = RowOf<typeof EdgePageLink>;

/** A domain in the registrar list of an account (assets §6, Sync 5). */
export const EdgeRegistration = tenantModel("edge_registrations", {
  account_id: uuid(),
  name: text(),
  domain_id: uuid().orNull(),
  current_registrar: text().orNull(),
  at_provider: boolean(),
  expires_at: instant().orNull(),
  auto_renew: boolean().orNull(),
  locked: boolean().orNull(),
  registry_statuses: texts().orNull(),
  gone: boolean().withDefault(),
  last_synced_at: instant().orNull(),
});
