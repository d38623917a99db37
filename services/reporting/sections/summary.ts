import { queryOne } from "../../../core/database/query.ts";
import type { GatherSection, ReportTable } from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

/** The key of the section that sums up the others. */
export const SUMMARY = "reporting.summary";

const GOALS = statement("select goals from report_profiles where organisation_id = $1 and company_id = $2");
const HEADING = { nl: "Doelen", en: "Goals" };
/** A bullet or number before a goal. */
const BULLET = /^\s*(?:[-*•–]|\d{1,2}[.)])\s+/;

/** The goals of a client's profile as a table, one a line; null without any. */
export function goalsTable(goals: string | null | undefined): ReportTable | null {
  const rows = (goals ?? "")
    .split(/\r?\n/)
    .map((line) => line.replace(BULLET, "").trim())
    .filter((line) => line !== "")
    .map((line) => [line]);
  return rows.length === 0 ? null : { columns: [{ key: "goal", label: HEADING, kind: "text" }], rows };
}

/** The client's goals, in one statement; the text about the other sections is written later, from the frozen figures. */
export const gatherSummary: GatherSection = async ({ company_id: companyId }) => {
  const row = await queryOne<{ goals: string | null }>(GOALS, [request().organisation.id, companyId]);
  const table = goalsTable(row?.goals);
  return { totals: [], ...(table && { table }) };
};
