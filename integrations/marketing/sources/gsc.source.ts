import { SCOPE } from "../../../mixins/google/scopes.ts";
import { defineSource } from "./source.ts";

export default defineSource({
  key: "gsc",
  position: 20,
  credential: { kind: "grant", scope: SCOPE.searchConsole, connectFlag: "include_search_console" },
  metrics: {
    clicks: { aggregation: "sum" },
    impressions: { aggregation: "sum" },
    ctr: { aggregation: { mean: "impressions" } },
    position: { aggregation: { mean: "impressions" }, lowerIsBetter: true },
  },
  drilldowns: {
    top_queries: { columns: ["clicks", "impressions", "ctr", "position"] },
    top_pages: { columns: ["clicks", "impressions", "ctr", "position"] },
    movers: { columns: ["position", "position_change", "clicks"] },
  },
  lateDays: 3,
  // Search Console keeps 16 months.
  backfillDays: 480,
  spelling: (externalId) => {
    const host = /^sc-domain:([^\s/]+)$/i.exec(externalId)?.[1];
    if (host !== undefined) return `sc-domain:${host.toLowerCase()}`;
    return /^https?:\/\/\S+$/i.test(externalId) && URL.canParse(externalId) ? new URL(externalId).href : null;
  },
  deepLink: ({ external_id }) => `https://search.google.com/search-console?resource_id=${encodeURIComponent(external_id)}`,
  calls: async () => (await import("./gsc/gsc-calls.ts")).calls,
});
