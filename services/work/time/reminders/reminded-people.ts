import { addDays, type IsoDate } from "../../../../core/calendar/calendar.ts";
import { query } from "../../../../core/database/query.ts";
import { grantsThatMeet } from "../../../../core/declare/permissions.ts";
import { emitAll } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { onOrAfter, onOrBefore } from "../../days.ts";
import type { TimesheetPerson } from "../timesheet-reminder.ts";

const WRITES_TIME = grantsThatMeet("time.entry.write");
/** Active members not yet reminded of a week, with whether they can write time and their number of finished entries in it. */
const PEOPLE = statement(`select m.account_id as user_id,
    m.membership_id in (select h from members_holding($1, $4::text[]) h) as writes_time,
    (select count(*)::int from time_entries t where t.organisation_id = m.organisation_id and t.user_id = m.account_id
      and t.ended_at is not null and ${onOrAfter("t", "$2::date")} and ${onOrBefore("t", "$3::date")}) as entries
  from member_access m where m.organisation_id = $1 and m.is_live and not exists (
    select 1 from timesheet_reminders r where r.organisation_id = m.organisation_id and r.account_id = m.account_id and r.week_start = $2)
  order by m.account_id`);
/** If two nodes reach a person at once, the second finds the first's mark. */
const MARK = statement(`insert into timesheet_reminders (organisation_id, account_id, week_start)
  select $1, id, $3 from unnest($2::uuid[]) id on conflict do nothing returning account_id`);

/** A member from the database; the absence comes from the leave module. */
export type Person = Omit<TimesheetPerson, "fully_absent">;

/** The active members not yet reminded of a week. */
export function peopleOf(week: IsoDate): Promise<Person[]> {
  return query<Person>(PEOPLE, [request().organisation.id, week, addDays(week, 6), WRITES_TIME]);
}

/** Records the reminders of a week and notifies those not reminded before. */
export async function remind(people: readonly string[], week: IsoDate): Promise<void> {
  const marked = await query<{ account_id: string }>(MARK, [request().organisation.id, people, week]);
  const events = marked.map(({ account_id: id }) => ({
    entityId: id,
    payload: { user_id: id, week_start: week, recipients: [id] },
  }));
  emitAll("time.timesheet_reminder", "timesheet", events);
}
