/** Where the keyword rankings of a report come from. */
export const RANKING_SOURCES = ["auto", "seranking", "search_console", "off"] as const;
export type RankingSource = (typeof RANKING_SOURCES)[number];
export const REPORT_SPLITS = ["per_website", "combined"] as const;

/** Which keywords a report shows, and how (marketing-ads §2.4). */
export interface Rankings {
  source: RankingSource;
  limit: number;
  min_impressions: number;
  max_position: number;
  grouped: boolean;
  show_landing_pages: boolean;
}
/** How a report is divided over the websites of a client. */
export interface ReportSplitSettings {
  split: (typeof REPORT_SPLITS)[number];
  /** Links that are left out of the report; of a client alone. */
  exclude: string[];
}

export const RANKINGS: Readonly<Rankings> = {
  source: "auto",
  limit: 25,
  min_impressions: 10,
  max_position: 25,
  grouped: true,
  show_landing_pages: true,
};
export const REPORT: Readonly<ReportSplitSettings> = { split: "per_website", exclude: [] };

type Stored = Readonly<Record<string, unknown>> | null | undefined;

/** The first value of each setting: of the stored ones in their order, else the built-in one. */
function resolved<T extends object>(builtIn: Readonly<T>, stored: readonly Stored[]): T {
  const of = (name: string) => stored.map((values) => values?.[name]).find((value) => value !== undefined && value !== null);
  return Object.fromEntries(Object.entries(builtIn).map(([name, value]) => [name, of(name) ?? value])) as T;
}

/** @param stored what is set, the client before the organisation */
export const resolvedRankings = (...stored: Stored[]): Rankings => resolved(RANKINGS, stored);
/** @param stored what is set, the client before the organisation */
export const resolvedReport = (...stored: Stored[]): ReportSplitSettings => resolved(REPORT, stored);

/** Stored settings with what was sent: what is absent stays, null returns to the next rule. Null where nothing is set any more. */
export function merged(stored: Stored, sent: Stored): Record<string, unknown> | null {
  const entries = Object.entries({ ...stored, ...sent }).filter(([, value]) => value !== null && value !== undefined);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** The source that keywords are read from: a named one where it is linked; `auto` prefers SE Ranking; null: none. */
export function keywordSource(source: RankingSource, linked: ReadonlySet<string>): RankingSource | null {
  const offered = { seranking: linked.has("seranking"), search_console: linked.has("gsc") };
  if (source === "off") return null;
  if (source !== "auto") return offered[source] ? source : null;
  return offered.seranking ? "seranking" : offered.search_console ? "search_console" : null;
}
