import { type IsoDate, yearOf } from "../../core/calendar/calendar.ts";
import { columns } from "../../core/database/model.ts";
import { queryAll } from "../../core/database/query.ts";
import { grantsThatMeet } from "../../core/declare/permissions.ts";
import { request } from "../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../core/request/today.ts";
import { type Bound, type Row, type Statement, statement } from "../../core/sql/statement.ts";
import { byPosition } from "./leave-types.ts";
import {
  ContractModel,
  type ContractRow,
  EntitlementModel,
  type EntitlementRow,
  LeaveProfileModel,
  type LeaveProfileRow,
  type LeaveRequestRow,
  LeaveTypeModel,
  type LeaveTypeRow,
} from "./models.ts";
import type { PotHolder } from "./pots/proration.ts";
import { firstHolidays, SEED_COLUMNS, type SeedState, seedLeave } from "./seeding.ts";
import { DEFAULT_SETTINGS, type LeaveSettings } from "./settings/settings.ts";

/** Occupying leave as figures and placement see it. */
export type BookingRow = Pick<
  LeaveRequestRow,
  "id" | "user_id" | "leave_type_id" | "start_date" | "end_date" | "start_time" | "end_time" | "hours" | "recurring_day_id"
> & { readonly status: "pending" | "approved" };

/** One person with everything that determines weeks, prices and pots: a member or a former one. */
export interface Person extends PotHolder {
  readonly user_id: string;
  /** Full name, else e-mail; empty for a non-member. */
  readonly name: string;
  readonly member: boolean;
  /** A member who is neither deactivated nor disabled. */
  readonly live: boolean;
  readonly contracts: readonly ContractRow[];
  readonly profile: LeaveProfileRow | null;
  readonly pots: readonly EntitlementRow[];
  /** Pending and approved requests of all years. */
  readonly bookings: readonly BookingRow[];
}

/** The loaded leave data of an organisation. */
export interface LeaveSources {
  readonly today: IsoDate;
  readonly zone: string;
  readonly settings: LeaveSettings;
  /** Active and inactive, in list order. */
  readonly types: readonly LeaveTypeRow[];
  /** Dates of active holidays of all years. */
  readonly holidays: ReadonlySet<IsoDate>;
  /** Years with any holiday, active or not. */
  readonly holiday_years: ReadonlySet<number>;
  /** The requested people who are members or have rows. */
  readonly people: readonly Person[];
  /** A person by id; an unknown id returns a non-member without rows. */
  person(userId: string): Person;
}

/** What to load: for which people, and without pots, with pots, or with pots and occupying requests. */
export interface SourcesWanted {
  readonly users: readonly string[] | "all";
  readonly ledger?: boolean | "pots";
}

/** Sorts people by name, ignoring case. */
export function byName(one: Person, other: Person): number {
  const [a, b] = [one, other].map(({ name, user_id }) => `${name.toLowerCase()} ${user_id}`) as [string, string];
  return a < b ? -1 : 1;
}

const SETTINGS = statement(`select s.default_schedule, s.holiday_auto_import, s.self_approval, s.recurring_horizon_months,
  s.default_hourly_rate, ${SEED_COLUMNS} from (values (1)) one left join leave_settings s on s.organisation_id = $1`);
const TYPES = statement(`select ${columns(LeaveTypeModel)} from leave_types where organisation_id = $1`);
const HOLIDAYS = statement("select date, active from leave_holidays where organisation_id = $1");

/** A select of people's rows: for some (`$2`) and for all. */
const ofPeople = (select: string, column = "user_id"): { some: Statement; all: Statement } => ({
  some: statement(`${select} and ${column} = any($2::uuid[])`),
  all: statement(select),
});

const WRITES_TIME = `array[${grantsThatMeet("time.entry.write")
  .map((grant) => `'${grant}'`)
  .join()}]::text[]`;
const MEMBERS = ofPeople(
  `select m.account_id as user_id, coalesce(nullif(a.full_name, ''), a.email) as name, m.is_live as live,
    m.membership_id in (select h from members_holding($1, ${WRITES_TIME}) h) as writes_time
    from member_access m join accounts a on a.id = m.account_id where m.organisation_id = $1`,
  "m.account_id",
);
const CONTRACTS = ofPeople(`select ${columns(ContractModel)} from leave_contracts where organisation_id = $1`);
const CONTRACTED = ofPeople("select user_id from leave_contracted where organisation_id = $1");
const PROFILES = ofPeople(`select ${columns(LeaveProfileModel)} from leave_profiles where organisation_id = $1`);
const POTS = ofPeople(`select ${columns(EntitlementModel)} from leave_entitlements where organisation_id = $1`);
const BOOKINGS =
  ofPeople(`select id, user_id, leave_type_id, start_date, end_date, start_time, end_time, hours, status, recurring_day_id
  from leave_requests where organisation_id = $1 and status in ('pending', 'approved')`);

