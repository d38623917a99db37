import { MOST_TERMS } from "./terms.ts";

/** The lists in a policy. */
export const TERM_LISTS = ["protected_terms", "banned_phrases", "always_exclude"] as const;
export type TermList = (typeof TERM_LISTS)[number];

/** The stored policy of the organisation or of one account. Amounts are text, in the account's currency. */
export interface OwnPolicy extends Record<TermList, readonly string[]> {
  max_daily_budget: string | null;
  max_budget_increase_pct: string | null;
  max_cpc: string | null;
  waste_min_cost: string | null;
  waste_min_clicks: number | null;
  steering: string;
  ad_copy_rules: string;
}

/** The policy in force for an account. Null means no limit. */
export interface ResolvedPolicy extends Record<TermList, readonly string[]> {
  max_daily_budget: string | null;
  /** A fraction: 1 lets a budget double. */
  max_budget_increase: string;
  max_cpc: string | null;
  waste_min_cost: string | null;
  waste_min_clicks: number | null;
  agency_steering: string;
  account_steering: string;
  agency_ad_copy_rules: string;
  account_ad_copy_rules: string;
}

/** The default if neither the account nor the organisation sets a value. */
const BUILT_IN_INCREASE = "1";

export interface Resolved {
  policy: ResolvedPolicy;
  /** Whether a list had more terms than the limit. */
  isCapped: boolean;
}

/**
 * Resolves the policy of an account (marketing-ads §3.8). Lists are merged, the organisation's terms first. A limit is the account's, else
 * the organisation's, else the default. Texts stay separate.
 * @param house the organisation's policy; null if none is stored
 * @param account null if none is stored, and for the organisation's own policy
 */
export function resolvePolicy(house: OwnPolicy | null, account: OwnPolicy | null): Resolved {
  const unions = TERM_LISTS.map((name) => [...new Set([...(house?.[name] ?? []), ...(account?.[name] ?? [])])]);
  const [protected_terms = [], banned_phrases = [], always_exclude = []] = unions.map((terms) => terms.slice(0, MOST_TERMS));
  return {
    policy: {
      protected_terms,
      banned_phrases,
      always_exclude,
      max_daily_budget: account?.max_daily_budget ?? house?.max_daily_budget ?? null,
      max_budget_increase: account?.max_budget_increase_pct ?? house?.max_budget_increase_pct ?? BUILT_IN_INCREASE,
      max_cpc: account?.max_cpc ?? house?.max_cpc ?? null,
      waste_min_cost: account?.waste_min_cost ?? house?.waste_min_cost ?? null,
      waste_min_clicks: account?.waste_min_clicks ?? house?.waste_min_clicks ?? null,
      agency_steering: house?.steering ?? "",
      account_steering: account?.steering ?? "",
      agency_ad_copy_rules: house?.ad_copy_rules ?? "",
      account_ad_copy_rules: account?.ad_copy_rules ?? "",
    },
    isCapped: unions.some(({ length }) => length > MOST_TERMS),
  };
}
