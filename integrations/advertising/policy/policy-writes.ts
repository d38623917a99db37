import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { trail } from "../../../core/trail/trail.ts";
import { decimal } from "../../../core/values/money.ts";
import { AdsPolicy, type AdsPolicyRow } from "./policy-model.ts";
import type { AdsPolicyWrite } from "./policy-schemas.ts";
import { type OwnPolicy, TERM_LISTS, type TermList } from "./resolve.ts";
import { LONGEST_TERM, normalisedTerms } from "./terms.ts";

type SentPolicy = Static<typeof AdsPolicyWrite>;

/** Version of a policy that was never saved. */
export const UNSAVED_VERSION = 0;

const AMOUNTS = ["max_daily_budget", "max_budget_increase_pct", "max_cpc", "waste_min_cost"] as const;
const exact = (value: number | string | null): string | null => (value === null ? null : decimal(value).toFixed());

/**
 * The stored form of a request: missing values stay unchanged, null inherits (marketing-ads §3.8).
 * @throws 422 for a term that is too long; truncating it would protect something else
 */
export function policyValues(sent: SentPolicy): Partial<OwnPolicy> {
  const tooLong: Record<string, string> = {};
  const lists = TERM_LISTS.flatMap((name): [TermList, string[]][] => {
    const list = sent[name];
    if (list === undefined) return [];
    const terms = normalisedTerms(list ?? []);
    if (terms.some((term) => [...term].length > LONGEST_TERM)) tooLong[name] = "errors.validation";
    return [[name, terms]];
  });
  if (Object.keys(tooLong).length > 0) throw invalid(tooLong);
  return {
    ...Object.fromEntries(lists),
    ...Object.fromEntries(AMOUNTS.flatMap((name) => (sent[name] === undefined ? [] : [[name, exact(sent[name])]]))),
    ...(sent.waste_min_clicks !== undefined && { waste_min_clicks: sent.waste_min_clicks }),
    ...(sent.steering !== undefined && { steering: sent.steering ?? "" }),
    ...(sent.ad_copy_rules !== undefined && { ad_copy_rules: sent.ad_copy_rules ?? "" }),
  };
}

/** Normalises amounts for comparison: `10.50` equals `10.5`. */
const comparable = (row: AdsPolicyRow): Partial<OwnPolicy> => ({
  ...row,
  ...Object.fromEntries(AMOUNTS.map((name) => [name, exact(row[name])])),
});

/** Records which values changed in the trail, never their texts. */
const note = (accountId: string | null, policyId: string, action: string, changed: string[]): void =>
  accountId === null ? trail("ads_policy", policyId, action, { changed }) : trail("ads_account", accountId, action, { changed });

/** Stores a policy in the running transaction. @param row the stored policy, locked */
export function storePolicy(accountId: string | null, row: AdsPolicyRow | null, sent: SentPolicy): void {
  requireMatch(row?.version ?? UNSAVED_VERSION);
  const values = policyValues(sent);
  const changed = row ? differences(comparable(row), values) : values;
  if (changed === null || Object.keys(changed).length === 0) return;
  if (row) queueUpdate(AdsPolicy, row.id, changed);
  // Of two concurrent first writes, the later one is retried and finds the earlier one's row.
  else request().retryableConstraints.add("ads_policies_one");
  const id = row?.id ?? queueInsert(AdsPolicy, { account_id: accountId, ...values });
  note(accountId, id, "ads.policy_changed", Object.keys(changed));
}

/** Removes a policy in the running transaction, if one is stored. @param row the stored policy, locked */
export function dropPolicy(accountId: string | null, row: AdsPolicyRow | null): void {
  requireMatch(row?.version ?? UNSAVED_VERSION);
  if (!row) return;
  queueRemove(AdsPolicy, row.id);
  note(accountId, row.id, "ads.policy_removed", []);
}
