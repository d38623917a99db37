import { projection } from "../../../core/database/projection.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import type { ReportAudience } from "../../../core/declare/report-sections.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { type ReportRow, ReportTemplate, type ReportTemplateRow } from "../models.ts";
import { SEEN, seenBy } from "../reports/report.list.ts";
import { ReportTemplateRead } from "./template-schemas.ts";

const shown = projection({ model: ReportTemplate, schema: ReportTemplateRead });
export const templates = rowsOf({
  model: ReportTemplate,
  projection: shown,
  whole: { order: "t.name, t.id", by: { audience: "text" } },
});

const ANY = statement("select exists (select 1 from report_templates where organisation_id = $1 and audience = $2) as any");
const STORED = statement(
  "select custom_html, custom_css, cover_image_file_id from report_templates where organisation_id = $1 and id = $2",
);
const CLEAR = statement(`update report_templates set is_default = false, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and audience = $2 and is_default and id <> $3`);

export const hasTemplate = async (audience: ReportAudience): Promise<boolean> =>
  (await queryOne<{ any: boolean }>(ANY, [request().organisation.id, audience]))?.any === true;

export type Baseline = Pick<ReportTemplateRow, "custom_html" | "custom_css" | "cover_image_file_id">;

/** The parts of a stored template that were validated when written. @throws 404 */
export async function storedBody(id: string): Promise<Baseline> {
  const row = await queryOne<Baseline>(STORED, [request().organisation.id, id]);
  if (!row) throw notFound();
  return row;
}

/** Clears the default of an audience from every other template. */
export const clearDefaultTemplate = (audience: ReportAudience, exceptId: string): void =>
  enqueue(CLEAR, [request().organisation.id, audience, exceptId]);

/** The newest finished report of audience `$2` that the caller may see. */
const NEWEST = statement(`select t.data_snapshot, t.narrative from reports t
  where t.organisation_id = $1 and t.audience = $2 and t.status in ('ready', 'sent') and t.data_snapshot is not null and ${SEEN}
  order by t.period_start desc, t.created_at desc, t.id desc limit 1`);

/** Reads the report for a template preview; undefined if the caller may see none (workspace-reporting §1.2). */
export async function newestReport(
  audience: ReportAudience,
): Promise<Pick<ReportRow, "data_snapshot" | "narrative"> | undefined> {
  if (!mayCaller("reporting.report.read:any")) return undefined;
  return queryOne(NEWEST, [request().organisation.id, audience, ...seenBy()]);
}
