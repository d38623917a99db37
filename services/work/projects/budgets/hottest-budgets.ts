import { query } from "../../../../core/database/query.ts";
import type { ActionContext } from "../../../../core/declare/action.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { seesProjectHours } from "../../hour-callers.ts";
import { forStaffAndClients, projectsOfClient, projectsOfStaff } from "../../visibility.ts";
import type { DashboardBudgetProject } from "../project-schemas.ts";
import { burnDowns, sourcesOf } from "./budgets.ts";
import { burnRatio, effectiveBudget, type StoredBudget } from "./burn-down.ts";

type Row = StoredBudget & Omit<Static<typeof DashboardBudgetProject>, "hours">;

const active = (visible: string) =>
  statement(`select t.id, t.name, client.name as company_name, t.budget_hours, t.budget_period from projects t
    left join companies client on client.organisation_id = t.organisation_id and client.id = t.company_id
    where t.organisation_id = $1 and t.status = 'active' and ${visible} order by t.name collate kantoor_text, t.id`);
const ALL = active("true");
const SELECTED = forStaffAndClients((clients) => active((clients ? projectsOfClient : projectsOfStaff)("$2::uuid[]")));

/**
 * The active projects that have spent the largest part of their effective budget, ties by name (work chapter §2.2); empty if the caller may
 * not see hours. Two statements, however many projects there are.
 */
export async function hottestBudgets(ctx: ActionContext, limit: number): Promise<Static<typeof DashboardBudgetProject>[]> {
  if (!seesProjectHours()) return [];
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const found = await (selection === null
    ? query<Row>(ALL, [organisation.id])
    : query<Row>(SELECTED(), [organisation.id, selection]));
  const sources = await sourcesOf(
    ctx,
    found.map(({ id }) => id),
  );
  const budgeted = found
    .map((row) => ({ ...row, ...effectiveBudget(row, sources(row.id)) }))
    .filter(({ budget_hours }) => Number(budget_hours ?? 0) > 0);
  const burning = await burnDowns(budgeted);
  return budgeted
    .map(({ id, name, company_name }) => {
      const { budget, minutes, hours } = burning(id);
      return { ratio: burnRatio(budget.budget_hours, minutes.spent) ?? 0, row: { id, name, company_name, hours } };
    })
    .toSorted((one, other) => other.ratio - one.ratio)
    .slice(0, limit)
    .map(({ row }) => row);
}
