import type { GatherSection, ReportSeries } from "../../../core/declare/report-sections.ts";
import { drilledLinks } from "../drilldowns/drilled-links.ts";
import { chosenFor, type LinkGroup } from "./chosen-links.ts";
import { beforeOf, largestFirst, type Merging, mergedRows } from "./merged-rows.ts";
import { sectionOf, tableOf } from "./section-data.ts";
import { column } from "./section-words.ts";

const COLUMNS = [
  column("model", "text"),
  column("mention_share", "percent"),
  column("before", "percent"),
  column("link_share", "percent"),
  column("prompts", "count"),
];
const MERGING: Merging = { mention_share: { mean: "prompts" }, link_share: { mean: "prompts" }, prompts: "sum" };

/** How often language models mention and link the websites. Shares are not additive, so there is no total. */
export const gatherAiSearch: GatherSection = async (asked) => {
  const chosen = await chosenFor(asked, "seranking");
  if (!chosen?.shown.drilldowns.includes("ai_search")) return null;
  const { source, all, span, compared } = chosen;
  const rowsOf = await drilledLinks(source, all.links, "ai_search", [span, compared]);
  const dataOf = ({ links }: LinkGroup) => {
    const merged = (one: typeof span) =>
      mergedRows(
        links.map(({ id }) => rowsOf(id, one)),
        MERGING,
      );
    const earlier = beforeOf(merged(compared), "mention_share");
    return largestFirst(merged(span), "mention_share").map(({ label, metrics, ...row }) => {
      const { mention_share = null, link_share = null, prompts = null } = metrics;
      return { label, mention_share, earlier: earlier({ label, metrics, ...row }), link_share, prompts };
    });
  };
  const whole = dataOf(all);
  const series: ReportSeries = {
    kind: "bars",
    label: { nl: "Vermeld in antwoorden", en: "Mentioned in answers" },
    valueKind: "percent",
    points: whole.map(({ label, mention_share, earlier }) => ({ key: label, value: mention_share, before: earlier })),
  };
  return sectionOf(
    chosen,
    (group) => ({
      totals: [],
      table: tableOf(
        COLUMNS,
        dataOf(group).map((row) => [row.label, row.mention_share, row.earlier, row.link_share, row.prompts]),
      ),
    }),
    { series: whole.some(({ mention_share }) => mention_share) ? series : undefined },
  );
};
