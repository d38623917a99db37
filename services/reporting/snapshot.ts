import type { Locale } from "../../core/config/defaults.ts";
import type { ReportAudience, ReportSectionData, ReportSpan } from "../../core/declare/report-sections.ts";

/** A gathered section: its heading in the report's language, and raw figures. */
export interface GatheredSection {
  key: string;
  title: string;
  data: ReportSectionData;
}

/**
 * Every figure and label of a report, frozen when gathered (workspace-reporting §1.5): the document derives from it alone, even if the
 * source's figures change later.
 */
export interface Snapshot {
  locale: Locale;
  audience: ReportAudience;
  /** The client's printed name. */
  client: string;
  span: ReportSpan;
  compared: ReportSpan;
  sections: readonly GatheredSection[];
}

/** A warning of a run: a code below `reporting.warning.`, and its subject. */
export interface ReportWarning {
  code: string;
  detail: string | null;
}
