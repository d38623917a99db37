import { type IsoDate, startOf } from "../../../../core/calendar/calendar.ts";
import { type DecimalInput, decimal, roundHalfUp, sum } from "../../../../core/values/money.ts";

/** The period of a project's budget. */
export type BudgetPeriod = "total" | "monthly" | "weekly" | "daily";

/** A project's own budget, as stored. Hours have 2 decimals; null means no budget. */
export interface StoredBudget {
  readonly budget_hours: DecimalInput | null;
  readonly budget_period: BudgetPeriod;
}

/** An agreement linked to a project. */
export interface LinkedAgreement {
  readonly subscription_id: string;
  readonly name: string;
  readonly status: string;
  readonly included_hours: DecimalInput | null;
  /** With `interval_count`: the period of one price, `monthly` × 2 being two months. */
  readonly interval: "monthly" | "quarterly" | "yearly";
  readonly interval_count: number;
  /** Whether its client is outside the caller's selection: it backs the budget all the same, but the caller does not see it. */
  readonly is_hidden?: boolean;
}

/** An agreement behind a budget, as `budget_sources` shows it (work chapter §2.1). */
export interface BudgetSource {
  readonly subscription_id: string;
  readonly name: string;
  readonly included_hours: number;
  readonly monthly_hours: number;
}

/** Finished minutes; `spent` includes billable and unapproved ones. */
export interface SpentMinutes {
  readonly spent: number;
  readonly billable: number;
  readonly unapproved: number;
}

/** A burn-down as the response shows it: hours with at most 2 decimals (work chapter §2.4). */
export interface BudgetHours {
  readonly period: BudgetPeriod;
  readonly period_start: IsoDate | null;
  readonly budget_hours: number | null;
  readonly spent_hours: number;
  readonly billable_hours: number;
  readonly unapproved_hours: number;
  readonly remaining_hours: number | null;
}

/** The budgets of a client's projects combined (work chapter §2.4, "Client roll-up"). */
export interface CompanyBudgetHours extends Omit<BudgetHours, "period" | "period_start"> {
  readonly period: BudgetPeriod | null;
  readonly project_count: number;
  readonly unbudgeted_hours: number;
}

const UNIT = { monthly: "month", weekly: "week", daily: "day" } as const;
const MONTHS = { monthly: 1, quarterly: 3, yearly: 12 } as const;
const THRESHOLDS = [75, 100] as const;

/** Converts minutes to hours, rounded to 2 decimals. */
export const hoursOf = (minutes: number): number => roundHalfUp(decimal(minutes).dividedBy(60)).toNumber();

/** Budget minus spent, in hours; negative when over, null without a budget. */
const remainingOf = (budget: DecimalInput | null, spentMinutes: number): number | null =>
  budget === null ? null : roundHalfUp(decimal(budget).minus(decimal(spentMinutes).dividedBy(60))).toNumber();

/**
 * The first day of the current period, by the organisation's calendar: the first of the month, Monday, today, or null for `total`.
 * @param today the organisation's date
 */
export function periodStart(period: BudgetPeriod, today: IsoDate): IsoDate | null {
  return period === "total" ? null : startOf(UNIT[period], today);
}

/** An agreement's included hours per month: divided by the months of its period, 2 decimals (work chapter §2.4). */
export function monthlyHours({
  included_hours,
  interval,
  interval_count,
}: Pick<LinkedAgreement, "interval" | "interval_count"> & { readonly included_hours: DecimalInput }): number {
  return roundHalfUp(decimal(included_hours).dividedBy(MONTHS[interval] * interval_count)).toNumber();
}

/** The hours of an agreement that backs a budget: an active one with included hours. Null for any other. */
const backingHours = ({ status, included_hours: included }: LinkedAgreement): DecimalInput | null =>
  status === "active" && included !== null && decimal(included).greaterThan(0) ? included : null;

/** The agreements behind a project's budget that the caller sees, by name. */
export function budgetSources(agreements: readonly LinkedAgreement[]): BudgetSource[] {
  return agreements
    .flatMap((agreement) => {
      const included = backingHours(agreement);
      if (included === null || agreement.is_hidden) return [];
      const monthly_hours = monthlyHours({ ...agreement, included_hours: included });
      const { subscription_id, name } = agreement;
      return [{ subscription_id, name, included_hours: decimal(included).toNumber(), monthly_hours }];
    })
    .sort((one, other) => one.name.localeCompare(other.name) || (one.subscription_id < other.subscription_id ? -1 : 1));
}

