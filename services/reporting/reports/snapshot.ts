import type { Locale } from "../../../core/config/defaults.ts";
import type { ReportAudience, ReportSectionData, ReportSpan } from "../../../core/declare/report-sections.ts";

/** A section as it was gathered: its heading in the report's language, and numbers only. */
export interface GatheredSection {
  key: string;
  title: string;
  data: ReportSectionData;
}

/**
 * Every figure and label that a report prints, frozen when they were gathered (workspace-reporting §1.5): the document is drawn of it alone,
 * however the figures at the source change later.
 */
export interface Snapshot {
  locale: Locale;
  audience: ReportAudience;
  /** The client's name as it is printed. */
  client: string;
  span: ReportSpan;
  compared: ReportSpan;
  sections: readonly GatheredSection[];
}

/** What a run has to say of a report: a code below `reporting.warning.`, and what it is about. */
export interface ReportWarning {
  code: string;
  detail: string | null;
}
