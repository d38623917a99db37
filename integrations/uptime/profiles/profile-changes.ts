import { isDeepStrictEqual } from "node:util";
import { columns } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { scheduleAll } from "../../../core/jobs/jobs.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { UptimeMonitor, type UptimeMonitorRow, type UptimeProfileRow } from "../models.ts";
import { fieldsBetween, settingsFrom } from "../monitors/monitor-writes.ts";
import { wantedOf } from "../monitors/wanted.ts";

const WITH_PROFILE = statement(`select ${columns(UptimeMonitor, "t")} from uptime_monitors t
    join uptime_instances i on i.organisation_id = t.organisation_id and i.id = t.instance_id and i.mode = 'managed'
  where t.organisation_id = $1 and t.profile_id = $2 order by t.id for update of t`);
const UNPUSHED =
  statement(`update uptime_monitors m set sync_status = 'pending', version = version + 1, updated_at = statement_timestamp(),
    unpushed = array(select distinct f from unnest(m.unpushed || r.fields) f)
  from jsonb_to_recordset($2::jsonb) r (id uuid, fields text[]) where m.organisation_id = $1 and m.id = r.id`);

/**
 * Applies a profile's change or removal to its monitors, in the running transaction; jobs write them to their servers. The number of
 * statements is fixed.
 * @param after null if the profile is removed
 */
export async function followProfile(before: UptimeProfileRow, after: UptimeProfileRow | null): Promise<void> {
  const { organisation } = request();
  const rows = await query<UptimeMonitorRow>(WITH_PROFILE, [organisation.id, before.id]);
  const changed = rows.flatMap((row) => {
    const differing = fieldsBetween(wantedOf(row, before, null), wantedOf(row, after, null));
    // The server of an adopted monitor can have another value than the built-in one that the profile now sets.
    const set =
      row.adopted && after ? settingsFrom(after, row).filter((name) => !isDeepStrictEqual(before[name], after[name])) : [];
    const fields = [...new Set([...differing, ...set])];
    return fields.length === 0 || row.remote_id === null ? [] : [{ id: row.id, fields }];
  });
  if (changed.length === 0) return;
  enqueue(UNPUSHED, [organisation.id, JSON.stringify(changed)]);
  scheduleAll(
    "uptime.push",
    changed.map(({ id }) => ({ payload: { monitor_id: id } })),
  );
}
