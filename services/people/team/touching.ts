import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { MAX_SPAN_DAYS } from "../limits.ts";
import type { LeaveRequestRow } from "../models.ts";
import type { RequestStatus } from "../requests/status.ts";

/** A request with its person's name, empty if the account is gone. */
export type NamedRequest = Pick<
  LeaveRequestRow,
  | "id"
  | "user_id"
  | "leave_type_id"
  | "start_date"
  | "end_date"
  | "start_time"
  | "end_time"
  | "resolved_start_time"
  | "resolved_end_time"
  | "hours"
  | "note"
  | "updated_at"
> & { readonly user_name: string; readonly status: RequestStatus };

/** No request spans more than MAX_SPAN_DAYS, so requests touching a window begin at most that long before it. */
const TOUCHING = statement(`select r.id, r.user_id, r.leave_type_id, r.status, r.start_date, r.end_date, r.start_time, r.end_time,
    r.resolved_start_time, r.resolved_end_time, r.hours, r.note, r.updated_at, coalesce(nullif(a.full_name, ''), a.email, '') as user_name
  from leave_requests r left join accounts a on a.id = r.user_id
  where r.organisation_id = $1 and r.start_date between $2::date - ${MAX_SPAN_DAYS} and $3::date and r.end_date >= $2::date
    and r.status = any($4::text[]) and ($5::uuid is null or r.user_id = $5::uuid)
    and ($6::timestamptz is null or r.updated_at >= $6::timestamptz)
  order by r.start_date, r.id`);

/**
 * Requests with these statuses that share a day with a window (both ends included), by start date: of one person or of everyone (null),
 * optionally changed since an instant.
 */
export const requestsTouching = (
  from: IsoDate,
  to: IsoDate,
  statuses: readonly RequestStatus[],
  userId: string | null,
  since: string | null = null,
): Promise<NamedRequest[]> => query<NamedRequest>(TOUCHING, [request().organisation.id, from, to, statuses, userId, since]);
