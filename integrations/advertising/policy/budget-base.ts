import { decimal } from "../../../core/values/money.ts";

/** What a write of ours knows of a budget, in the provider's micros. */
export interface BudgetMoment {
  /** Whether it was in the last 24 hours. */
  is_recent: boolean;
  /** The amount that the write read at the provider; null for the creation. */
  before: string | null;
  /** The amount that it set; null if it set none or its outcome is not certain. */
  after: string | null;
}

const isPositive = (amount: string | null): amount is string => amount !== null && decimal(amount).greaterThan(0);

/**
 * The amount from which a raise counts (marketing-ads §3.8): the budget's amount 24 hours ago, or the one it was created with since. If
 * that was zero, the last amount above zero before it, else the first one since.
 * @param moments our writes to the budget, oldest first
 * @param now the amount at the provider, in micros
 * @returns micros; null if the budget never had an amount above zero
 */
export function baseOf(moments: readonly BudgetMoment[], now: string): string | null {
  const recent = moments.filter(({ is_recent }) => is_recent);
  const [first] = recent;
  const then = first ? (first.before ?? first.after) : now;
  if (isPositive(then)) return then;
  const amounts = (some: readonly BudgetMoment[]) => some.flatMap(({ before, after }) => [before, after]);
  const earlier = amounts(moments.filter(({ is_recent }) => !is_recent)).toReversed();
  return [...earlier, ...amounts(recent), now].find(isPositive) ?? null;
}
