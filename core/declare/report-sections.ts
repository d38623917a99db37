import type { Locale } from "../config/defaults.ts";
import { namedValues } from "../naming/named-values.ts";

/** The audience of a report (workspace-reporting §1.2). */
export const REPORT_AUDIENCES = namedValues("ReportAudience", ["client", "internal"]);
export type ReportAudience = (typeof REPORT_AUDIENCES)[number];

/** A range of days, `YYYY-MM-DD`, both included. */
export interface ReportSpan {
  start: string;
  end: string;
}

/** The parameters for gathering a section. */
export interface GatheredFor {
  company_id: string;
  audience: ReportAudience;
  span: ReportSpan;
  /** The span to compare with. */
  compared: ReportSpan;
  /** The report's language, in which rows name things. */
  locale: Locale;
}

/** How to print a value. `money` uses the section's currency, `percent` is already a percentage (12.5 is 12.5 %), `seconds` a duration. */
export type ReportValueKind = "text" | "count" | "decimal" | "percent" | "money" | "seconds";

/** A figure of the whole span. */
export interface ReportTotal {
  key: string;
  label: Readonly<Record<Locale, string>>;
  kind: ReportValueKind;
  value: number | null;
  /** The value of the compared span; null if there is none. */
  before: number | null;
  /** A falling value is an improvement. */
  lowerIsBetter?: boolean;
}

export interface ReportColumn {
  key: string;
  label: Readonly<Record<Locale, string>>;
  kind: ReportValueKind;
  /** When rows are folded into one line, this column shows their sum; without it the line has no value here. */
  adds?: boolean;
}

/** The table of a section, with rows in print order; each row has a value for every column. */
export interface ReportTable {
  columns: readonly ReportColumn[];
  rows: readonly (readonly (string | number | null)[])[];
  /** The number of rows before the cut; absent for a table that has all of them. */
  total_rows?: number;
}

/** Most rows of a table (workspace-reporting §1.6). */
export const MOST_ROWS = 25;
/** The count of rows before the cut, for a table that shows `shown` of `all`; nothing for a whole table. */
export const cutRows = (shown: number, all: number): Pick<ReportTable, "total_rows"> => (all > shown ? { total_rows: all } : {});

/** A chart over the span. */
export interface ReportSeries {
  kind: "line" | "bars" | "share";
  label: Readonly<Record<Locale, string>>;
  valueKind: ReportValueKind;
  points: readonly { key: string; value: number | null; before: number | null }[];
}

/** The printed figures of a section for one client; only raw numbers, which the renderer formats. */
export interface ReportSectionData {
  currency?: string | null;
  /**
   * What the report's summary takes from it besides changes: `origin`, the first column's name of the row with the most visits, by the first
   * column that adds up; `done`, the first total as a count of finished tasks, and the first table's names of them.
   */
  role?: "origin" | "done";
  totals: readonly ReportTotal[];
  table?: ReportTable;
  series?: ReportSeries;
  /** The last day whose figures are final at the source, if before the end of the span. */
  final_until?: string | null;
  /** The first day whose figures are stored, if that leaves the section without a comparison. */
  stored_from?: string | null;
  /** The same figures by website, if the client's report is split. */
  parts?: readonly { name: string; totals: readonly ReportTotal[]; table?: ReportTable }[];
}

/**
 * Gathers a section for one client; null if there is nothing to print. An error becomes a warning in the report, not its failure. It runs
 * in a read-only request of the organisation without an open transaction, as in a job's `run.read`: it may call a provider.
 */
export type GatherSection = (asked: GatheredFor) => Promise<ReportSectionData | null>;

/** One section of a report, declared by the module that owns its figures (workspace-reporting §1.3). */
export interface ReportSectionDeclaration {
  /** Its position among all sections, low first. */
  position: number;
  audience: ReportAudience | "both";
  title: Readonly<Record<Locale, string>>;
  /** The name of its data source for API clients. */
  source: string;
  /** Loads the function that gathers it; a section without one prints nothing yet. */
  load?: () => Promise<GatherSection>;
}

/** A declared section, its key, and the module that must be enabled for it; null if it is always available. */
export type ReportSection = ReportSectionDeclaration & { key: string; module: string | null };
