import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import {
  type BudgetPeriod,
  type CompanyBudgetHours,
  clientBudget,
  periodStart,
  type RolledUpProject,
} from "../projects/budgets/burn-down.ts";
import { FINISHED, ofSeenClient, sumsOf } from "../projects/budgets/spent-minutes.ts";

/** The start of the current budget period of a project on alias `p`; `$3`, `$4` and `$5` are the periods' first days. */
const SINCE = `(case p.budget_period when 'monthly' then $3::date when 'weekly' then $4::date when 'daily' then $5::date
  else '-infinity' end)`;
const DATED: readonly BudgetPeriod[] = ["monthly", "weekly", "daily"];

/** Reads the entries of a project once, for its period and for all time: a budget in total would read all of them twice. */
const hours = (more: string) =>
  statement(`select w.id, (select coalesce(sum(e.minutes), 0)::float8 from time_entries e
      where e.organisation_id = $1 and e.company_id = w.id and ${FINISHED}) as all_time,
    (select coalesce(json_agg(json_build_object('budget_hours', p.budget_hours::text, 'budget_period', p.budget_period,
        'spent', s.spent, 'billable', s.billable, 'unapproved', s.unapproved, 'all_time', s.all_time)), '[]')
       from projects p cross join lateral (select ${SINCE} as since offset 0) b
       cross join lateral (select ${sumsOf("e.work_date >= b.since")}, coalesce(sum(e.minutes), 0)::float8 as all_time from time_entries e
         where e.organisation_id = $1 and e.project_id = p.id and ${FINISHED}${more}) s
      where p.organisation_id = $1 and p.company_id = w.id and p.status = 'active' and p.budget_hours is not null) as projects
    from unnest($2::uuid[]) w(id)`);
export const HOURS = hours("");
const HOURS_SEEN = hours(` and ${ofSeenClient("$6::uuid[]")}`);

/**
 * The combined budgets of companies, by company (work chapter §2.4 "Client roll-up", clients chapter §3.6). One statement for any number of
 * companies, projects and entries.
 */
export async function companyHours(ids: readonly string[]): Promise<Record<string, CompanyBudgetHours>> {
  const { organisation, principal } = request();
  const today = organisationToday();
  const values = [organisation.id, ids, ...DATED.map((period) => periodStart(period, today))];
  const selection = principal?.selection ?? null;
  type Row = { id: string; all_time: number; projects: RolledUpProject[] };
  const rows = await (selection === null ? query<Row>(HOURS, values) : query<Row>(HOURS_SEEN, [...values, selection]));
  return Object.fromEntries(rows.map(({ id, all_time, projects }) => [id, clientBudget(projects, all_time)]));
}
