import { defineSource } from "./source.ts";

export default defineSource({
  key: "seranking",
  position: 40,
  credential: { kind: "key" },
  metrics: {
    avg_position: { aggregation: "mean", lowerIsBetter: true },
    top3: { aggregation: "mean" },
    top10: { aggregation: "mean" },
    top30: { aggregation: "mean" },
    keywords_ranking: { aggregation: "mean" },
    keywords_tracked: { aggregation: "mean" },
  },
  drilldowns: {
    keywords: { columns: ["begin", "end", "change", "volume"] },
    keyword_groups: { columns: ["avg_position", "keywords"] },
    audit: { columns: ["pages"] },
    ai_search: { columns: ["mention_share", "link_share", "prompts"] },
  },
  spelling: (externalId) => (/^\d+$/.test(externalId) ? externalId : null),
  deepLink: () => "",
  calls: async () => (await import("./seranking/seranking-calls.ts")).calls,
});