type Settings = SeedState & { [K in keyof LeaveSettings]: LeaveSettings[K] | null };
type Member = Pick<Person, "user_id" | "name" | "live" | "writes_time">;

const settingsOf = (row: Settings): LeaveSettings => ({
  default_schedule: row.default_schedule ?? DEFAULT_SETTINGS.default_schedule,
  holiday_country: row.holiday_country,
  holiday_auto_import: row.holiday_auto_import ?? DEFAULT_SETTINGS.holiday_auto_import,
  self_approval: row.self_approval ?? DEFAULT_SETTINGS.self_approval,
  recurring_horizon_months: row.recurring_horizon_months ?? DEFAULT_SETTINGS.recurring_horizon_months,
  default_hourly_rate: row.default_hourly_rate,
});

const settingsRow = (rows: Row[] | undefined): Settings => rows?.[0] as unknown as Settings;

/** Groups rows by person. */
function byPerson<R extends { readonly user_id: string }>(rows: readonly R[]): Map<string, R[]> {
  const grouped = new Map<string, R[]>();
  for (const row of rows) {
    const group = grouped.get(row.user_id);
    if (group) group.push(row);
    else grouped.set(row.user_id, [row]);
  }
  return grouped;
}

/**
 * Loads the leave of some people, or of everyone, with a fixed number of statements in one message (people §2, §3, §5). Seeds missing types
 * and holidays first if the caller may write leave; otherwise prices with the holidays the seed would add.
 */
export async function loadSources(wanted: SourcesWanted): Promise<LeaveSources> {
  const rows = await read(wanted);
  return (await seedLeave(settingsRow(rows[0]))) ? sourcesOf(await read(wanted)) : sourcesOf(rows);
}

function read({ users, ledger = false }: SourcesWanted): Promise<Row[][]> {
  const { id } = request().organisation;
  const people = [MEMBERS, CONTRACTED, CONTRACTS, PROFILES, ...(ledger ? [POTS] : []), ...(ledger === true ? [BOOKINGS] : [])];
  const bound = people.map(({ some, all }): Bound => (users === "all" ? [all, [id]] : [some, [id, users]]));
  return queryAll([SETTINGS, [id]], [TYPES, [id]], [HOLIDAYS, [id]], ...bound);
}

async function sourcesOf([settingsRows, types, dates, ...rows]: readonly Row[][]): Promise<LeaveSources> {
  const [members = [], contracted = [], contracts = [], profiles = [], pots = [], bookings = []] = rows;
  const row = settingsRow(settingsRows);
  const settings = settingsOf(row);
  const first = (await firstHolidays(row)).map(({ date }) => ({ date, active: true }));
  const days = [...((dates ?? []) as { date: IsoDate; active: boolean }[]), ...first];

  const memberOf = new Map((members as unknown as Member[]).map((member) => [member.user_id, member]));
  const contractedIds = new Set((contracted as { user_id: string }[]).map(({ user_id }) => user_id));
  const profileOf = new Map((profiles as unknown as LeaveProfileRow[]).map((profile) => [profile.user_id, profile]));
  const contractsOf = byPerson(contracts as unknown as ContractRow[]);
  const potsOf = byPerson(pots as unknown as EntitlementRow[]);
  const bookingsOf = byPerson(bookings as unknown as BookingRow[]);

  const personOf = (user_id: string): Person => {
    const member = memberOf.get(user_id);
    return {
      user_id,
      name: member?.name ?? "",
      member: member !== undefined,
      live: member?.live ?? false,
      writes_time: member?.writes_time ?? false,
      ever_contracted: contractedIds.has(user_id),
      contracts: contractsOf.get(user_id) ?? [],
      profile: profileOf.get(user_id) ?? null,
      default_schedule: settings.default_schedule,
      pots: potsOf.get(user_id) ?? [],
      bookings: bookingsOf.get(user_id) ?? [],
    };
  };
  const ids = [memberOf, contractsOf, profileOf, potsOf, bookingsOf].flatMap((known) => [...known.keys()]);
  const people = new Map([...new Set(ids)].map((id) => [id, personOf(id)]));
  return {
    today: organisationToday(),
    zone: organisationZone(),
    settings,
    types: (types as unknown as LeaveTypeRow[]).sort(byPosition),
    holidays: new Set(days.flatMap(({ date, active }) => (active ? [date] : []))),
    holiday_years: new Set(days.map(({ date }) => yearOf(date))),
    people: [...people.values()],
    person: (userId) => people.get(userId.toLowerCase()) ?? personOf(userId.toLowerCase()),
  };
}
