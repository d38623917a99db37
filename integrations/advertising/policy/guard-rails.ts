import { type DecimalInput, decimal, roundHalfUp } from "../../../core/values/money.ts";
import type { ResolvedPolicy } from "./resolve.ts";
import { undisguised, wordsIn } from "./terms.ts";

export const MATCH_TYPES = ["EXACT", "PHRASE", "BROAD"] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

/** Why the policy refuses a write; the message is `errors.<code>`. */
export interface PolicyRefusal {
  code: string;
  /** The highest amount allowed. */
  limit?: number;
  /** The term or phrase of the policy that blocks the write. */
  blocks?: string;
}

/**
 * The highest daily budget that can be set without a ceiling in the policy: 1,000 EUR, or a round amount near it in another currency
 * (marketing-ads §3.8). It is fixed, so that no rate of the day decides.
 */
const UNGUARDED: Readonly<Record<string, number>> = {
  ...{ CZK: 25_000, DKK: 7500, HUF: 400_000, NOK: 12_000, PLN: 4000, RON: 5000, SEK: 12_000, TRY: 50_000 },
  ...{ BRL: 6000, CNY: 8000, IDR: 18_000_000, INR: 100_000, JPY: 150_000, KRW: 1_500_000, MXN: 20_000, THB: 38_000, ZAR: 20_000 },
};
const UNGUARDED_EUR = 1000;

/**
 * Checks a daily budget against the policy.
 * @param previous the current amount; null for a new budget, to which no relative limit applies
 * @param currency of the amounts; null if unknown
 * @param base the amount from which a raise counts; null without one, then no relative limit applies
 */
export function budgetRefusal(
  amount: DecimalInput,
  previous: DecimalInput | null,
  { max_daily_budget: most, max_budget_increase: increase }: Pick<ResolvedPolicy, "max_daily_budget" | "max_budget_increase">,
  currency: string | null = null,
  base: DecimalInput | null = previous,
): PolicyRefusal | null {
  const wanted = decimal(amount);
  const unguarded = UNGUARDED[currency ?? ""] ?? UNGUARDED_EUR;
  if (wanted.isNegative() && !wanted.isZero()) return { code: "ads_platform_budget_negative" };
  if (most !== null && wanted.greaterThan(most)) return { code: "ads_platform_budget_over_ceiling", limit: Number(most) };
  if (most === null && wanted.greaterThan(unguarded) && (previous === null || wanted.greaterThan(previous)))
    return { code: "ads_platform_budget_needs_ceiling", limit: unguarded };
  if (previous === null || base === null || !decimal(base).greaterThan(0)) return null;
  const limit = decimal(base).times(decimal(increase).plus(1));
  if (wanted.greaterThan(previous) && wanted.greaterThan(limit))
    return { code: "ads_platform_budget_increase_too_large", limit: roundHalfUp(limit).toNumber() };
  return null;
}

/** Checks a bid against the policy. */
export function bidRefusal(bid: DecimalInput, { max_cpc: most }: Pick<ResolvedPolicy, "max_cpc">): PolicyRefusal | null {
  const wanted = decimal(bid);
  if (wanted.isNegative() && !wanted.isZero()) return { code: "ads_platform_bid_negative" };
  if (most !== null && wanted.greaterThan(most)) return { code: "ads_platform_bid_over_ceiling", limit: Number(most) };
  return null;
}

/** Whether `words` contains `run` as a contiguous sequence. */
const hasRun = (words: readonly string[], run: readonly string[]): boolean =>
  words.some((_, at) => run.every((word, offset) => words[at + offset] === word));

/** Whether a negative keyword blocks ads on searches for a term. */
export function isBlocked(term: string, negative: string, matchType: MatchType): boolean {
  const [searched, excluded] = [wordsIn(term), wordsIn(negative)];
  if (excluded.length === 0) return false;
  if (matchType === "BROAD") return excluded.every((word) => searched.includes(word));
  return hasRun(searched, excluded) && (matchType === "PHRASE" || excluded.length === searched.length);
}

/** Checks that a negative keyword blocks no protected term. */
export function negativeRefusal(
  negative: string,
  matchType: MatchType,
  { protected_terms: terms }: Pick<ResolvedPolicy, "protected_terms">,
): PolicyRefusal | null {
  const blocks = terms.find((term) => isBlocked(term, negative, matchType));
  return blocks === undefined ? null : { code: "ads_platform_protected_term", blocks };
}

/** Checks that the texts of an ad contain no banned phrase. */
export function copyRefusal(
  texts: readonly string[],
  { banned_phrases: phrases }: Pick<ResolvedPolicy, "banned_phrases">,
): PolicyRefusal | null {
  const copy = texts.map(undisguised);
  const blocks = phrases.find((phrase) => {
    const banned = undisguised(phrase);
    return banned !== "" && copy.some((text) => text.includes(banned));
  });
  return blocks === undefined ? null : { code: "ads_platform_banned_phrase", blocks };
}
