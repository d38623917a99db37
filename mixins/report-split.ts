export const REPORT_SPLITS = ["per_website", "combined"] as const;

/** How a report is divided over the websites of a client (marketing-ads §2.4). */
export interface ReportSplitSettings {
  split: (typeof REPORT_SPLITS)[number];
  /** Links that are left out of the report; of a client alone. */
  exclude: string[];
}

export const REPORT: Readonly<ReportSplitSettings> = { split: "per_website", exclude: [] };

/** Settings as a row has them. */
export type StoredSettings = Readonly<Record<string, unknown>> | null | undefined;

/** The first value of each setting: of the stored ones in their order, else the built-in one. */
export function resolvedSettings<T extends object>(builtIn: Readonly<T>, stored: readonly StoredSettings[]): T {
  const of = (name: string) => stored.map((values) => values?.[name]).find((value) => value !== undefined && value !== null);
  return Object.fromEntries(Object.entries(builtIn).map(([name, value]) => [name, of(name) ?? value])) as T;
}

/** @param stored what is set, the client before the organisation */
export const resolvedReport = (...stored: StoredSettings[]): ReportSplitSettings => resolvedSettings(REPORT, stored);
