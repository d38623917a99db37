import { invalid, notFound } from "../../../../core/errors/errors.ts";
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

export const listQuery = (id: string): string =>
  `SELECT shared_set.id, shared_set.name, shared_set.type FROM shared_set WHERE shared_set.id = ${id}`;

/**
 * The name of a list of negative keywords; null if the provider does not know it. The provider keeps shared sets of all types in one
 * collection, such as excluded placements.
 * @throws 404 if it is a shared set of another type
 */
export async function listName(access: AdsAccess, id: string): Promise<string | null> {
  const operation = "negative_lists.current";
  const [row] = await refusing(searchAds<{ sharedSet?: { name?: string; type?: string } }>(access, listQuery(id), { operation }));
  if (row?.sharedSet && row.sharedSet.type !== "NEGATIVE_KEYWORDS") throw notFound();
  return row?.sharedSet?.name ?? null;
}

const CRITERIA: Readonly<Record<Level, { resource: string; key: string; parent: string; more: readonly string[] }>> = {
  campaign: { resource: "campaign_criterion", key: "campaignCriterion", parent: "campaign", more: ["negative"] },
  ad_group: {
    resource: "ad_group_criterion",
    key: "adGroupCriterion",
    parent: "ad_group",
    more: ["negative", "status", "cpc_bid_micros"],
  },
  // Every keyword in a shared negative list is negative.
  shared_set: { resource: "shared_criterion", key: "sharedCriterion", parent: "shared_set", more: [] },
};

export function criteriaQuery(level: Level, parentId: string, ids: readonly string[]): string {
  const { resource, parent, more } = CRITERIA[level];
  const names = ["criterion_id", "keyword.text", "keyword.match_type", ...more];
  const fields = names.map((field) => `${resource}.${field}`).join(", ");
  return `SELECT ${fields} FROM ${resource} WHERE ${parent}.id = ${parentId} AND ${resource}.criterion_id IN (${ids.join(", ")})`;
}

interface CriterionRow {
  criterionId?: string;
  keyword?: { text?: string; matchType?: string };
  negative?: boolean;
  status?: string;
  cpcBidMicros?: string;
}

/** The criteria that a route changes, and the field of the request that names them. */
export interface WantedKeywords {
  level: Level;
  /** Digits. */
  parentId: string;
  /** Digits, at least one. */
  ids: readonly string[];
  /** Whether the route changes negative keywords, not keywords that show ads. */
  isNegative: boolean;
  field: "criterion_id" | "criterion_ids";
}

/**
 * The current keywords of some criterion ids at the provider, without ids it does not know. The provider keeps keywords, negative keywords,
 * audiences and targeted locations in one collection, so an id alone could remove what the caller has no permission for.
 * @throws 422 on the field if an id is another kind of criterion
 */
export async function currentKeywords(access: AdsAccess, wanted: WantedKeywords): Promise<Map<string, KeywordNow>> {
  const { level, parentId, ids, isNegative, field } = wanted;
  const query = criteriaQuery(level, parentId, ids);
  const rows = await refusing(searchAds<Record<string, CriterionRow>>(access, query, { operation: "keywords.current" }));
  const found = rows.flatMap((row) => row[CRITERIA[level].key] ?? []);
  const isWanted = ({ keyword, negative = false }: CriterionRow) =>
    Boolean(keyword?.text) && (level === "shared_set" || negative) === isNegative;
  if (!found.every(isWanted)) throw invalid({ [field]: "errors.validation" });
  return new Map(
    found.map(({ criterionId = "", keyword, status, cpcBidMicros }) => [
      criterionId,
      {
        ...{ text: keyword?.text ?? "", matchType: keyword?.matchType ?? "" },
        ...(status !== undefined && { status }),
        ...(cpcBidMicros !== undefined && { cpcBidMicros }),
      },
    ]),
  );
}
