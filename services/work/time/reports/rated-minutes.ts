import { dateOf, endOf, firstOfYear, lastOfYear } from "../../../../core/calendar/calendar.ts";
import { request } from "../../../../core/request/context.ts";
import type { Bound } from "../../../../core/sql/statement.ts";
import { effectiveHourlyRate } from "../../../../core/values/hourly-rate.ts";
import { onOrAfter, onOrBefore } from "../../days.ts";
import { overSeenEntries } from "../entry-visibility.ts";
import type { RatedMinutes } from "../money.ts";

/** Minutes as read, with their author's rate, if any, and the organisation's. */
interface Read {
  minutes: number;
  own_rate: string | null;
  default_rate: string | null;
}

/** Priced minutes, with their grouping columns. */
export type Rated<G = unknown> = RatedMinutes & G;

/** Adds the effective rate to minutes (work chapter §4.5). */
export const rated = <G>(rows: readonly unknown[] | undefined): Rated<G>[] =>
  ((rows ?? []) as (Read & G)[]).map(({ own_rate, default_rate, ...row }) => ({
    ...row,
    rate: effectiveHourlyRate(own_rate, default_rate),
  })) as unknown as Rated<G>[];

const COUNTED = "t.organisation_id = $1 and t.ended_at is not null";
/** Joins rates to grouped minutes `g` with a `user_id`, so that the person's rate joins a few rows, not every entry. */
const RATES = `left join leave_profiles p on p.organisation_id = $1 and p.user_id = g.user_id
  left join leave_settings s on s.organisation_id = $1`;
const RATE_COLUMNS = "p.hourly_rate as own_rate, s.default_hourly_rate as default_rate";

const IN_DAYS = `${onOrAfter("t", "$2::date")} and ${onOrBefore("t", "$3::date")}`;
const TEAM = overSeenEntries(
  (seen) => `select g.billable, g.approved, g.minutes, ${RATE_COLUMNS} from (
    select t.user_id, t.billable, t.approved_at is not null as approved, sum(t.minutes)::float8 as minutes from time_entries t
     where ${COUNTED} and ${IN_DAYS} and ${seen} group by 1, 2, 3) g ${RATES}`,
  "$4",
);
/** One index range per month, so that no entry needs its month computed. */
const MONTHS = overSeenEntries(
  (seen) => `select m.year, m.month, sum(g.minutes) as minutes, ${RATE_COLUMNS}
    from unnest($2::int[], $3::int[], $4::date[], $5::date[]) m(year, month, first, last)
    cross join lateral (select t.user_id, sum(t.minutes)::float8 as minutes from time_entries t
      where ${COUNTED} and ${onOrAfter("t", "m.first")} and ${onOrBefore("t", "m.last")} and t.billable and ${seen} group by 1) g
    ${RATES} group by 1, 2, 4, 5`,
  "$6",
);
const CLIENTS = overSeenEntries(
  (seen) => `select g.company_id, sum(g.minutes) as minutes, ${RATE_COLUMNS} from (
    select t.company_id, t.user_id, sum(t.minutes)::float8 as minutes from time_entries t
     where ${COUNTED} and ${IN_DAYS} and t.billable and ${seen} group by 1, 2) g
    ${RATES} group by 1, 3, 4`,
  "$4",
);
const PROJECT = overSeenEntries(
  (seen) => `select g.billable, g.minutes, ${RATE_COLUMNS} from (
    select t.user_id, t.billable, sum(t.minutes)::float8 as minutes from time_entries t
     where ${COUNTED} and t.project_id = $2 and ${seen} group by 1, 2) g ${RATES}`,
  "$3",
);

const MONTHS_OF_YEAR = Array.from({ length: 12 }, (_, index) => index + 1);
const organisation = () => request().organisation.id;

/** Statements for finished minutes with rates, limited to entries the caller sees. */
export const ratedReads = {
  /** Per person, billable or not, approved or not. */
  team: (from: string, to: string): Bound => TEAM([organisation(), from, to]),
  /** Billable minutes of the 24 months of a year and the year before. */
  months(year: number): Bound {
    const months = [year - 1, year].flatMap((one) => MONTHS_OF_YEAR.map((month) => ({ year: one, month })));
    const first = months.map((one) => dateOf(one.year, one.month, 1));
    const last = first.map((date) => endOf("month", date));
    return MONTHS([organisation(), months.map((one) => one.year), months.map(({ month }) => month), first, last]);
  },
  /** Billable minutes of a year by client. */
  clients: (year: number): Bound => CLIENTS([organisation(), firstOfYear(year), lastOfYear(year)]),
  /** Minutes of a project, billable or not. */
  project: (projectId: string): Bound => PROJECT([organisation(), projectId]),
};
