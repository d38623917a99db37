import { queueUpdate } from "../../../core/database/write.ts";
import { trail } from "../../../core/trail/trail.ts";
import { inOwnTransaction, storeOutsideResult } from "../../../mixins/tenancy.ts";
import { EdgeRedirect } from "../models.ts";
import { accessOf, recordingTrouble } from "../provider/account-access.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { type ConnectedDomain, connectedDomain } from "./domain-at-edge.ts";
import { type AskedRedirect, requireIntent } from "./intent.ts";
import { ensureOrigin } from "./origin.ts";
import { addRule, changeRule, makeRuleset, type Ruleset, readRuleset, type ZoneAccess } from "./provider-rules.ts";
import { lockRedirect, type RuleIds, rulesOfOthers, storeRedirect } from "./redirect-writes.ts";
import { isIdentical, type RedirectIntent, type RedirectRule, ruleOf } from "./rules/rule.ts";
import { withLease } from "./zone-lease.ts";

/** The rule of a redirect at the provider, and whether it existed before Kantoor adopted it. */
type Pushed = RuleIds & { adopted: boolean };

/** Finds the new rule by comparing with the previous ids. @throws EdgeFailure if the response does not contain it */
function madeIn(ruleset: Ruleset, before: readonly { id: string }[], wanted: RedirectRule): Pushed {
  const known = new Set(before.map(({ id }) => id));
  const made = ruleset.rules.filter(({ id }) => !known.has(id));
  const rule = made.find((one) => isIdentical(one, wanted)) ?? made.at(-1);
  if (!rule) throw new EdgeFailure("the answer does not hold the rule that was made", { status: 200, wasReached: true });
  return { ruleset_id: ruleset.id, rule_id: rule.id, adopted: false };
}

/**
 * Writes the requested redirect at the provider (assets §8.2): changes the domain's own rule if it exists, takes over an identical rule
 * that an earlier attempt left, or else appends a new one. A lost response, or a crash after it, thus never creates a duplicate.
 * @throws EdgeFailure
 */
async function push(
  place: ZoneAccess,
  { domain, connected, redirect }: ConnectedDomain,
  intent: RedirectIntent,
): Promise<Pushed> {
  const wanted = ruleOf(domain.name, intent);
  const ruleset = await readRuleset(place);
  if (!ruleset) return madeIn(await makeRuleset(place, wanted), [], wanted);
  const { id: ruleset_id, rules } = ruleset;
  const own = rules.find(({ id }) => id === redirect?.rule_id);
  if (own) {
    await changeRule(place, ruleset_id, own.id, wanted);
    return { ruleset_id, rule_id: own.id, adopted: redirect?.adopted === true };
  }
  const others = await inOwnTransaction(() => rulesOfOthers(connected.zone.id, domain.id));
  const same = rules.find((rule) => !others.has(rule.id) && isIdentical(rule, wanted));
  if (same) return { ruleset_id, rule_id: same.id, adopted: false };
  return madeIn(await addRule(place, ruleset_id, wanted), rules, wanted);
}

/**
 * Redirects a domain at the edge, and adds an origin for its hosts without one (assets §8.2).
 * @returns the id of the redirect
 * @throws 404, 409, 412, 422, 502
 */
export async function setRedirect(domainId: string, body: AskedRedirect & { ensure_origin?: boolean }): Promise<string> {
  const ready = async () => {
    const at = await connectedDomain(domainId);
    return { ...at, intent: requireIntent(body, at.redirect, at.domain.name) };
  };
  const { connected } = await ready();
  return withLease(connected.zone.id, async () => {
    const at = await ready();
    const { zone, account } = at.connected;
    const place = { access: accessOf(account), edgeZoneId: zone.edge_zone_id };
    const pushed = await recordingTrouble(account, () => push(place, at, at.intent)).catch(async (error: unknown) => {
      await storeOutsideResult(() => noteRefusal(domainId, error));
      throw error;
    });
    const values = { ...pushed, last_pushed_at: new Date().toISOString() };
    const id = await storeOutsideResult(() =>
      storeRedirect(at.domain, zone, at.intent, values, (isNew) => (isNew ? "edge.redirect_set" : "edge.redirect_updated")),
    );
    if (body.ensure_origin === false) return id;
    const { created, error } = await ensureOrigin(place, zone.name, at.domain.name, at.intent.include_subdomains);
    if (created.length > 0 || error !== null)
      await storeOutsideResult(async () => {
        if (created.length > 0) trail("domain", domainId, "edge.origin_created", { hosts: created });
        // The lease rules out a concurrent attempt, so this overwrites nothing newer.
        if (error !== null) queueUpdate(EdgeRedirect, id, { last_error: error });
      });
    return id;
  });
}

/** Stores the provider's error on the existing redirect after a failed change. */
async function noteRefusal(domainId: string, error: unknown): Promise<void> {
  const { cause } = error as { cause?: unknown };
  const stored = cause instanceof EdgeFailure ? await lockRedirect(domainId) : undefined;
  if (stored) queueUpdate(EdgeRedirect, stored.id, { last_status: "error", last_error: (cause as EdgeFailure).message });
}
