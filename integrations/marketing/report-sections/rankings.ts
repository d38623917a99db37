import type { DaySpan } from "../../../core/calendar/named-spans.ts";
import type { GatherSection, ReportSeries } from "../../../core/declare/report-sections.ts";
import { answersOf, requireReadable } from "../drilldowns/drilled-links.ts";
import { askSource } from "../drilldowns/drilling.ts";
import { keywordSource, type Rankings } from "../ranking-settings.ts";
import type { RankedKeyword } from "../sources/source.ts";
import { type ChosenLinks, chosenLinks, type LinkGroup, reportedLinks } from "./chosen-links.ts";
import { cutTable, metricTotals, sectionOf } from "./section-data.ts";
import { type SectionFigures, sectionFigures } from "./section-figures.ts";
import { column, METRICS, statusName } from "./section-words.ts";

/** The keyword sources by their name in the settings, and their metrics about positions. */
const SOURCES = {
  seranking: { key: "seranking", totals: ["avg_position", "top3", "top10", "top30", "keywords_ranking", "keywords_tracked"] },
  search_console: { key: "gsc", totals: ["position"] },
} as const;
const REACHED = ["top3", "top10", "top30"];

/** The cache key of a link's keywords. */
export const rankingsKey = (
  linkId: string,
  span: DaySpan,
  compared: DaySpan,
  { limit, min_impressions, max_position }: Rankings,
): string => ["rankings", linkId, span.from, span.to, compared.from, compared.to, limit, min_impressions, max_position].join(" ");

/** Reads the keywords of every link in both spans. @throws SourceFailure */
async function keywordsOf({ source, all, span, compared }: ChosenLinks, rules: Rankings) {
  requireReadable(source, all.links);
  const keyOf = (linkId: string) => rankingsKey(linkId, span, compared, rules);
  const links = new Map(all.links.map((link) => [keyOf(link.id), link]));
  const answers = await answersOf<RankedKeyword[]>([...links.keys()], (key) => {
    const link = links.get(key) as ChosenLinks["all"]["links"][number];
    const spans = { current: span, previous: compared };
    return askSource(source, link, async ({ rankings }, access) => (rankings ? rankings(access, link, spans, rules) : []));
  });
  return ({ links: some }: LinkGroup): RankedKeyword[] => some.flatMap(({ id }) => answers.get(keyOf(id)) ?? []);
}

const byText = (one: string | null, other: string | null): number => (one ?? "").localeCompare(other ?? "", "en");
/** Keywords that do not rank come last. */
const placeOf = ({ end }: RankedKeyword): number => end || Number.POSITIVE_INFINITY;
const byPlace = (one: RankedKeyword, other: RankedKeyword): number =>
  placeOf(one) === placeOf(other) ? 0 : placeOf(one) < placeOf(other) ? -1 : 1;

const weightOf = ({ volume, impressions }: RankedKeyword): number => volume ?? impressions ?? 0;
const byName = (one: RankedKeyword, other: RankedKeyword): number =>
  byText(one.keyword, other.keyword) || byText(one.engine, other.engine);
/** The most searched or shown first, then the best position. */
const byStrength = (one: RankedKeyword, other: RankedKeyword): number =>
  weightOf(other) - weightOf(one) || byPlace(one, other) || byName(one, other);

/** The strongest keywords over all groups (workspace-reporting §1.6), by group or by position. */
export function strongest(keywords: readonly RankedKeyword[], limit: number, isGrouped: boolean): RankedKeyword[] {
  const order = isGrouped
    ? (one: RankedKeyword, other: RankedKeyword) => byText(one.group, other.group) || byStrength(one, other)
    : (one: RankedKeyword, other: RankedKeyword) => byPlace(one, other) || byStrength(one, other);
  return keywords.toSorted(byStrength).slice(0, limit).toSorted(order);
}

/**
 * The keyword table of a group, without empty columns.
 * @param hasBegin whether it compares the positions with earlier ones
 */
function keywordTable({ asked }: ChosenLinks, keywords: readonly RankedKeyword[], rules: Rankings, hasBegin: boolean) {
  const has = (name: keyof RankedKeyword) => keywords.some((one) => one[name] !== null);
  const isGrouped = rules.grouped && has("group");
  const place = (value: number) => value || null;
  const cells = [
    { column: column("group", "text"), isShown: isGrouped, of: ({ group }: RankedKeyword) => group },
    { column: column("keyword", "text"), isShown: true, of: ({ keyword }: RankedKeyword) => keyword },
    { column: column("engine", "text"), isShown: has("engine"), of: ({ engine }: RankedKeyword) => engine },
    { column: column("begin", "count"), isShown: hasBegin, of: ({ begin }: RankedKeyword) => place(begin) },
    { column: column("end", "count"), isShown: true, of: ({ end }: RankedKeyword) => place(end) },
    { column: column("places", "count"), isShown: hasBegin, of: ({ change }: RankedKeyword) => change },
    { column: column("status", "text"), isShown: hasBegin, of: ({ status }: RankedKeyword) => statusName(status, asked.locale) },
    { column: column("volume", "count"), isShown: has("volume"), of: ({ volume }: RankedKeyword) => volume },
    { column: column("impressions", "count"), isShown: has("impressions"), of: ({ impressions }: RankedKeyword) => impressions },
    { column: column("page", "text"), isShown: rules.show_landing_pages && has("page"), of: ({ page }: RankedKeyword) => page },
  ].filter(({ isShown }) => isShown);
  const rows = strongest(keywords, rules.limit, isGrouped).map((one) => cells.map(({ of }) => of(one)));
  return cutTable(
    cells.map((cell) => cell.column),
    rows,
    keywords.length,
  );
}

/** The number of keywords in the top 3, 10 and 30. */
function reachedBars({ asked, source, shown, all }: ChosenLinks, figures: SectionFigures): ReportSeries | undefined {
  const now = figures.totals(all, "current");
  const before = figures.totals(all, "previous");
  const names = REACHED.filter((name) => source.metrics[name] && shown.tiles.includes(name));
  if (all.links.length !== 1 || !now || !names.some((name) => now[name])) return undefined;
  return {
    kind: "bars",
    label: { nl: "Zoekwoorden", en: "Keywords" },
    valueKind: "count",
    points: names.map((name) => ({
      key: (METRICS[source.key]?.[name]?.label ?? { nl: name, en: name })[asked.locale],
      value: now[name] ?? 0,
      before: before ? (before[name] ?? 0) : null,
    })),
  };
}

/** The client's keyword rankings, from the source in its settings (marketing-ads §2.4). */
export const gatherRankings: GatherSection = async (asked) => {
  const reported = await reportedLinks(asked);
  const { rankings, links } = reported;
  const named = keywordSource(rankings.source, new Set(links.map(({ source }) => source)));
  if (named !== "seranking" && named !== "search_console") return null;
  const { key, totals } = SOURCES[named];
  const chosen = chosenLinks(asked, reported, key);
  if (!chosen) return null;
  const figures = await sectionFigures(chosen);
  const keywords = await keywordsOf(chosen, rankings);
  return sectionOf(
    chosen,
    (group) => ({
      totals: metricTotals(chosen, totals, group, { figures }),
      // Search Console compares the two spans; SE Ranking the first and the last day of the span itself.
      table: keywordTable(chosen, keywords(group), rankings, named === "seranking" || figures.isCompared(group)),
    }),
    { series: reachedBars(chosen, figures), figures },
  );
};
