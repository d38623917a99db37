import type { ActionContext } from "../../../../core/declare/action.ts";
import type { Static } from "../../../../core/declare/schema.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { figuresOf } from "../../../../mixins/contributions.ts";
import { seesProjectHours } from "../../time/callers.ts";
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
 * The agreements that the budgets of projects come from, by project. Modules with agreements contribute them as the figures
 * `project.agreements`: by project id a list of `LinkedAgreement`, in any status. While none does, every budget is the project's own.
 */
export async function sourcesOf(ctx: ActionContext, ids: readonly string[]): Promise<(id: string) => BudgetSource[]> {
  const linked = await figuresOf<readonly LinkedAgreement[]>(ctx, "project.agreements", ids);
  return (id) => budgetSources(linked[id] ?? []);
}

/** A project's budget with what was spent of it in its current period. */
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

/**
 * Fills in where the budgets of projects come from and, if asked and shown to the caller, their burn-down; the projects are changed in place.
 */
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
