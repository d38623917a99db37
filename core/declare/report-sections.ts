import type { Locale } from "../config/defaults.ts";

/** Whom a report is for (workspace-reporting §1.2). */
export const REPORT_AUDIENCES = ["client", "internal"] as const;
export type ReportAudience = (typeof REPORT_AUDIENCES)[number];

/** A span of days, `YYYY-MM-DD`, both included. */
export interface ReportSpan {
  start: string;
  end: string;
}

/** What a section is gathered for. */
export interface GatheredFor {
  company_id: string;
  audience: ReportAudience;
  span: ReportSpan;
  /** The span it is compared with. */
  compared: ReportSpan;
  /** The report's language: rows name things in it. */
  locale: Locale;
}

/** How a value is printed. `money` is in the section's currency, `percent` a percentage as it is read (12.5 is 12.5 %), `seconds` a duration. */
export type ReportValueKind = "text" | "count" | "decimal" | "percent" | "money" | "seconds";

/** A figure of the whole span. */
export interface ReportTotal {
  key: string;
  label: Readonly<Record<Locale, string>>;
  kind: ReportValueKind;
  value: number | null;
  /** The value of the compared span; null where there is none. */
  before: number | null;
  /** A falling value is a better one. */
  lowerIsBetter?: boolean;
}

export interface ReportColumn {
  key: string;
  label: Readonly<Record<Locale, string>>;
  kind: ReportValueKind;
  /** Rows that are folded into one line add up here; elsewhere that line has no value. */
  adds?: boolean;
}

/** The table of a section, rows in the order they are printed in; a row has a value for each column. */
export interface ReportTable {
  columns: readonly ReportColumn[];
  rows: readonly (readonly (string | number | null)[])[];
}

/** A line or bars over the span. */
export interface ReportSeries {
  kind: "line" | "bars" | "share";
  label: Readonly<Record<Locale, string>>;
  valueKind: ReportValueKind;
  points: readonly { key: string; value: number | null; before: number | null }[];
}

/** What a section prints of a client; numbers only, which the renderer formats. */
export interface ReportSectionData {
  currency?: string | null;
  totals: readonly ReportTotal[];
  table?: ReportTable;
  series?: ReportSeries;
  /** The last day whose figures are final at the source, where that is before the end of the span. */
  final_until?: string | null;
  /** The same by website, where the client's report is split. */
  parts?: readonly { name: string; totals: readonly ReportTotal[]; table?: ReportTable }[];
}

/**
 * Gathers a section of one client; null where there is nothing to print. What it throws is a warning of the report, not its failure. It runs in
 * a request of the organisation that only reads and has no transaction open, as in a job's `run.read`: it may ask a provider.
 */
export type GatherSection = (asked: GatheredFor) => Promise<ReportSectionData | null>;

/** One section of a report, declared by the module that owns its figures (workspace-reporting §1.3). */
export interface ReportSectionDeclaration {
  /** Its place among all sections, low first. */
  position: number;
  audience: ReportAudience | "both";
  /** Its heading. */
  title: Readonly<Record<Locale, string>>;
  /** What feeds it, as clients of the API name it. */
  source: string;
  /** Loads what gathers it; a section without it prints nothing yet. */
  load?: () => Promise<GatherSection>;
}

/** A declared section, its key, and the module that must be enabled for it; null is always there. */
export type ReportSection = ReportSectionDeclaration & { key: string; module: string | null };
