import { namedValues } from "../../core/naming/named-values.ts";

export const REPORT_SPLITS = namedValues("ReportSplit", ["per_website", "combined"]);

/** How a client's report is divided over its websites (marketing-ads §2.4). */
export interface ReportSplitSettings {
  split: (typeof REPORT_SPLITS)[number];
  /** Links to exclude from the report; set per client only. */
  exclude: string[];
}

const REPORT: Readonly<ReportSplitSettings> = { split: "per_website", exclude: [] };

/** Settings as stored in a row. */
export type StoredSettings = Readonly<Record<string, unknown>> | null | undefined;

/** The first value of each setting: from the stored settings in their order, or the built-in one. */
export function resolvedSettings<T extends object>(builtIn: Readonly<T>, stored: readonly StoredSettings[]): T {
  const of = (name: string) => stored.map((values) => values?.[name]).find((value) => value !== undefined && value !== null);
  return Object.fromEntries(Object.entries(builtIn).map(([name, value]) => [name, of(name) ?? value])) as T;
}

/** @param stored the stored settings, the client's before the organisation's */
export const resolvedReport = (...stored: StoredSettings[]): ReportSplitSettings => resolvedSettings(REPORT, stored);
