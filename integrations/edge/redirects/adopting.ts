import { notFound, refusal } from "../../../core/errors/errors.ts";
import { storeOutsideResult } from "../../../mixins/tenancy.ts";
import { accessOf, recordingTrouble } from "../provider/account-access.ts";
import { connectedDomain } from "./domain-at-edge.ts";
import { type AskedRedirect, requireIntent } from "./intent.ts";
import { readRuleset } from "./provider-rules.ts";
import { storeRedirect } from "./redirect-writes.ts";
import { differencesOf, ruleOf } from "./rules/rule.ts";
import { withLease } from "./zone-lease.ts";

/**
 * Adopts an existing rule as the domain's redirect, unchanged; writes nothing at the provider (assets §8.2).
 * @returns the id of the redirect
 * @throws 404 also for a missing rule, 409 also if Kantoor's own rule is live or the rule differs from the body, 422, 502
 */
export async function adoptRule(domainId: string, body: AskedRedirect & { rule_id: string }): Promise<string> {
  const ready = async () => {
    const at = await connectedDomain(domainId);
    return { ...at, intent: requireIntent(body, null, at.domain.name) };
  };
  const { connected } = await ready();
  return withLease(connected.zone.id, async () => {
    const { domain, connected, redirect, intent } = await ready();
    const { zone, account } = connected;
    const ruleset = await recordingTrouble(account, () =>
      readRuleset({ access: accessOf(account), edgeZoneId: zone.edge_zone_id }),
    );
    const rules = ruleset?.rules ?? [];
    if (redirect && rules.some(({ id }) => id === redirect.rule_id)) throw refusal("edge_redirect_owned");
    const rule = rules.find(({ id }) => id === body.rule_id);
    if (!ruleset || !rule) throw notFound();
    const differences = differencesOf(rule, ruleOf(domain.name, intent));
    if (differences.length > 0) {
      const fields = Object.fromEntries(differences.map((part) => [part, "errors.edge_redirect_differs"]));
      throw refusal("edge_redirect_differs", undefined, { fields });
    }
    const values = { ruleset_id: ruleset.id, rule_id: rule.id, adopted: true, last_pushed_at: null };
    return storeOutsideResult(() => storeRedirect(domain, zone, intent, values, () => "edge.redirect_adopted"));
  });
}
