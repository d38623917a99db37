import { query, queryAll } from "../../../../core/database/query.ts";
import { action } from "../../../../core/declare/action.ts";
import { report } from "../../../../core/declare/makers/report.ts";
import { date, integer, uuid } from "../../../../core/schema/schema.ts";
import { service } from "../../../../mixins/resource.ts";
import { onOrAfter, onOrBefore } from "../../days.ts";
import { requireReferences } from "../../references.ts";
import { overSeenEntries } from "../entry-visibility.ts";
import { type ClientMinutes, costOf, type MonthMinutes, revenueOf, worth } from "../money.ts";
import { rated, ratedReads } from "./rated-minutes.ts";
import { ProductivityStats, ProjectCost, RevenueStats, TeamTimeSummary } from "./report-schemas.ts";

/** Groups by day before by person: a person then has few days, and PostgreSQL sorts no entries. */
const PRODUCTIVITY = overSeenEntries(
  (seen) => `select d.user_id, sum(d.minutes)::float8 as minutes, sum(d.billable_minutes)::float8 as billable_minutes,
      sum(d.approved_minutes)::float8 as approved_minutes, sum(d.entry_count)::float8 as entry_count, count(*)::int as active_days
    from (select t.user_id, t.work_date as day, sum(t.minutes) as minutes, count(*) as entry_count,
        coalesce(sum(t.minutes) filter (where t.billable), 0) as billable_minutes,
        coalesce(sum(t.minutes) filter (where t.approved_at is not null), 0) as approved_minutes
      from time_entries t where t.organisation_id = $1 and t.ended_at is not null
        and ${onOrAfter("t", "$2::date")} and ${onOrBefore("t", "$3::date")} and ${seen}
      group by 1, 2) d
    group by 1 order by 2 desc, 1`,
  "$4",
);

const minutesOf = (groups: readonly { minutes: number }[]) => groups.reduce((total, { minutes }) => total + minutes, 0);

const window = { date_from: date(), date_to: date() };

export default service("time.stats", {
  actions: {
    productivity: action({
      rest: "GET /time/stats/productivity",
      summary: "Minutes, entries and days of each person in a window, most minutes first",
      permission: "time.report.read",
      query: window,
      returns: ProductivityStats,
      async handler(ctx) {
        const { date_from, date_to } = ctx.params;
        const rows = await query(...PRODUCTIVITY([ctx.meta.organisation.id, date_from, date_to]));
        return { date_from, date_to, rows };
      },
    }),

    teamSummary: report({
      rest: "GET /time/stats/team-summary",
      summary: "Minutes of the team in a window, and the value of the billable ones",
      description: "Open means not approved. Minutes are valued at their worker's rate; without a rate they have no value.",
      permission: "time.report.read",
      query: window,
      returns: TeamTimeSummary,
      async handler(ctx) {
        const { date_from, date_to } = ctx.params;
        const groups = rated<{ billable: boolean; approved: boolean }>(await query(...ratedReads.team(date_from, date_to)));
        const billable = groups.filter((group) => group.billable);
        return {
          date_from,
          date_to,
          minutes: minutesOf(groups),
          billable_minutes: minutesOf(billable),
          open_minutes: minutesOf(groups.filter(({ approved }) => !approved)),
          revenue: worth(billable),
        };
      },
    }),

    revenue: report({
      rest: "GET /time/stats/revenue",
      summary: "Value of the billable hours of a year and the previous one, by month and by client",
      description: "Hours are in the month of their `work_date`. People without any rate are left out.",
      permission: "time.report.read",
      query: { year: integer(2000, 2100) },
      returns: RevenueStats,
      async handler(ctx) {
        const { year } = ctx.params;
        const [months, clients] = await queryAll(ratedReads.months(year), ratedReads.clients(year));
        return { year, ...revenueOf(year, rated<MonthMinutes>(months), rated<ClientMinutes>(clients)) };
      },
    }),

    cost: action({
      rest: "GET /time/cost",
      summary: "Cost of the hours on a project, at their workers' rates",
      description: "Minutes of people without any rate are reported separately, not priced at zero.",
      permission: "time.report.read",
      also: ["leave.rate.read:any"],
      query: { project_id: uuid() },
      exceptions: { selection: "a project out of sight is 404, not left out (work §4.5); its own test shows that" },
      returns: ProjectCost,
      errors: ["not_found"],
      async handler(ctx) {
        const { project_id } = ctx.params;
        await requireReferences({ project_id });
        return { project_id, ...costOf(rated<{ billable: boolean }>(await query(...ratedReads.project(project_id)))) };
      },
    }),
  },
});
