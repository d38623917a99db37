import type { ReportSectionData } from "../../../core/declare/report-sections.ts";

/** The figures of a section that have a place for an earlier value. */
function comparables({ totals, series, parts = [] }: ReportSectionData): { before: number | null }[] {
  // A share of a whole has no earlier value by its kind.
  const points = series && series.kind !== "share" ? series.points : [];
  return [...totals, ...points, ...parts.flatMap((part) => part.totals)];
}

/** Whether a section has figures that a report compares; a mere list, such as the issues of a website, has none. */
export const isComparable = (data: ReportSectionData): boolean => comparables(data).length > 0;

/** Whether any figure of a section has an earlier value. */
export const isCompared = (data: ReportSectionData): boolean => comparables(data).some(({ before }) => before !== null);
