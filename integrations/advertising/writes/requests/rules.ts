import { invalid } from "../../../../core/errors/errors.ts";
import { MATCH_TYPES, type MatchType } from "../../policy/guard-rails.ts";
import { microsOf } from "./amounts.ts";

/** Most operations of one call (marketing-ads §3.10). */
export const MOST_OPERATIONS = 200;

const INVALID = "errors.validation";
const oneOf = <T extends string>(values: readonly T[], value: string): T | undefined =>
  values.find((one) => one === value.trim().toUpperCase());

/** @throws 422 if one call has too many operations */
export function requireFew(count: number): void {
  if (count > MOST_OPERATIONS) throw invalid({ operations: "errors.ads_platform_too_many_operations" });
}

/** Ignores case. @throws 422 for anything but EXACT, PHRASE and BROAD */
export function matchTypeOf(value = "PHRASE"): MatchType {
  const known = oneOf(MATCH_TYPES, value);
  if (!known) throw invalid({ match_type: INVALID });
  return known;
}

/** A keyword's text, trimmed. @throws 422 for a blank one */
export function termIn(text: string): string {
  const term = text.trim();
  if (term === "") throw invalid({ text: "errors.required" });
  return term;
}

/** An amount in micros. @throws 422 on its field for fractions of a micro */
export function microsIn(field: "amount" | "cpc_bid", amount: number): string {
  const micros = microsOf(amount);
  if (micros === null) throw invalid({ [field]: INVALID });
  return micros;
}

export type Status = "ENABLED" | "PAUSED";

/**
 * The requested status or removal. Removal is not a status that the provider accepts in an update.
 * @param mayRemove whether `REMOVED` is allowed, if sent without other changes
 * @param others whether anything else changes
 * @throws 422 on `status`
 */
export function statusOf(value: string | undefined, { mayRemove = false, others = false } = {}): Status | "REMOVED" | undefined {
  if (value === undefined) {
    if (!others) throw invalid({ status: "errors.ads_platform_nothing_to_change" });
    return undefined;
  }
  const status = oneOf(["ENABLED", "PAUSED", "REMOVED"] as const, value);
  if (!status) throw invalid({ status: "errors.ads_platform_status_invalid" });
  if (status === "REMOVED" && (!mayRemove || others)) throw invalid({ status: "errors.ads_platform_status_removed" });
  return status;
}

/** The levels that can have negative keywords. */
export const LEVELS = ["campaign", "ad_group", "shared_set"] as const;
export type Level = (typeof LEVELS)[number];

/** @throws 422 */
export function levelOf(value = "campaign"): Level {
  const level = LEVELS.find((one) => one === value);
  if (!level) throw invalid({ level: "errors.ads_platform_negative_level_invalid" });
  return level;
}

/** What the provider replaces when it shows the ad; of a keyword or a customizer only the default text counts, of a countdown none. */
const INSERTED = /\{(?:KeyWord|CUSTOMIZER\.[^{}:]+):(?<shown>[^{}]*)\}|\{COUNTDOWN\([^{}]*\)\}/giu;
/** Characters of full width, which the provider counts as two. */
const WIDE =
  /(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;

/** The length of a text of an ad as the provider counts it (marketing-ads §3.9). */
export function adLength(text: string): number {
  const shown = text.replace(INSERTED, (...found) => (found.at(-1) as { shown?: string }).shown ?? "");
  return [...shown].reduce((length, character) => length + (WIDE.test(character) ? 2 : 1), 0);
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text.trim()) && URL.canParse(text.trim());
}

export interface AdTexts {
  headlines: readonly string[];
  descriptions: readonly string[];
  final_urls: readonly string[];
}

/** @throws 422 with every field that violates the rules of responsive search ads */
export function requireAdTexts({ headlines, descriptions, final_urls: addresses }: AdTexts): void {
  const wrong: Record<string, string> = {};
  const counts = (list: readonly string[], least: number, most: number) => list.length >= least && list.length <= most;
  const fits = (list: readonly string[], most: number) =>
    list.every((text) => text.trim() !== "" && adLength(text.trim()) <= most);
  if (!counts(headlines, 3, 15)) wrong["headlines"] = "errors.ads_platform_ad_headline_count";
  else if (!fits(headlines, 30)) wrong["headlines"] = "errors.ads_platform_ad_headline_length";
  if (!counts(descriptions, 2, 4)) wrong["descriptions"] = "errors.ads_platform_ad_description_count";
  else if (!fits(descriptions, 90)) wrong["descriptions"] = "errors.ads_platform_ad_description_length";
  if (!counts(addresses, 1, 10) || !addresses.every(isWebAddress)) wrong["final_urls"] = "errors.ads_platform_ad_final_url";
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
}
