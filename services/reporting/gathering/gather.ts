import type { Locale } from "../../../core/config/defaults.ts";
import { isApiError } from "../../../core/declare/errors.ts";
import type { ReportAudience, ReportSection, ReportSectionData, ReportSpan } from "../../../core/declare/report-sections.ts";
import type { GatheredSection, ReportWarning } from "../snapshot.ts";

/** A section to gather, with its heading in the report's language. */
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

/** Whether there is anything to print: a figure, row or point. */
function hasData({ totals, table, series, parts }: ReportSectionData): boolean {
  const isAny = (values: readonly { value: number | null }[]) => values.some(({ value }) => value !== null);
  return (
    isAny(totals) ||
    (table?.rows.length ?? 0) > 0 ||
    isAny(series?.points ?? []) ||
    (parts ?? []).some((part) => isAny(part.totals) || (part.table?.rows.length ?? 0) > 0)
  );
}

/** Whether the database is down: then no section is at fault, and the run retries. */
const isOutage = (error: unknown): boolean => isApiError(error) && error.type === "unavailable";

/**
 * Gathers the sections of a report one by one, in order. A section without figures is left out; a failing one becomes a warning with its
 * key, and the others continue (workspace-reporting §1.5).
 * @throws the database's error while it is down
 */
export async function gather({
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
      if (data && hasData(data)) sections.push({ key, title: heading, data });
    } catch (error) {
      if (isOutage(error)) throw error;
      warnings.push({ code: "section_failed", detail: key });
      onFailure(key, error);
    }
  }
  return { sections, warnings };
}
