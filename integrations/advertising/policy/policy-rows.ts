import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { AdsPolicy, type AdsPolicyRow } from "./policy-model.ts";
import type { AdsPolicyRead } from "./policy-schemas.ts";
import { type Resolved, resolvePolicy } from "./resolve.ts";

const STORED = statement(`select ${columns(AdsPolicy)} from ads_policies where organisation_id = $1 and account_id is null
  union all select ${columns(AdsPolicy)} from ads_policies where organisation_id = $1 and account_id = $2`);

/** The stored policies of the organisation and of one account. */
export interface StoredPolicies {
  house: AdsPolicyRow | null;
  account: AdsPolicyRow | null;
}

/** @param accountId null for the organisation's policy only */
export async function storedPolicies(accountId: string | null): Promise<StoredPolicies> {
  const rows = await query<AdsPolicyRow>(STORED, [request().organisation.id, accountId]);
  const one = (isHouse: boolean) => rows.find(({ account_id }) => (account_id === null) === isHouse) ?? null;
  return { house: one(true), account: one(false) };
}

/** The policy in force for an account. */
export async function policyOf(accountId: string): Promise<Resolved> {
  const { house, account } = await storedPolicies(accountId);
  return resolvePolicy(house, account);
}

const number = (text: string | null): number | null => (text === null ? null : Number(text));

/** The response body of a policy. @param accountId null for the organisation's policy */
export function shownPolicy(accountId: string | null, { house, account }: StoredPolicies): Static<typeof AdsPolicyRead> {
  const own = accountId === null ? house : account;
  const { policy } = resolvePolicy(house, account);
  return {
    account_id: accountId,
    stored: own !== null,
    protected_terms: own?.protected_terms ?? [],
    banned_phrases: own?.banned_phrases ?? [],
    always_exclude: own?.always_exclude ?? [],
    max_daily_budget: number(own?.max_daily_budget ?? null),
    max_budget_increase_pct: number(own?.max_budget_increase_pct ?? null),
    max_cpc: number(own?.max_cpc ?? null),
    waste_min_cost: number(own?.waste_min_cost ?? null),
    waste_min_clicks: own?.waste_min_clicks ?? null,
    steering: own?.steering ?? "",
    ad_copy_rules: own?.ad_copy_rules ?? "",
    resolved: {
      ...policy,
      max_daily_budget: number(policy.max_daily_budget),
      max_budget_increase: Number(policy.max_budget_increase),
      max_cpc: number(policy.max_cpc),
      waste_min_cost: number(policy.waste_min_cost),
    },
  };
}
