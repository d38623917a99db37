import {
  bidRefusal,
  budgetRefusal,
  copyRefusal,
  type MatchType,
  negativeRefusal,
  type PolicyRefusal,
} from "../../policy/guard-rails.ts";
import type { ResolvedPolicy } from "../../policy/resolve.ts";
import { amountOf } from "./amounts.ts";
import type { Collection, Operation } from "./operation.ts";

/** Why the policy refuses an operation, and the field of the request that caused it. */
export interface Judged extends PolicyRefusal {
  field: "amount" | "cpc_bid" | "descriptions" | "headlines" | "path1" | "path2" | "text";
}

/** Collections whose objects cost money when they run. */
const PAUSABLE = new Set<Collection>(["adGroupAds", "adGroupCriteria", "adGroups", "campaigns"]);

interface Values {
  status?: string;
  negative?: boolean;
  amountMicros?: string;
  cpcBidMicros?: string;
  keyword?: { text: string; matchType: MatchType };
  ad?: {
    responsiveSearchAd?: { headlines: { text: string }[]; descriptions: { text: string }[]; path1?: string; path2?: string };
  };
}

const isNegative = (collection: Collection, { negative }: Values): boolean =>
  negative === true || collection === "campaignCriteria" || collection === "sharedCriteria";

/** Whether an operation creates something that runs at once, which no write may do (marketing-ads §3.10). */
export function isCreatedRunning(collection: Collection, { create }: Operation): boolean {
  const values = create as Values | undefined;
  if (!values || !PAUSABLE.has(collection) || isNegative(collection, values)) return false;
  return values.status !== "PAUSED";
}

/** Whether an operation creates something that must be enabled before it runs. */
export const isCreatedPaused = (collection: Collection, { create }: Operation): boolean =>
  create !== undefined && PAUSABLE.has(collection) && !isNegative(collection, create as Values);

/** The budget to change, in the provider's micros. */
export interface JudgedBudget {
  now: string;
  /** The amount from which a raise counts; null for no relative limit. */
  base: string | null;
}

/**
 * Checks the operation to be sent against the policy (marketing-ads §3.8).
 * @param budget the budget to change; null for a new one
 * @param currency of the account; null if unknown
 */
export function judge(
  collection: Collection,
  operation: Operation,
  policy: ResolvedPolicy,
  budget: JudgedBudget | null,
  currency: string | null,
): Judged | null {
  const values = (operation.create ?? operation.update ?? {}) as Values;
  const found = (refused: PolicyRefusal | null, field: Judged["field"]): Judged | null => refused && { ...refused, field };
  if (collection === "campaignBudgets" && values.amountMicros !== undefined) {
    const [now, base] = [budget && amountOf(budget.now), budget?.base ? amountOf(budget.base) : null];
    return found(budgetRefusal(amountOf(values.amountMicros), now, policy, currency, base), "amount");
  }
  if (values.cpcBidMicros !== undefined) return found(bidRefusal(amountOf(values.cpcBidMicros), policy), "cpc_bid");
  if (operation.create && values.keyword && isNegative(collection, values))
    return found(negativeRefusal(values.keyword.text, values.keyword.matchType, policy), "text");
  const ad = values.ad?.responsiveSearchAd;
  if (!ad) return null;
  const texts = (list: { text: string }[]) => list.map(({ text }) => text);
  return (
    found(copyRefusal(texts(ad.headlines), policy), "headlines") ??
    found(copyRefusal(texts(ad.descriptions), policy), "descriptions") ??
    found(copyRefusal([ad.path1 ?? ""], policy), "path1") ??
    found(copyRefusal([ad.path2 ?? ""], policy), "path2")
  );
}
