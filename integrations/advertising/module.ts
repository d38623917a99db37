import { defineModule } from "../../core/declare/module.ts";
import { advertisingEvents } from "./events.ts";
import { readWarnings } from "./reads/read-warnings.ts";

/** Advertising accounts at Google Ads: figures, guarded writes, decisions and a read-only query runner (marketing-ads §3). */
export default defineModule({
  key: "ads_platform",
  kind: "integration",
  licence: "ads_platform",
  requires: ["workspace"],
  permissions: {
    "ads_platform.settings.manage": { position: 10, grants: ["admin"] },
    "ads_platform.account.read": { position: 20, grants: ["admin", "member"] },
    "ads_platform.policy.manage": { position: 30, grants: ["admin"] },
    "ads_platform.query.run": { position: 40, grants: ["admin"] },
    "ads_platform.campaign.write": { position: 50, grants: ["admin"] },
    "ads_platform.budget.write": { position: 60, grants: ["admin"] },
    "ads_platform.keyword.write": { position: 70, grants: ["admin"] },
    "ads_platform.negative.write": { position: 80, grants: ["admin"] },
  },
  errors: {
    409: [
      "ads_platform_auth",
      "ads_platform_developer_token",
      "ads_platform_not_configured",
      "ads_platform_permission",
      "ads_platform_token_unreadable",
      "ads_platform_writes_disabled",
    ],
    422: [
      "validation errors.ads_platform_customer_id_invalid",
      "ads_platform_banned_phrase",
      "ads_platform_bid_negative",
      "ads_platform_bid_over_ceiling",
      "ads_platform_budget_increase_too_large",
      "ads_platform_budget_negative",
      "ads_platform_budget_over_ceiling",
      "ads_platform_query",
      "ads_platform_query_invalid errors.ads_platform_query_empty",
      "ads_platform_query_invalid errors.ads_platform_query_limit",
      "ads_platform_query_invalid errors.ads_platform_query_multiple_statements",
      "ads_platform_query_invalid errors.ads_platform_query_repeated_clause",
      "ads_platform_query_invalid errors.ads_platform_query_shape",
      "ads_platform_query_invalid errors.ads_platform_query_unterminated_string",
      "ads_platform_query_resource errors.ads_platform_query_resource_not_allowed",
      "ads_platform_query_unbounded errors.ads_platform_query_needs_date_bound",
      "ads_platform_request",
    ],
    429: ["ads_platform_quota"],
    502: ["ads_platform_api_version", "ads_platform_error", "ads_platform_unreachable"],
  },
  warnings: [...readWarnings, "ads.warning.days_not_synced", "ads.warning.manager_children_capped"],
  events: advertisingEvents,
  records: {
    ads_settings: { readers: { permission: "ads_platform.settings.manage" }, client: null, trail: true },
    ads_account: {
      seen: ["ads-platform.accounts.get", "account_id"],
      readers: { permission: "ads_platform.account.read" },
      client: { table: "ads_accounts", of: "t.company_id" },
      trail: true,
    },
  },
  demo: { position: 49, load: async () => (await import("./demo/demo-advertising.ts")).fillAdvertising },
  tags: { "ads-platform": "Advertising accounts, campaigns and their figures." },
  tables: ["ads_accounts", "ads_changes", "ads_days", "ads_settings"],
});