/** The effective budget: the monthly sum of its agreements, else the project's own (work chapter §2.4, "Agreement-backed budget"). */
export function effectiveBudget(stored: StoredBudget, sources: readonly BudgetSource[]): StoredBudget {
  if (sources.length === 0) return stored;
  return { budget_hours: sum(sources.map(({ monthly_hours }) => monthly_hours)), budget_period: "monthly" };
}

/**
 * Whether an update changes the stored hours of an agreement-backed budget, which is refused; resending the stored value is fine. A hidden
 * agreement backs it, too (work chapter §2.4).
 * @param agreements the agreements linked to the project
 */
export function changesBackedBudget(
  stored: DecimalInput | null,
  sent: DecimalInput | null | undefined,
  agreements: readonly LinkedAgreement[],
): boolean {
  if (sent === undefined || !agreements.some((one) => backingHours(one) !== null)) return false;
  return sent === null || stored === null ? sent !== stored : !decimal(sent).equals(decimal(stored));
}

/** The burn-down of a project from its effective budget and the minutes since that budget's period began (work chapter §2.4). */
export function burnDown(budget: StoredBudget, minutes: SpentMinutes, today: IsoDate): BudgetHours {
  const { budget_hours, budget_period } = budget;
  return {
    period: budget_period,
    period_start: periodStart(budget_period, today),
    budget_hours: budget_hours === null ? null : decimal(budget_hours).toNumber(),
    spent_hours: hoursOf(minutes.spent),
    billable_hours: hoursOf(minutes.billable),
    unapproved_hours: hoursOf(minutes.unapproved),
    remaining_hours: remainingOf(budget_hours, minutes.spent),
  };
}

/** A client's active project with its minutes in the current period and of all time. */
export interface RolledUpProject extends StoredBudget, SpentMinutes {
  readonly all_time: number;
}

/**
 * A client's combined budget: its active projects with their own `budget_hours`, each over its own period, which is shown only if they
 * share it. Unbudgeted is all time logged on the client minus all time logged on those projects, never below 0 (work chapter §2.4, "Client
 * roll-up").
 * @param allTime all finished minutes on the client
 */
export function clientBudget(projects: readonly RolledUpProject[], allTime: number): CompanyBudgetHours {
  const budgeted = projects.filter(({ budget_hours }) => budget_hours !== null);
  const total = (figure: keyof SpentMinutes | "all_time") => budgeted.reduce((minutes, project) => minutes + project[figure], 0);
  const periods = new Set(budgeted.map(({ budget_period }) => budget_period));
  const budget = budgeted.length === 0 ? null : sum(budgeted.map(({ budget_hours }) => budget_hours ?? 0)).toNumber();
  return {
    period: periods.size === 1 ? ([...periods][0] ?? null) : null,
    project_count: budgeted.length,
    budget_hours: budget,
    spent_hours: hoursOf(total("spent")),
    billable_hours: hoursOf(total("billable")),
    unapproved_hours: hoursOf(total("unapproved")),
    remaining_hours: remainingOf(budget, total("spent")),
    unbudgeted_hours: hoursOf(Math.max(0, allTime - total("all_time"))),
  };
}

/** Spent ÷ budget, the dashboard's sort key; null without a budget above zero. */
export function burnRatio(budgetHours: DecimalInput | null, spentMinutes: number): number | null {
  if (budgetHours === null || !decimal(budgetHours).greaterThan(0)) return null;
  return decimal(spentMinutes).dividedBy(60).dividedBy(decimal(budgetHours)).toNumber();
}

/**
 * The thresholds that a project's own budget has reached in its own period, lowest first, with the whole percent spent. The job limits each
 * to one notification per period. Empty without a budget above zero (work chapter §5, 05:45).
 */
export function reachedThresholds(
  budgetHours: DecimalInput | null,
  spentMinutes: number,
): { threshold: number; percent: number }[] {
  if (budgetHours === null || !decimal(budgetHours).greaterThan(0)) return [];
  const percent = decimal(spentMinutes).times(100).dividedBy(decimal(budgetHours).times(60)).floor().toNumber();
  return THRESHOLDS.filter((threshold) => percent >= threshold).map((threshold) => ({ threshold, percent }));
}
