import type { ReportAudience } from "../../../core/declare/report-sections.ts";
import type { ReportRow } from "../models.ts";

/**
 * The record kind of a report for trail and files. Internal reports are a separate kind with its own readers, so that readers of client
 * reports learn nothing about them.
 */
export const kindOf = (audience: ReportAudience): "report" | "internal_report" =>
  audience === "internal" ? "internal_report" : "report";

type Named = Pick<ReportRow, "id" | "company_id" | "company_name" | "audience" | "period_start" | "period_end">;

/** The fields that identify a report in events. */
export const eventOf = ({ id, company_id, company_name, audience, period_start, period_end }: Named) => ({
  report_id: id,
  company_id,
  company_name,
  audience,
  period_start,
  period_end,
});
