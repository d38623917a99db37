import { columns } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { queueRemove } from "../../../core/database/write.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { JsonText, WrittenRow } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { leaveCaller } from "../callers.ts";
import { LeaveRequestModel, type LeaveRequestRow, RecurringDayModel, type RecurringDayRow } from "../models.ts";
import { lockPersonOf } from "../person-lock.ts";
import { LeaveRecurringDayRead, LeaveRecurringDaySaved } from "./recurring-schemas.ts";

/** Number of the pattern's live days from `today` on. */
const upcoming = (today: string) => `(select count(*)::int from leave_requests r where r.organisation_id = t.organisation_id
  and r.recurring_day_id = t.id and r.status in ('pending', 'approved') and r.start_date >= ${today}::date)`;

const listed = projection({
  model: RecurringDayModel,
  schema: LeaveRecurringDayRead,
  columns: { upcoming_days: upcoming("$2") },
});
const saved = projection({
  model: RecurringDayModel,
  schema: LeaveRecurringDaySaved,
  columns: { upcoming_days: upcoming("$3"), generated: "$4::int" },
});
const rows = rowsOf({ model: RecurringDayModel, projection: saved });

const LIST = statement(
  `select ${jsonArray(
    listed.rows(`(select ${columns(RecurringDayModel)} from leave_recurring_days where organisation_id = $1 and ($3::uuid is null or user_id = $3::uuid)
      and ($4::timestamptz is null or updated_at >= $4::timestamptz) order by user_id, anchor_date, id)`),
  )} as items`,
);
const SAVED = saved.one();
const DAYS_AHEAD =
  statement(`select ${columns(LeaveRequestModel)} from leave_requests where organisation_id = $1 and recurring_day_id = $2
  and status in ('pending', 'approved') and start_date >= $3::date order by start_date, id`);
const UNLINK =
  statement(`update leave_requests set recurring_day_id = null, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and recurring_day_id = $2`);
const ACTIVE = statement(
  `select ${columns(RecurringDayModel)} from leave_recurring_days where organisation_id = $1 and active order by user_id, created_at, id`,
);

/** Whether the caller may plan patterns of every type for everyone (people §9, "Pattern"). */
export const managesProfiles = (): boolean => mayCaller("leave.profile.manage");

/** The list of patterns, of one person or of everyone (null). */
export async function listPatterns(userId: string | null, since: string | null): Promise<JsonText> {
  const values = [request().organisation.id, organisationToday(), userId, since];
  return new JsonText((await queryOne<{ items: string }>(LIST, values))?.items ?? "[]");
}

/** The response of a write: the pattern after it, and the number of days it placed. */
export const savedPattern = (id: string, generated: number): WrittenRow =>
  new WrittenRow([SAVED, [request().organisation.id, id, organisationToday(), generated]]);

/** Hides other people's patterns from a caller who does not manage profiles (people §9, "Pattern"). @throws 404 */
function mayTouch({ user_id }: RecurringDayRow): void {
  if (!managesProfiles() && user_id !== leaveCaller().user_id) throw notFound();
}

/** Locks the person's leave and returns the pattern for writing. @throws 404, 412 */
export async function lockedPattern(id: string): Promise<RecurringDayRow> {
  lockPersonOf("leave_recurring_days", id);
  return rows.forWrite(id, mayTouch);
}

/** The stored live days of a pattern from today on. */
export const daysAhead = (id: string): Promise<LeaveRequestRow[]> =>
  query<LeaveRequestRow>(DAYS_AHEAD, [request().organisation.id, id, organisationToday()]);

/** Deletes a locked pattern and unlinks the days it placed (people §9). */
export function removePattern(id: string): void {
  enqueue(UNLINK, [request().organisation.id, id]);
  queueRemove(RecurringDayModel, id);
}

/** Every active pattern of the organisation. */
export const activePatterns = (): Promise<RecurringDayRow[]> => query<RecurringDayRow>(ACTIVE, [request().organisation.id]);
