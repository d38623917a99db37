import type { ReportAudience } from "../../../core/declare/report-sections.ts";
import type { ReportRow } from "../models.ts";

/**
 * The kind of record a report is for trail and files: internal ones are a kind of their own with readers of their own, so that who reads
 * reports of clients alone learns nothing of them.
 */
export const kindOf = (audience: ReportAudience): "report" | "internal_report" =>
  audience === "internal" ? "internal_report" : "report";

type Named = Pick<ReportRow, "id" | "company_id" | "company_name" | "audience" | "period_start" | "period_end">;

/** A report as events name it. */
export const eventOf = ({ id, company_id, company_name, audience, period_start, period_end }: Named) => ({
  report_id: id,
  company_id,
  company_name,
  audience,
  period_start,
  period_end,
});
