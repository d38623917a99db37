import { MOST_TERMS } from "./terms.ts";

/** The lists of a policy. */
export const TERM_LISTS = ["protected_terms", "banned_phrases", "always_exclude"] as const;
export type TermList = (typeof TERM_LISTS)[number];

/** What is stored for the organisation, or for one account. Amounts are in the account's currency, as text. */
export interface OwnPolicy extends Record<TermList, readonly string[]> {
  max_daily_budget: string | null;
  max_budget_increase_pct: string | null;
  max_cpc: string | null;
  waste_min_cost: string | null;
  waste_min_clicks: number | null;
  steering: string;
  ad_copy_rules: string;
}

/** What holds for an account. Null: there is no limit. */
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

/** What holds where neither the account nor the organisation says otherwise. */
const BUILT_IN_INCREASE = "1";

export interface Resolved {
  policy: ResolvedPolicy;
  /** Whether a list had more terms than are applied. */
  isCapped: boolean;
}

/**
 * What holds for an account (marketing-ads §3.8): lists are the union, the organisation's terms first; of limits the account's, else the
 * organisation's, else the built-in one; texts stay apart.
 * @param house of the organisation; null where nothing is stored
 * @param account null where nothing is stored, and for the organisation's own policy
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
