import { newId } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { conflict, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { Report, type ReportRow } from "../models.ts";
import { editedTexts } from "./edited-texts.ts";
import { kindOf } from "./report-kind.ts";
import { HAS_LEFT } from "./unsent.ts";

/** SQL condition: reports `a` and `b` are revisions of one report. */
export const sameReport = (a: string, b: string): string =>
  `${a}.organisation_id = ${b}.organisation_id and ${a}.company_id = ${b}.company_id and ${a}.audience = ${b}.audience
    and ${a}.period_start = ${b}.period_start`;

/**
 * SQL condition: report `t` is the revision that the portal and the panels show of its period: the newest published one, or the newest one
 * while none is published. Lists for staff have all.
 */
export const IS_SHOWN = `not exists (select from reports n where ${sameReport("n", "t")}
    and (n.published_at is not null, n.revision) > (t.published_at is not null, t.revision))`;

/** The newest revision of report `$2`, and whether it has left. */
const NEWEST = statement(`select r.revision, ${HAS_LEFT} as has_left
  from reports o join reports r on ${sameReport("r", "o")} where o.organisation_id = $1 and o.id = $2 order by r.revision desc limit 1`);

/**
 * Adds the next revision of a sent report that the caller has locked, in the running transaction: with its client, period, template and the
 * texts that a person wrote, as a run in flight. Other texts and all figures are made again.
 * @returns the new report's id and its run
 * @throws 404 once its client is deleted; 409 `errors.reporting.not_sent` while its newest revision was not sent
 */
export async function addRevision(report: ReportRow): Promise<{ report_id: string; run_id: string }> {
  if (report.company_id === null) throw notFound();
  const newest = await queryOne<{ revision: number; has_left: boolean }>(NEWEST, [request().organisation.id, report.id]);
  if (!newest?.has_left) throw conflict("errors.reporting.not_sent");
  const { company_id, company_name, audience, locale, title, period_start, period_end, compare_start, compare_end } = report;
  const { principal } = request();
  const run_id = newId();
  const report_id = queueInsert(Report, {
    ...{ company_id, company_name, audience, locale, title, period_start, period_end, compare_start, compare_end },
    template_id: report.template_id,
    narrative: editedTexts(report),
    edited_sections: report.edited_sections,
    revision: newest.revision + 1,
    is_held: true,
    status: "generating",
    run_id,
    run_started_at: new Date().toISOString(),
    generated_by: principal?.accountId ?? null,
    generated_by_name: principal?.name ?? null,
  });
  trail(kindOf(audience), report_id, "revised", { revision: newest.revision + 1 });
  return { report_id, run_id };
}
