import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { drilledLinks } from "../drilldowns/drilled-links.ts";
import { labelled } from "../drilldowns/event-labels.ts";
import { type ChosenLinks, chosenFor, type LinkGroup, websitesOf } from "./chosen-links.ts";
import { readableEvent } from "./event-names.ts";
import { beforeOf, largestFirst, mergedRows } from "./merged-rows.ts";
import { comparedTable, currenciesOf, metricLine, metricTotals, sectionCurrency, sectionOf } from "./section-data.ts";
import { type SectionFigures, sectionFigures } from "./section-figures.ts";
import { column } from "./section-words.ts";

const COLUMNS = [column("event", "text"), column("keyEvents", "count", true), column("before", "count")];

async function tablesOf({ asked, source, shown, all, span, compared }: ChosenLinks, figures: SectionFigures) {
  // The drilldown exists only if the client's tab shows it.
  if (!shown.drilldowns.includes("key_events")) return () => null;
  const rowsOf = await drilledLinks(source, all.links, "key_events", [span, compared]);
  return (group: LinkGroup) => {
    const { links } = group;
    const merged = (one: typeof span) =>
      mergedRows(
        links.map(({ id }) => rowsOf(id, one)),
        { keyEvents: "sum" },
      );
    const earlier = beforeOf(merged(compared), "keyEvents");
    const named = largestFirst(merged(span), "keyEvents").map((row) => ({ ...row, label: readableEvent(row.label) }));
    const rows = labelled(named, shown.event_labels, asked.locale);
    return comparedTable(
      COLUMNS,
      rows.map((row) => [row.label, row.metrics["keyEvents"] ?? null, earlier(row)]),
      figures.isCompared(group),
    );
  };
}

/** The client's conversions and their revenue. */
export const gatherConversions: GatherSection = async (asked) => {
  const found = await chosenFor(asked, "ga4");
  if (!found) return null;
  const { links } = found.all;
  // Amounts in several currencies do not add up, so each website is printed separately.
  const chosen = currenciesOf(links).size > 1 ? { ...found, parts: websitesOf(links) } : found;
  // `conversions` mirrors `keyEvents`; print it only if `keyEvents` is hidden.
  const counted = chosen.shown.tiles.includes("keyEvents") ? "keyEvents" : "conversions";
  const names = [counted, "totalRevenue"];
  const figures = await sectionFigures(chosen);
  const isNothing = metricTotals(chosen, names, chosen.all, { figures }).every(({ value, before }) => !value && !before);
  if (isNothing && chosen.parts.length === 0) return null;
  const table = await tablesOf(chosen, figures);
  return sectionOf(chosen, (group) => ({ totals: metricTotals(chosen, names, group, { figures }), table: table(group) }), {
    series: metricLine(chosen, counted, figures),
    currency: sectionCurrency(chosen),
    figures,
  });
};
