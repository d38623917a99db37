import { refusing } from "../../../../mixins/google-ads/failure.ts";
import { type AdsAccess, searchAds } from "../../../../mixins/google-ads/transport.ts";
import type { BudgetNow } from "../requests/campaign-requests.ts";
import type { KeywordNow } from "../requests/keyword-requests.ts";
import type { Level } from "../requests/rules.ts";

interface BudgetRow {
  campaignBudget?: { name?: string; amountMicros?: string; referenceCount?: string; status?: string };
}

export const budgetQuery = (id: string): string =>
  `SELECT campaign_budget.id, campaign_budget.name, campaign_budget.amount_micros, campaign_budget.reference_count, campaign_budget.status FROM campaign_budget WHERE campaign_budget.id = ${id}`;

/** A budget's current state at the provider; null if it does not exist or is removed. @param id digits */
export async function currentBudget(access: AdsAccess, id: string): Promise<BudgetNow | null> {
  const [row] = await refusing(searchAds<BudgetRow>(access, budgetQuery(id), { operation: "budgets.current" }));
  const budget = row?.campaignBudget;
  if (!budget || budget.status === "REMOVED") return null;
  const { name = "", amountMicros = "0", referenceCount = "0" } = budget;
  return { name, amountMicros, referenceCount: Number(referenceCount) };
}

const CRITERIA: Readonly<Record<Level, { resource: string; key: string; parent: string }>> = {
  campaign: { resource: "campaign_criterion", key: "campaignCriterion", parent: "campaign" },
  ad_group: { resource: "ad_group_criterion", key: "adGroupCriterion", parent: "ad_group" },
  shared_set: { resource: "shared_criterion", key: "sharedCriterion", parent: "shared_set" },
};

export function criteriaQuery(level: Level, parentId: string, ids: readonly string[]): string {
  const { resource, parent } = CRITERIA[level];
  const fields = ["criterion_id", "keyword.text", "keyword.match_type"].map((field) => `${resource}.${field}`).join(", ");
  return `SELECT ${fields} FROM ${resource} WHERE ${parent}.id = ${parentId} AND ${resource}.criterion_id IN (${ids.join(", ")})`;
}

interface CriterionRow {
  criterionId?: string;
  keyword?: { text?: string; matchType?: string };
}

/** The current keywords of some criterion ids at the provider, without ids it does not know. @param ids digits, at least one */
export async function currentKeywords(
  access: AdsAccess,
  level: Level,
  parentId: string,
  ids: readonly string[],
): Promise<Map<string, KeywordNow>> {
  const query = criteriaQuery(level, parentId, ids);
  const rows = await refusing(searchAds<Record<string, CriterionRow>>(access, query, { operation: "keywords.current" }));
  return new Map(
    rows.flatMap((row) => {
      const { criterionId, keyword } = row[CRITERIA[level].key] ?? {};
      return criterionId && keyword?.text ? [[criterionId, { text: keyword.text, matchType: keyword.matchType ?? "" }]] : [];
    }),
  );
}
