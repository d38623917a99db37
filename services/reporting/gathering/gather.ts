import type { Locale } from "../../../core/config/defaults.ts";
import type {
  ReportAudience,
  ReportSection,
  ReportSectionData,
  ReportSpan,
  ReportTable,
} from "../../../core/declare/report-sections.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { SUMMARY } from "../sections/summary.ts";
import type { GatheredSection, ReportWarning } from "../snapshot.ts";

/** A section to gatherSections, with its heading in the report's language. */
export type SectionToGather = Pick<ReportSection, "key" | "load"> & { heading: string };

/** The inputs for gathering one report's sections. */
export interface Gathering {
  /** The client's id. */
  company: string;
  audience: ReportAudience;
  span: ReportSpan;
  compared: ReportSpan;
  /** The report's language. */
  locale: Locale;
  sections: readonly SectionToGather[];
  /** Called for each section that could not be gathered. */
  onFailure?: (key: string, error: unknown) => void;
}

/** Whether there is a figure now or before; a zero without an earlier figure is none. */
const isFigure = ({ value, before }: { value: number | null; before: number | null }): boolean =>
  value !== null && (value !== 0 || (before !== null && before !== 0));

/** Whether a row has text alone, or a number besides zero. */
function isRow(row: ReportTable["rows"][number]): boolean {
  const numbers = row.filter((value) => typeof value === "number");
  return numbers.length === 0 || numbers.some((value) => value !== 0);
}

/** Whether there is anything to print besides zeros: a report of zeros alone would be an empty letter (workspace-reporting §1.5, §1.6). */
export function hasData({ totals, table, series, parts }: ReportSectionData): boolean {
  return (
    totals.some(isFigure) ||
    (table?.rows.some(isRow) ?? false) ||
    (series?.points.some(isFigure) ?? false) ||
    (parts ?? []).some((part) => part.totals.some(isFigure) || (part.table?.rows.some(isRow) ?? false))
  );
}

/** Whether the database is down: then no section is at fault, and the run retries. */
const isOutage = (error: unknown): boolean => isApiError(error) && error.type === "unavailable";

/**
 * Gathers the sections of a report one by one, in order. A section without figures is left out; a failing one becomes a warning with its
 * key, and the others continue (workspace-reporting §1.5). The summary stays without figures, but is nothing alone.
 * @throws the database's error while it is down
 */
export async function gatherSections({
  company,
  audience,
  span,
  compared,
  locale,
  sections: wanted,
  onFailure = () => {},
}: Gathering): Promise<{ sections: GatheredSection[]; warnings: ReportWarning[] }> {
  const sections: GatheredSection[] = [];
  const warnings: ReportWarning[] = [];
  for (const { key, load, heading } of wanted) {
    if (!load) continue;
    try {
      const gatherSection = await load();
      const data = await gatherSection({ company_id: company, audience, span, compared, locale });
      if (data && (key === SUMMARY || hasData(data))) sections.push({ key, title: heading, data });
    } catch (error) {
      if (isOutage(error)) throw error;
      warnings.push({ code: "section_failed", detail: key });
      onFailure(key, error);
    }
  }
  return { sections: sections.every(({ key }) => key === SUMMARY) ? [] : sections, warnings };
}
