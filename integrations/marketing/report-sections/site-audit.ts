import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { drilledLinks } from "../drilldowns/drilled-links.ts";
import { chosenFor, type LinkGroup } from "./chosen-links.ts";
import { mergedRows } from "./merged-rows.ts";
import { sectionOf, tableOf } from "./section-data.ts";
import { column, severityName } from "./section-words.ts";

const COLUMNS = [column("issue", "text"), column("severity", "text"), column("pages", "count")];
const SEVERITIES = ["error", "warning", "notice"];

/**
 * The issues that the websites' newest finished audits found, most severe first. A page can have several issues, so pages do not add up.
 */
export const gatherSiteAudit: GatherSection = async (asked) => {
  const chosen = await chosenFor(asked, "seranking");
  if (!chosen?.shown.drilldowns.includes("audit")) return null;
  const { source, all, span } = chosen;
  const rowsOf = await drilledLinks(source, all.links, "audit", [span]);
  const table = ({ links }: LinkGroup) => {
    // The key of an audit row is its severity; merge by severity and name.
    const lists = links.map(({ id }) =>
      rowsOf(id, span).map((row) => ({ ...row, key: `${row.key} ${row.label}`, severity: row.key ?? "" })),
    );
    const severities = new Map(lists.flat().map(({ key, severity }) => [key, severity]));
    const rows = mergedRows(lists, { pages: "sum" })
      .map(({ key, label, metrics }) => ({ label, severity: severities.get(key ?? "") ?? "", pages: metrics["pages"] ?? null }))
      .toSorted(
        (one, other) =>
          SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
          (other.pages ?? 0) - (one.pages ?? 0) ||
          one.label.localeCompare(other.label, "en"),
      );
    return tableOf(
      COLUMNS,
      rows.map(({ label, severity, pages }) => [label, severityName(severity, asked.locale), pages]),
    );
  };
  return sectionOf(chosen, (group) => ({ totals: [], table: table(group) }));
};
