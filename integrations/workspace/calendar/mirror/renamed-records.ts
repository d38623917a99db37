import { NAMING_FIELDS, namedRecordKey } from "../../../../core/calendar/mirrored-event.ts";
import { query } from "../../../../core/database/query.ts";
import type { EventHook } from "../../../../core/declare/events.ts";
import { scheduleAll } from "../../../../core/jobs/jobs.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { oneByOne, WRITE_JOB } from "../pull-jobs.ts";
import { AGAIN } from "./mirror-rows.ts";

/** Queues the events whose text names one of the records, and those that are being written for the first time and may have read the old name. */
const REWRITE = statement(`with renamed as (update workspace_calendar_mirrors m set ${AGAIN}
    where m.organisation_id = $1 and (m.names && $2::text[] or m.names is null and m.status = 'pending')
      and (m.presence <> 'absent' or m.status = 'pending') returning m.account_id)
  select distinct account_id from renamed order by account_id`);

/** Rewrites the events in people's calendars that show the former name of a record (workspace §2.3). */
export const rewriteRenamed: EventHook = async (recorded, changed) => {
  const names = [
    ...changed.flatMap(({ kind, id, change, fields }) => {
      const naming = NAMING_FIELDS[kind];
      return change === "updated" && naming !== undefined && fields.includes(naming) ? [namedRecordKey(kind, id)] : [];
    }),
    ...recorded.flatMap(({ name, entityId }) => (name === "leave.type_renamed" ? [namedRecordKey("leave_type", entityId)] : [])),
  ];
  if (names.length === 0) return;
  const owners = await query<{ account_id: string }>(REWRITE, [request().organisation.id, names]);
  scheduleAll(
    WRITE_JOB,
    owners.map(({ account_id }) => ({ payload: { account_id }, ...oneByOne(account_id) })),
  );
};
