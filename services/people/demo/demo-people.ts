import { addDays, dateOf, type IsoDate, isoWeekday, yearOf } from "../../../core/calendar/calendar.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { generateHolidays } from "../holidays/holiday-generator.ts";
import { generatePots } from "../pots/pots.ts";
import { addHolidays } from "../seeding.ts";
import { type LeaveSources, loadSources, type Person } from "../sources.ts";
import type { Contract } from "../working-time/contract.ts";
import { displayWindow, spanCost } from "../working-time/span-cost.ts";
import { DEFAULT_WEEK, type WorkWeek } from "../working-time/week.ts";

const FOUR_DAYS: WorkWeek = { ...DEFAULT_WEEK, fri: null };
const THREE_DAYS: WorkWeek = { ...DEFAULT_WEEK, wed: null, fri: null };

/** The demo employees added to the existing accounts: address, name, weekly hours, own week. */
const NEWCOMERS = [
  ["mees@demo.localhost", "Mees Jansen", 40, null],
  ["noor@demo.localhost", "Noor van Dijk", 32, FOUR_DAYS],
  ["sem@demo.localhost", "Sem Visser", 36, null],
  ["fleur@demo.localhost", "Fleur Smit", 24, THREE_DAYS],
  ["jesse@demo.localhost", "Jesse Mulder", 40, null],
  ["amira@demo.localhost", "Amira Haddad", 32, FOUR_DAYS],
  ["thijs@demo.localhost", "Thijs de Boer", 40, null],
  ["eva@demo.localhost", "Eva Peters", 28, FOUR_DAYS],
] as const;

/**
 * One person's leave in a year: type, first day as month and day, and days. Dates shift per person so that not everyone is away at once.
 */
const YEAR = [
  ["vacation_statutory", 2, 20, 5],
  ["vacation_extra", 4, 12, 1],
  ["sick", 5, 17, 2],
  ["vacation_statutory", 7, 8, 12],
  ["special", 9, 20, 1],
  ["vacation_extra", 10, 16, 3],
  ["roostervrij", 11, 6, 1],
  ["vacation_statutory", 12, 27, 3],
] as const;

const ADD_MEMBERS = `with people as (
    insert into accounts (email, full_name, is_verified) select p.email, p.full_name, true
      from json_to_recordset($2) p (email text, full_name text) on conflict (email) do nothing returning id),
  joined as (insert into memberships (organisation_id, account_id) select $1, id from people returning id)
  insert into membership_roles (organisation_id, membership_id, role_id)
  select $1, j.id, r.id from joined j join roles r on r.organisation_id = $1 and r.key = 'member'`;
const MEMBERS = `select a.id, a.email from memberships m join accounts a on a.id = m.account_id
  where m.organisation_id = $1 and a.email <> $2 order by a.email`;

const EMPLOYED = statement("select 1 from leave_contracts where organisation_id = $1 limit 1");
const ADD_CONTRACTS =
  statement(`insert into leave_contracts (id, organisation_id, user_id, start_date, contract_hours_per_week, schedule)
  select c.id, $1, c.user_id, c.start_date, c.contract_hours_per_week, c.schedule from jsonb_populate_recordset(null::leave_contracts, $2::jsonb) c`);
const ADD_REQUESTS =
  statement(`insert into leave_requests (id, organisation_id, user_id, leave_type_id, status, start_date, end_date, start_time, end_time,
    resolved_start_time, resolved_end_time, hours)
  select r.id, $1, r.user_id, r.leave_type_id, r.status, r.start_date, r.end_date, r.start_time, r.end_time, r.resolved_start_time,
    r.resolved_end_time, r.hours from jsonb_populate_recordset(null::leave_requests, $2::jsonb) r`);

interface Employee extends Pick<Contract, "start_date" | "schedule" | "contract_hours_per_week"> {
  readonly id: string;
  readonly user_id: string;
}

/** One person's leave in a year at the service's own prices, without unworked days and without types that grant no balance. */
function leaveOf(
  person: Person,
  nth: number,
  year: number,
  { types, holidays, today }: LeaveSources,
  ids: (kind: string) => string,
): object[] {
  return YEAR.flatMap(([key, month, day, days]) => {
    const type = types.find((one) => one.key === key);
    const moved = addDays(dateOf(year, month, day), -7 * (nth % 3));
    const start_date: IsoDate = addDays(moved, 1 - isoWeekday(moved));
    const span = { start_date, end_date: addDays(start_date, days - 1), start_time: null, end_time: null };
    const { minutes, hours } = spanCost(span, person, holidays);
    const granted =
      type?.tracks_balance !== true || person.pots.some((pot) => pot.leave_type_id === type.id && pot.year === year);
    if (type === undefined || minutes === 0 || !granted) return [];
    const status = start_date < today || !type.requires_approval ? "approved" : "pending";
    const request = { id: ids("leave/requests"), user_id: person.user_id, leave_type_id: type.id, status, hours, ...span };
    return [{ ...request, ...displayWindow(span, person) }];
  });
}

/**
 * Adds 12 employees to the demo organisation, with contracts, pots and leave for last year and this year, by the service's own rules and
 * in a handful of statements. Does nothing if the organisation already has contracts. The owner is not an employee.
 */
export async function fillPeople({ client, organisation, owner }: Omit<DemoOrganisation, "colleagues">): Promise<void> {
  const newcomers = NEWCOMERS.map(([email, full_name]) => ({ email, full_name }));
  await client.query(ADD_MEMBERS, [organisation.id, JSON.stringify(newcomers)]);
  const members = (await client.query<{ id: string; email: string }>(MEMBERS, [organisation.id, owner])).rows;
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(EMPLOYED, [organisation.id])) return;
      const ids = demoIds(organisation);
      const { today, settings } = await loadSources({ users: [] });
      const years = [yearOf(today) - 1, yearOf(today)] as const;
      const employees = members.map(({ id: user_id, email }, nth): Employee => {
        const [, , hours = 40, schedule = null] = NEWCOMERS.find(([address]) => address === email) ?? [];
        return {
          id: ids("leave/contracts"),
          user_id,
          start_date: dateOf(years[0] - (nth % 4), 1, 1),
          contract_hours_per_week: hours,
          schedule,
        };
      });
      enqueue(ADD_CONTRACTS, [organisation.id, JSON.stringify(employees)]);
      addHolidays(settings.holiday_country, await generateHolidays(settings.holiday_country, years[0]));
      for (const year of years) await generatePots(year);
      const sources = await loadSources({ users: members.map(({ id }) => id), ledger: "pots" });
      const leave = members.flatMap(({ id }, nth) =>
        years.flatMap((year) => leaveOf(sources.person(id), nth, year, sources, ids)),
      );
      enqueue(ADD_REQUESTS, [organisation.id, JSON.stringify(leave)]);
    },
  );
}
