import { defineSource } from "./source.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export default defineSource({
  key: "rankmath",
  position: 50,
  credential: { kind: "website" },
  metrics: {
    ai_visibility_score: { aggregation: "mean" },
    mentions: { aggregation: "mean" },
    citations: { aggregation: "mean" },
    avg_sentiment: { aggregation: "mean" },
    brand_rank: { aggregation: "mean", lowerIsBetter: true },
  },
  drilldowns: {
    competitors: { columns: ["score", "mentions", "brand_rank"] },
    queries: { columns: ["mentions", "citations", "brand_rank"] },
  },
  fixedDrilldowns: true,
  // The plugin reports the present alone.
  backfillDays: 7,
  spelling: (externalId) => (UUID.test(externalId) ? externalId.toLowerCase() : null),
  deepLink: (_link, site) => (site === null ? "" : `${site}/wp-admin/admin.php?page=rank-math-ai-visibility`),
  calls: async () => (await import("./rankmath/rankmath-calls.ts")).calls,
});
