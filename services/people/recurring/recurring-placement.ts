import { type IsoDate, later, yearOf } from "../../../core/calendar/calendar.ts";
import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { expectedHolidays } from "../holidays/expected-holidays.ts";
import type { RecurringDayRow } from "../models.ts";
import { balanceSources, settledSources } from "../pots/pots.ts";
import { announce } from "../requests/request-events.ts";
import type { LeaveSources, SourcesWanted } from "../sources.ts";
import { displayWindow } from "../working-time/span-cost.ts";
import { type PlacedBooking, place } from "./placement.ts";
import { horizonOf, type Pattern } from "./recurrence.ts";

/** A pattern as placement sees it. */
export type PlacedPattern = Pattern & Pick<RecurringDayRow, "id" | "user_id" | "note">;

const SPENT = statement(`select recurring_day_id, recurring_date from leave_requests
  where organisation_id = $1 and recurring_day_id = any($2::uuid[]) and recurring_date is not null`);
const ADD =
  statement(`insert into leave_requests (id, organisation_id, user_id, leave_type_id, status, start_date, end_date, start_time,
    end_time, resolved_start_time, resolved_end_time, hours, note, recurring_day_id, recurring_date)
  select r.id, $1, r.user_id, r.leave_type_id, 'approved', r.start_date, r.end_date, r.start_time, r.end_time, r.resolved_start_time,
    r.resolved_end_time, r.hours, r.note, r.recurring_day_id, r.recurring_date from jsonb_populate_recordset(null::leave_requests, $2::jsonb) r`);

/** The spent dates per pattern: those from which a request was ever created, wherever it is now. */
async function spentDates(patterns: readonly PlacedPattern[]): Promise<Map<string, Set<string>>> {
  const spent = new Map(patterns.map(({ id }) => [id, new Set<string>()]));
  const rows = await query<{ recurring_day_id: string; recurring_date: string }>(SPENT, [
    request().organisation.id,
    [...spent.keys()],
  ]);
  for (const { recurring_day_id, recurring_date } of rows) spent.get(recurring_day_id)?.add(recurring_date);
  return spent;
}

/** The requests these patterns place, processed in sequence so that no two patterns of a person use the same day. */
function placedRequests(
  patterns: readonly PlacedPattern[],
  sources: LeaveSources,
  holidays: ReadonlySet<IsoDate>,
  spent: Map<string, Set<string>>,
) {
  const bookings = new Map<string, PlacedBooking[]>();
  return patterns.flatMap((pattern) => {
    const person = sources.person(pattern.user_id);
    if (!person.member) return [];
    const taken = bookings.get(person.user_id) ?? [...person.bookings];
    bookings.set(person.user_id, taken);
    const { placed } = place(pattern, {
      ...balanceSources(sources, person),
      person,
      holidays,
      bookings: taken,
      spent: spent.get(pattern.id) ?? new Set(),
      horizon_months: sources.settings.recurring_horizon_months,
    });
    const { id: recurring_day_id, user_id, leave_type_id, note } = pattern;
    const requests = placed.map(({ minutes: _minutes, hours, ...span }) => ({
      id: newId(),
      user_id,
      leave_type_id,
      ...span,
      ...displayWindow(span, person),
      hours,
      note,
      recurring_day_id,
      recurring_date: span.start_date,
    }));
    taken.push(...requests.map((one) => ({ ...one, status: "approved" as const })));
    return requests;
  });
}

/**
 * Places all days that patterns may place now, as approved one-day requests (people §9, "Placement"), in a fixed number of statements
 * however many patterns and days. The caller has locked their people; missing pots of this year and the next are derived first.
 * @param users the people of the patterns, or everyone
 * @returns the number of days placed
 */
export async function placeDays(patterns: readonly PlacedPattern[], users: SourcesWanted["users"]): Promise<number> {
  const active = patterns.filter((pattern) => pattern.active);
  if (active.length === 0) return 0;
  const year = yearOf(organisationToday());
  const sources = await settledSources(users, [year, year + 1]);
  const people = active.map(({ user_id }) => sources.person(user_id));
  const { today, settings } = sources;
  const reach = people
    .map(({ contracts }) => horizonOf(contracts, today, settings.recurring_horizon_months))
    .reduce(later, today);
  const holidays = await expectedHolidays(sources, today, reach);
  const requests = placedRequests(active, sources, holidays, await spentDates(active));
  if (requests.length === 0) return 0;
  enqueue(ADD, [request().organisation.id, JSON.stringify(requests)]);
  await announce("leave.approved", requests, sources, { approvers: [] });
  return requests.length;
}
