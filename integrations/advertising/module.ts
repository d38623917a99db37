import { defineModule } from "../../core/declare/module.ts";
import { advertisingEvents } from "./events.ts";
import { adsFieldTexts } from "./key-texts.ts";
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
      "ads_platform_budget_needs_ceiling",
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
  errorTexts: {
    ads_platform_auth: [
      "Google Ads rejected the access token, or refused the call with 401 or 403 and no reason.",
      "Connect the Google account of the advertising account again.",
    ],
    ads_platform_developer_token: [
      "Google Ads does not accept the developer token or its Google Cloud project for this call.",
      "Check the developer token and its access level at Google, then enter it in the settings of advertising.",
    ],
    ads_platform_not_configured: [
      "The advertising account has no working Google connection with the scope of Google Ads, or no developer token exists.",
      "Connect a Google account with access to Google Ads, and enter a developer token in the settings of advertising.",
    ],
    ads_platform_permission: [
      "Google Ads denies the connected Google account access to the customer, or the customer is not enabled.",
      "Give the Google account access at Google Ads, or set the manager account that has it.",
    ],
    ads_platform_token_unreadable: [
      "The service cannot decrypt the developer token, for instance after a change of its encryption key.",
      "Enter the developer token again.",
    ],
    ads_platform_writes_disabled: [
      "`writes_enabled` in the settings of advertising is false, or the account was unlinked: its `active` is false.",
      "Ask an administrator to set `writes_enabled` to true, or to link the account again.",
    ],
    "validation errors.ads_platform_customer_id_invalid": [
      "A customer id is not ten digits.",
      "Send the ten digits, as `1234567890`, `123-456-7890` or `customers/1234567890`.",
    ],
    ads_platform_banned_phrase: [
      "A text of the ad contains a phrase that the policy bans; `details.blocks` is that phrase.",
      "Send a text without the phrase, or change the policy.",
    ],
    ads_platform_bid_negative: ["The bid is below 0.", "Send 0 or more."],
    ads_platform_bid_over_ceiling: [
      "The bid is above `max_cpc` of the policy; `details.limit` is that amount.",
      "Send a lower bid, or change the policy.",
    ],
    ads_platform_budget_increase_too_large: [
      "The change raises the budget by more than the fraction that the policy allows of its amount 24 hours ago: without a policy, by more than that amount. `details.limit` is the highest amount.",
      "Send at most that amount, or change the policy.",
    ],
    ads_platform_budget_needs_ceiling: [
      "The policy has no `max_daily_budget`, and the daily budget is above the amount that may be set without one, 1,000 EUR or near it; `details.limit` is that amount.",
      "Set `max_daily_budget` in the policy of the organisation or of the account.",
    ],
    ads_platform_budget_negative: ["The daily budget is below 0.", "Send 0 or more."],
    ads_platform_budget_over_ceiling: [
      "The daily budget is above `max_daily_budget` of the policy; `details.limit` is that amount.",
      "Send a lower budget, or change the policy.",
    ],
    ads_platform_query: ["Google Ads refused the query; `details.provider_error_code` is its reason.", "Correct the query."],
    "ads_platform_query_invalid errors.ads_platform_query_empty": [
      "The query consists of spaces and semicolons.",
      "Send a query that begins with `SELECT`.",
    ],
    "ads_platform_query_invalid errors.ads_platform_query_limit": [
      "`LIMIT` of the query is not a whole number.",
      "Send a whole number; the service returns at most 2,000 rows.",
    ],
    "ads_platform_query_invalid errors.ads_platform_query_multiple_statements": [
      "The query has a semicolon before its end.",
      "Send one statement per call.",
    ],
    "ads_platform_query_invalid errors.ads_platform_query_repeated_clause": [
      "A clause occurs more than once in the query.",
      "Send each clause once.",
    ],
    "ads_platform_query_invalid errors.ads_platform_query_shape": [
      "The query does not begin with `SELECT` and `FROM`, has its clauses in another order, names more than one resource, has an empty clause, or selects something else than fields.",
      "Send `SELECT`, `FROM`, `WHERE`, `ORDER BY`, `LIMIT` and `PARAMETERS` in this order; only the first two are required.",
    ],
    "ads_platform_query_invalid errors.ads_platform_query_unterminated_string": [
      "A quoted text in the query does not end.",
      "Close the text with the quotation mark that opens it.",
    ],
    "ads_platform_query_resource errors.ads_platform_query_resource_not_allowed": [
      "The resource after `FROM`, or one whose field the query names, is not on the list of resources that queries can read.",
      "Read from another resource, such as `campaign` or `keyword_view`.",
    ],
    "ads_platform_query_unbounded errors.ads_platform_query_needs_date_bound": [
      "The query selects metrics, and its conditions do not bound a date on both sides, to at most 400 days.",
      "Add a condition such as `segments.date BETWEEN '2026-03-01' AND '2026-03-31'`.",
    ],
    ads_platform_request: [
      "Google Ads refused a value of the request; `details.provider_error_code` is its reason.",
      "Correct that value, and send the request again.",
    ],
    ads_platform_quota: [
      "The quota of the developer token is used up, or the calls exceed a limit of Google Ads or of this service.",
      "Repeat the call later. A daily quota recovers the next day.",
    ],
    ads_platform_api_version: [
      "Google Ads no longer offers the version of its API that this service calls.",
      "Ask the operator to update the service.",
    ],
    ads_platform_error: [
      "The response of Google Ads has no readable reason, or it has more than 20 pages or 50,000 rows.",
      "Narrow the request, for instance to fewer days. If it keeps failing, report `details.provider_request_id` to the operator.",
    ],
    ads_platform_unreachable: [
      "Google Ads did not respond, failed, or sent an unreadable response. `details.intent_id` in the answer to a write means that its outcome is unknown.",
      "Repeat a read later. After a write, first look it up with `GET …/decisions?state=unknown`: the service resolves it there.",
    ],
  },
  fieldTexts: adsFieldTexts,
  warnings: [
    ...readWarnings,
    "ads.warning.created_paused",
    "ads.warning.days_not_synced",
    "ads.warning.decision_already_stood",
    "ads.warning.list_not_fully_attached",
    "ads.warning.manager_children_capped",
    "ads.warning.policy_terms_capped",
    "ads.warning.shared_budget",
    "ads.warning.unattributed_failure",
    "ads.warning.validated_not_applied",
  ],
  events: advertisingEvents,
  records: {
    ads_settings: { readers: { permission: "ads_platform.settings.manage" }, client: null, trail: true },
    ads_policy: { readers: { permission: "ads_platform.policy.manage" }, client: null, trail: true },
    ads_account: {
      copied: { list: "ads-platform.accounts.list", table: "ads_accounts" },
      seen: ["ads-platform.accounts.get", "account_id"],
      readers: { permission: "ads_platform.account.read" },
      client: { table: "ads_accounts", of: "t.company_id" },
      trail: true,
    },
  },
  demo: { position: 49, load: async () => (await import("./demo/demo-advertising.ts")).fillAdvertising },
  tags: { "ads-platform": "Advertising accounts, campaigns and their figures." },
  // What an account has is named by its kind; only the account's own policy shares its name with another one.
  operationNames: {
    "/ads-platform/": "ads",
    "/ads-platform/accounts/:account_id/": "ads",
    "/ads-platform/accounts/:account_id/policy": "ads.accounts.policy",
  },
  parameters: { ":account_id": "The advertising account, by its id here", ":decision_id": "The decision" },
  tables: [
    "ads_accounts",
    "ads_budget_turns",
    "ads_changes",
    "ads_days",
    "ads_decisions",
    "ads_intents",
    "ads_policies",
    "ads_settings",
  ],
  shows: { ads_accounts: ["customer_id", "company_id", "active"] },
  reportClients: "select company_id from ads_accounts where organisation_id = $1 and active",
  reportSections: {
    "ads.performance": {
      position: 45,
      audience: "both",
      title: { nl: "Advertenties", en: "Advertising" },
      source: "gads",
      load: async () => (await import("./report-sections/performance.ts")).gatherPerformance,
    },
    "ads.changes": {
      position: 95,
      audience: "internal",
      title: { nl: "Wijzigingen in advertentieaccounts", en: "Changes to advertising accounts" },
      source: "gads",
      load: async () => (await import("./report-sections/changes.ts")).gatherChanges,
    },
  },
});
