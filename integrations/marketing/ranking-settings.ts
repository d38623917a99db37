import { namedValues } from "../../core/naming/named-values.ts";
import { resolvedSettings, type StoredSettings } from "../../mixins/report-sections/report-split.ts";

/** The source of a report's keyword rankings. */
export const RANKING_SOURCES = namedValues("RankingSource", ["auto", "seranking", "search_console", "off"]);
export type RankingSource = (typeof RANKING_SOURCES)[number];

/** Which keywords a report shows, and how (marketing-ads §2.4). */
export interface Rankings {
  source: RankingSource;
  limit: number;
  min_impressions: number;
  max_position: number;
  grouped: boolean;
  show_landing_pages: boolean;
}
export const RANKINGS: Readonly<Rankings> = {
  source: "auto",
  limit: 25,
  min_impressions: 10,
  max_position: 25,
  grouped: true,
  show_landing_pages: true,
};

/** @param stored the stored settings, the client's before the organisation's */
export const resolvedRankings = (...stored: StoredSettings[]): Rankings => resolvedSettings(RANKINGS, stored);

/** The source of keywords: the named one if it is linked; `auto` prefers SE Ranking; null if there is none. */
export function keywordSource(source: RankingSource, linked: ReadonlySet<string>): RankingSource | null {
  const offered = { seranking: linked.has("seranking"), search_console: linked.has("gsc") };
  if (source === "off") return null;
  if (source !== "auto") return offered[source] ? source : null;
  return offered.seranking ? "seranking" : offered.search_console ? "search_console" : null;
}
