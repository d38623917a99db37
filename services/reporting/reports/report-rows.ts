import { columns } from "../../../core/database/model.ts";
import { queryOne, queryOutside } from "../../../core/database/query.ts";
import { lock } from "../../../core/database/write.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { Report, type ReportRow } from "../models.ts";
import { oneReportSelect, SEEN, seenBy } from "./report.list.ts";

const ROW = statement(`select ${columns(Report, "t")} from reports t where t.organisation_id = $1 and t.id = $2 and ${SEEN}`);

const asked = (id: string): unknown[] => [request().organisation.id, id, ...seenBy()];

/** One report, if the caller may see it. @throws 404 */
export async function oneReport(id: string): Promise<JsonText> {
  const found = await queryOne<{ version: number; body: string }>(oneReportSelect(), asked(id));
  if (!found) throw notFound();
  return new JsonText(found.body, found.version);
}

/** The stored report, if the caller may see it. @throws 404 */
export async function seenReport(id: string): Promise<ReportRow> {
  const row = await queryOne<ReportRow>(ROW, asked(id));
  if (!row) throw notFound();
  return row;
}

/** The same before the request has a transaction. @throws 404 */
export async function seenReportBefore(id: string): Promise<ReportRow> {
  const row = await queryOutside<ReportRow>(ROW, asked(id));
  if (!row) throw notFound();
  return row;
}

/** Locks the stored report for a write and checks `If-Match`. @throws 404, 412 */
export async function reportForWrite(id: string): Promise<ReportRow> {
  const row = await lock(Report, id, SEEN, seenBy());
  if (!row) throw notFound();
  requireMatch(row.version);
  return row;
}
