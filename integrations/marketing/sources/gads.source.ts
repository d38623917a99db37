import { SCOPE } from "../../../mixins/google/scopes.ts";
import { developerToken } from "../../../mixins/google-ads/developer-token.ts";
import { defineSource } from "./source.ts";

export default defineSource({
  key: "gads",
  position: 30,
  credential: { kind: "grant", scope: SCOPE.ads, connectFlag: "include_ads" },
  metrics: {
    cost: { aggregation: "sum" },
    clicks: { aggregation: "sum" },
    impressions: { aggregation: "sum" },
    conversions: { aggregation: "sum" },
    conversionsValue: { aggregation: "sum" },
  },
  drilldowns: {
    campaigns: { columns: ["cost", "clicks", "impressions", "conversions", "conversionsValue"] },
  },
  restatedDays: 90,
  isConfigured: async () => (await developerToken().catch(() => null)) !== null,
  spelling: (externalId) => {
    const digits = externalId.replace(/^customers\//, "").replace(/^(\d{3})-(\d{3})-(\d{4})$/, "$1$2$3");
    return /^\d{10}$/.test(digits) ? digits : null;
  },
  deepLink: ({ external_id }) => `https://ads.google.com/aw/overview?__c=${external_id.replace(/\D/g, "")}`,
  calls: async () => (await import("./gads/gads-calls.ts")).calls,
});
