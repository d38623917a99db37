import type { LocalizedText } from "../settings/layout.ts";
import type { DrilldownRow } from "../sources/source.ts";

/**
 * Labels event rows with the organisation's names: in the caller's locale, else in the other locale, else the raw event name (marketing-ads
 * §2.7).
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
