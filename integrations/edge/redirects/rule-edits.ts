import { queueUpdate } from "../../../core/database/write.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { trail } from "../../../core/trail/trail.ts";
import { storeOutsideResult } from "../../../mixins/tenancy.ts";
import { EdgeRedirect } from "../models.ts";
import { accessOf, recordingTrouble } from "../provider/account-access.ts";
import { type ConnectedDomain, connectedDomain } from "./domain-at-edge.ts";
import { type AskedRedirect, intentIn } from "./intent.ts";
import { observeRules } from "./observing.ts";
import { changeRule, type Ruleset, readRuleset, removeRule, type ZoneAccess } from "./provider-rules.ts";
import { dropRedirect, lockRedirect } from "./redirect-writes.ts";
import { reachOf } from "./rules/expression.ts";
import { type HeldRule, targetOf } from "./rules/rule.ts";
import { isTarget, requireTarget } from "./rules/target.ts";
import { withLease } from "./zone-lease.ts";

/** A rule of a domain's zone, read from the provider under the zone's lease. */
interface FoundRule extends ConnectedDomain {
  place: ZoneAccess;
  ruleset: Ruleset | null;
  rule: HeldRule | undefined;
  /** Whether it is the domain's own redirect. */
  isOurs: boolean;
}

async function withRule<T>(domainId: string, ruleId: string, work: (found: FoundRule) => Promise<T>): Promise<T> {
  const { connected } = await connectedDomain(domainId);
  return withLease(connected.zone.id, async () => {
    const at = await connectedDomain(domainId);
    const { zone, account } = at.connected;
    const place = { access: accessOf(account), edgeZoneId: zone.edge_zone_id };
    const ruleset = await recordingTrouble(account, () => readRuleset(place));
    const rule = ruleset?.rules.find(({ id }) => id === ruleId);
    return work({ ...at, place, ruleset, rule, isOurs: at.redirect?.rule_id === ruleId && at.redirect.zone_id === zone.id });
  });
}

/**
 * Changes the target of a zone's rule. Its match, enabled state and description stay unchanged (assets §8.2).
 * @throws 404, 409, 412, 422, 502
 */
export async function editRule(domainId: string, ruleId: string, body: AskedRedirect): Promise<void> {
  const { target_url, status_code, preserve_path, preserve_query } = intentIn(body, null);
  if (!isTarget(target_url)) requireTarget(target_url, "", false);
  await withRule(domainId, ruleId, async ({ domain, connected, redirect, place, ruleset, rule, isOurs }) => {
    const { zone, account } = connected;
    if (!ruleset || !rule) throw notFound();
    if (rule.action !== "redirect") throw refusal("edge_rule_not_redirect");
    const { expression, enabled, description } = rule;
    if (typeof expression !== "string" || expression.trim() === "") throw refusal("edge_rule_unreadable");
    requireTarget(target_url, domain.name, reachOf(expression, domain.name).includeSubdomains !== false);
    const destination = { target_url, status_code, preserve_path, preserve_query };
    const changed = { action: "redirect", expression, action_parameters: targetOf(destination), enabled, description };
    await recordingTrouble(account, () => changeRule(place, ruleset.id, rule.id, changed));
    await storeOutsideResult(async () => {
      const stored = isOurs ? await lockRedirect(domainId) : undefined;
      if (stored) {
        queueUpdate(EdgeRedirect, stored.id, { ...destination, last_error: null, last_pushed_at: new Date().toISOString() });
        const follows = { domain_id: domainId, status: "redirect", redirect_url: target_url, only_from: null } as const;
        await runHooks("edge.domain_follows", follows);
      }
      const managed = redirect !== null && isOurs;
      const line = { target: target_url, status_code, zone: zone.name, rule_id: rule.id, managed };
      trail("domain", domainId, "edge.redirect_rule_edited", line);
    });
  });
}

/**
 * Removes a rule of the zone that the caller chose, own or foreign (assets §8.2). The domain's own rule may already be gone.
 * @throws 404, 409, 412, 502
 */
export async function deleteRule(domainId: string, ruleId: string): Promise<void> {
  await withRule(domainId, ruleId, async ({ domain, connected, redirect, place, ruleset, rule, isOurs }) => {
    const { zone, account } = connected;
    if (!rule && !isOurs) throw notFound();
    if (ruleset && rule) await recordingTrouble(account, () => removeRule(place, ruleset.id, rule.id));
    await storeOutsideResult(async () => {
      const rules = (ruleset?.rules ?? []).filter(({ id }) => id !== ruleId);
      await observeRules({ domain, redirect, rules, ...(rule && { removed: rule }), now: new Date().toISOString() });
      const stored = isOurs ? await lockRedirect(domainId) : undefined;
      if (stored) await dropRedirect(stored, zone.name);
      else trail("domain", domainId, "edge.redirect_rule_deleted", { zone: zone.name, rule_id: ruleId });
    });
  });
}
