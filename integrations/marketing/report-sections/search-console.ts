import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { drilledLinks } from "../drilldowns/drilled-links.ts";
import { type ChosenLinks, chosenFor, type LinkGroup } from "./chosen-links.ts";
import { largestFirst, type Merging, mergedRows } from "./merged-rows.ts";
import { metricLine, metricTotals, percentOf, sectionOf, tableOf } from "./section-data.ts";
import { sectionFigures } from "./section-figures.ts";
import { column } from "./section-words.ts";

const TOTALS = ["clicks", "impressions", "ctr", "position"];
const COLUMNS = [
  column("query", "text"),
  column("clicks", "count", true),
  column("impressions", "count", true),
  column("ctr", "percent"),
  column("position", "decimal"),
];
const MERGING: Merging = {
  clicks: "sum",
  impressions: "sum",
  ctr: { mean: "impressions" },
  position: { mean: "impressions" },
};

async function tablesOf({ source, shown, all, span }: ChosenLinks) {
  // Do not read a drilldown that the client's tab hides.
  if (!shown.drilldowns.includes("top_queries")) return () => null;
  const rowsOf = await drilledLinks(source, all.links, "top_queries", [span]);
  return ({ links }: LinkGroup) => {
    const rows = mergedRows(
      links.map(({ id }) => rowsOf(id, span)),
      MERGING,
    );
    return tableOf(
      COLUMNS,
      largestFirst(rows, "clicks").map(({ label, metrics: { clicks = null, impressions = null, ctr, position } }) => {
        return [label, clicks, impressions, ctr === undefined ? null : percentOf(ctr), position || null];
      }),
    );
  };
}

/** Impressions and clicks of the websites in Google, and their search queries. */
export const gatherSearchConsole: GatherSection = async (asked) => {
  const chosen = await chosenFor(asked, "gsc");
  if (!chosen) return null;
  const figures = await sectionFigures(chosen);
  const isSeen = (["current", "previous"] as const).some((part) => (figures.totals(chosen.all, part)?.["impressions"] ?? 0) > 0);
  // Without impressions there are no queries to read.
  if (!isSeen) return null;
  const table = await tablesOf(chosen);
  return sectionOf(chosen, (group) => ({ totals: metricTotals(chosen, TOTALS, group, { figures }), table: table(group) }), {
    series: metricLine(chosen, "clicks", figures),
    figures,
  });
};
