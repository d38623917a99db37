import type { ActionContext } from "../../../../core/declare/action.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { figuresOf } from "../../../../mixins/contributions.ts";
import { seesProjectHours } from "../../hour-callers.ts";
import type { ProjectRead } from "../project-schemas.ts";
import {
  type BudgetHours,
  type BudgetSource,
  budgetSources,
  burnDown,
  effectiveBudget,
  type LinkedAgreement,
  periodStart,
  type SpentMinutes,
  type StoredBudget,
} from "./burn-down.ts";
import { minutesSpent } from "./spent-minutes.ts";

/**
 * The agreements linked to projects, by project. Modules with agreements contribute the figures `project.agreements`: per
 * project id a list of `LinkedAgreement`, in any status. Without such a module every budget is the project's own.
 */
export async function agreementsOf(
  ctx: ActionContext,
  ids: readonly string[],
): Promise<(id: string) => readonly LinkedAgreement[]> {
  const linked = await figuresOf<readonly LinkedAgreement[]>(ctx, "project.agreements", ids);
  return (id) => linked[id] ?? [];
}

/** The agreements behind the budgets of projects that the caller sees, by project. */
export async function sourcesOf(ctx: ActionContext, ids: readonly string[]): Promise<(id: string) => BudgetSource[]> {
  const linked = await agreementsOf(ctx, ids);
  return (id) => budgetSources(linked(id));
}

/** A project's budget and the minutes spent in its current period. */
export interface Burning {
  budget: StoredBudget;
  minutes: SpentMinutes;
  hours: BudgetHours;
}

/** The burn-down of projects by their effective budgets, in one statement (work chapter §2.4). */
export async function burnDowns(budgets: readonly (StoredBudget & { id: string })[]): Promise<(id: string) => Burning> {
  const today = organisationToday();
  const spent = await minutesSpent(budgets.map(({ id, budget_period }) => ({ id, since: periodStart(budget_period, today) })));
  const byId = new Map(budgets.map((budget) => [budget.id, budget]));
  return (id) => {
    const budget = byId.get(id) as StoredBudget;
    const minutes = spent(id);
    return { budget, minutes, hours: burnDown(budget, minutes, today) };
  };
}

/** Sets the budget sources of the projects and, if requested and visible to the caller, their burn-down. Changes the projects in place. */
export async function fillBudgets(
  ctx: ActionContext,
  projects: readonly Static<typeof ProjectRead>[],
  withHours: boolean,
): Promise<void> {
  const sources = await sourcesOf(
    ctx,
    projects.map(({ id }) => id),
  );
  for (const project of projects) project.budget_sources = sources(project.id);
  if (!withHours || !seesProjectHours()) return;
  const burning = await burnDowns(
    projects.map((project) => ({ id: project.id, ...effectiveBudget(project, project.budget_sources) })),
  );
  for (const project of projects) project.hours = burning(project.id).hours;
}
