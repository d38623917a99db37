import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { UptimeMonitor, type UptimeMonitorRow } from "../models.ts";
import { visibleMonitor } from "./monitor-rows.ts";

const ROW = statement(`select ${columns(UptimeMonitor, "t")} from uptime_monitors t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or ${visibleMonitor("$3::uuid[]")})`);

/** The stored row of a monitor, if the caller sees it. @throws 404 */
export async function visibleRow(id: string): Promise<UptimeMonitorRow> {
  const { organisation, principal } = request();
  const row = await queryOne<UptimeMonitorRow>(ROW, [organisation.id, id, principal?.selection ?? null]);
  if (!row) throw notFound();
  return row;
}
