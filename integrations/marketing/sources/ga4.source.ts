import { SCOPE } from "../../../mixins/google/scopes.ts";
import { defineSource } from "./source.ts";

export default defineSource({
  key: "ga4",
  position: 10,
  credential: { kind: "grant", scope: SCOPE.analytics, connectFlag: "include_analytics" },
  metrics: {
    sessions: { aggregation: "sum" },
    totalUsers: { aggregation: "period" },
    newUsers: { aggregation: "sum" },
    keyEvents: { aggregation: "sum" },
    conversions: { aggregation: "sum", mirrors: "keyEvents" },
    engagementRate: { aggregation: { mean: "sessions" } },
    totalRevenue: { aggregation: "sum" },
  },
  drilldowns: {
    top_pages: { columns: ["screenPageViews", "sessions"] },
    channels: { columns: ["sessions", "keyEvents"] },
    devices: { columns: ["sessions"] },
    key_events: { columns: ["keyEvents"] },
    organic_sources: {
      columns: ["sessions", "newUsers", "totalUsers", "screenPageViews", "userEngagementDuration", "engagementRate", "keyEvents"],
    },
    social_sources: {
      columns: ["sessions", "newUsers", "totalUsers", "screenPageViews", "userEngagementDuration", "engagementRate", "keyEvents"],
    },
    referral_sources: {
      columns: ["sessions", "newUsers", "totalUsers", "screenPageViews", "userEngagementDuration", "engagementRate", "keyEvents"],
    },
  },
  restatedDays: 90,
  spelling: (externalId) => {
    const number = /^(?:properties\/)?(\d+)$/.exec(externalId)?.[1];
    return number === undefined ? null : `properties/${number}`;
  },
  deepLink: ({ external_id }) =>
    `https://analytics.google.com/analytics/web/#/p${external_id.replace(/^properties\//, "")}/reports/intelligenthome`,
  calls: async () => (await import("./ga4/ga4-calls.ts")).calls,
});
