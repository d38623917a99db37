import { defineModule } from "../../core/declare/module.ts";
import { marketingEvents } from "./events.ts";
import { feeding } from "./feeding.ts";

/** Figures of clients from their linked sources (marketing-ads §2). */
export default defineModule({
  key: "marketing",
  kind: "module",
  licence: "marketing",
  permissions: {
    "marketing.metrics.read": { position: 10, grants: ["admin", "member", "client"] },
    "marketing.link.manage": { position: 20, grants: ["admin"] },
    "marketing.overview.read": { position: 30, grants: ["admin"] },
  },
  errors: {
    422: [
      "validation errors.marketing_account_of_another_client",
      "validation errors.marketing_external_id_invalid",
      "validation errors.marketing_rankmath_not_connected",
      "validation errors.marketing_rankmath_website_required",
    ],
  },
  errorTexts: {
    "validation errors.marketing_account_of_another_client": [
      "An advertising account feeds exactly one client, and this one is attached to another client.",
      "Move the account to this client with `PATCH /ads-platform/accounts/{account_id}`; that links it here too.",
    ],
    "validation errors.marketing_external_id_invalid": [
      "The text names no account of the source: a measurement id of Analytics, for instance, is no property.",
      "Send the id that `GET /marketing/accounts` names.",
    ],
    "validation errors.marketing_rankmath_not_connected": [
      "The source reads each website with its own credential, and this website has none.",
      "Store it with `PUT /marketing/websites/{website_id}/credential`.",
    ],
    "validation errors.marketing_rankmath_website_required": [
      "The source reads each website with its own credential, and the request names no website.",
      "Send `website_id`.",
    ],
  },
  events: marketingEvents,
  eventHook: {
    events: ["ads.account.attached", "ads.account.detached"],
    load: async () => (await import("./links/from-advertising.ts")).unlinkAccounts,
  },
  records: {
    marketing_settings: { readers: { permission: "marketing.link.manage" }, client: null, trail: true },
    marketing_link: {
      copied: { list: "marketing.links.list", table: "marketing_links" },
      readers: { permission: "marketing.metrics.read" },
      client: { table: "marketing_links", of: "t.company_id" },
    },
  },
  demo: { position: 48, load: async () => (await import("./demo/demo-marketing.ts")).fillMarketing },
  tags: { marketing: "Search and analytics figures of websites." },
  parameters: { ":link_id": "The link between a client and an account at a source" },
  references: {
    "marketing_company_settings.company_id": { oneBy: [] },
    "marketing_days.company_id": { to: "company" },
    "marketing_links.company_id": { oneBy: ["source", "external_id"] },
  },
  tables: [
    "marketing_answers",
    "marketing_company_settings",
    "marketing_days",
    "marketing_links",
    "marketing_months",
    "marketing_period_values",
    "marketing_settings",
    "marketing_website_credentials",
  ],
  // Advertising's report sections use these settings and links too.
  shows: {
    marketing_company_settings: ["company_id", "layout", "report"],
    // The demo of advertising has the figures of marketing's demo.
    marketing_days: ["link_id", "day", "metrics"],
    marketing_links: ["id", "company_id", "source", "external_id", "website_id", "active"],
    marketing_settings: ["report"],
  },
  reportClients: `select l.company_id from marketing_links l where l.organisation_id = $1 and ${feeding("l")}`,
  reportSections: {
    "marketing.traffic_channels": {
      position: 10,
      audience: "both",
      title: { nl: "Verkeer per kanaal", en: "Traffic by channel" },
      source: "ga4",
      load: async () => (await import("./report-sections/traffic-channels.ts")).gatherTrafficChannels,
    },
    "marketing.search_engines": {
      position: 20,
      audience: "both",
      title: { nl: "Bezoek uit zoekmachines", en: "Visits from search engines" },
      source: "ga4",
      load: async () => (await import("./report-sections/visits-from.ts")).searchEngines,
    },
    "marketing.rankings": {
      position: 30,
      audience: "both",
      title: { nl: "Posities in zoekmachines", en: "Search rankings" },
      source: "rankings",
      load: async () => (await import("./report-sections/rankings.ts")).gatherRankings,
    },
    "marketing.search_console": {
      position: 40,
      audience: "both",
      title: { nl: "Zichtbaarheid in Google", en: "Visibility in Google" },
      source: "gsc",
      load: async () => (await import("./report-sections/search-console.ts")).gatherSearchConsole,
    },
    "marketing.referral": {
      position: 50,
      audience: "both",
      title: { nl: "Bezoek via andere websites", en: "Visits from other websites" },
      source: "ga4",
      load: async () => (await import("./report-sections/visits-from.ts")).referral,
    },
    "marketing.social": {
      position: 60,
      audience: "both",
      title: { nl: "Bezoek via sociale media", en: "Visits from social media" },
      source: "ga4",
      load: async () => (await import("./report-sections/visits-from.ts")).social,
    },
    "marketing.conversions": {
      position: 70,
      audience: "both",
      title: { nl: "Conversies", en: "Conversions" },
      source: "ga4",
      load: async () => (await import("./report-sections/conversions.ts")).gatherConversions,
    },
    "marketing.ai_search": {
      position: 80,
      audience: "both",
      title: { nl: "Zichtbaarheid in AI-antwoorden", en: "Visibility in AI answers" },
      source: "seranking",
      load: async () => (await import("./report-sections/ai-search.ts")).gatherAiSearch,
    },
    "marketing.site_audit": {
      position: 90,
      audience: "internal",
      title: { nl: "Technische staat van de website", en: "Technical health of the website" },
      source: "seranking",
      load: async () => (await import("./report-sections/site-audit.ts")).gatherSiteAudit,
    },
  },
});
