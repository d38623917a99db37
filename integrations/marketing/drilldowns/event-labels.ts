import type { LocalizedText } from "../settings/layout.ts";
import type { DrilldownRow } from "../sources/source.ts";

/**
 * Rows of events under the names that an organisation gave them: in the caller's locale, else in the other one, else the raw name
 * (marketing-ads §2.7).
 */
export const labelled = (
  rows: readonly DrilldownRow[],
  labels: Readonly<Record<string, LocalizedText>>,
  locale: string,
): DrilldownRow[] =>
  rows.map((row) => {
    const texts = (row.key !== null && Object.hasOwn(labels, row.key) && labels[row.key]) || {};
    const own = Object.entries(texts).find(([language]) => language === locale)?.[1];
    return { ...row, label: own || Object.values(texts).find((text) => text !== "") || row.label };
  });
