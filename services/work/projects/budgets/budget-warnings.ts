import { query } from "../../../../core/database/query.ts";
import { emitAll } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { periodStart, reachedThresholds, type StoredBudget } from "./burn-down.ts";
import { minutesSpent } from "./spent-minutes.ts";

interface Watched extends StoredBudget {
  id: string;
  title: string;
  company_id: string | null;
  recipients: string[];
}

/** Active projects with their own budgeted hours and a roster to notify, each with its roster. */
const WATCHED = statement(`select t.id, t.name as title, t.company_id, t.budget_hours, t.budget_period, roster.recipients
  from projects t cross join lateral (
    select array_agg(pa.account_id order by pa.is_primary desc, pa.created_at, pa.position) as recipients
      from project_assignees pa where pa.organisation_id = t.organisation_id and pa.project_id = t.id) roster
  where t.organisation_id = $1 and t.status = 'active' and t.budget_hours > 0 and roster.recipients is not null order by t.id`);
const REMEMBER = statement(`insert into project_budget_warnings (organisation_id, project_id, threshold, period, period_start)
  select $1, w.project_id, w.threshold, w.period, w.period_start
    from jsonb_to_recordset($2::jsonb) w(project_id uuid, threshold int, period text, period_start date)
  on conflict do nothing returning project_id, threshold`);

/** The start of a budget without periods. */
const FIRST_DAY = "0001-01-01";

/**
 * Notifies the rosters of projects that reached a threshold of their own stored budget in its stored period, once per threshold and period
 * (work chapter §5, 05:45). Stores each warning in the same transaction, so that of two concurrent runs the second sends nothing.
 */
export async function warnOfBudgets(): Promise<void> {
  const today = organisationToday();
  const place = request().organisation.id;
  const watched = await query<Watched>(WATCHED, [place]);
  const spent = await minutesSpent(watched.map(({ id, budget_period: period }) => ({ id, since: periodStart(period, today) })));
  const reached = watched.flatMap((project) =>
    reachedThresholds(project.budget_hours, spent(project.id).spent).map((one) => ({
      ...one,
      project,
      start: periodStart(project.budget_period, today),
    })),
  );
  if (reached.length === 0) return;
  const rows = reached.map(({ project, threshold, start }) => ({
    project_id: project.id,
    threshold,
    period: project.budget_period,
    period_start: start ?? FIRST_DAY,
  }));
  const added = await query<{ project_id: string; threshold: number }>(REMEMBER, [place, JSON.stringify(rows)]);
  const isNew = new Set(added.map(({ project_id, threshold }) => `${project_id} ${threshold}`));
  emitAll(
    "project.budget_threshold",
    "project",
    reached
      .filter(({ project, threshold }) => isNew.has(`${project.id} ${threshold}`))
      .map(({ project: { id, title, company_id, recipients }, threshold, percent, start }) => ({
        entityId: id,
        payload: { project_id: id, company_id, title, recipients, threshold, percent, period_start: start },
      })),
  );
}
