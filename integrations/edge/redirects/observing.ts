import { enqueue, query } from "../../../core/database/query.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { DomainFacts } from "./domain-at-edge.ts";
import { conflictOf, type RedirectConflict } from "./rules/conflicts.ts";
import { followed, targetsOf } from "./rules/following.ts";
import type { HeldRule } from "./rules/rule.ts";

const SEEN = statement(
  `select targets from edge_observations where organisation_id = $1 and domain_id = $2 and kind = 'redirect_rule'`,
);
const OBSERVE = statement(`insert into edge_observations (organisation_id, domain_id, kind, found, observed_at, targets)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (organisation_id, domain_id, kind) do update set found = excluded.found, observed_at = excluded.observed_at,
    targets = excluded.targets`);

/**
 * Stores the observed redirects of one kind on a domain's zone, in a write.
 * @param now ISO instant
 * @param targets the targets of domain-wide rules up to now
 */
export const observe = (
  domainId: string,
  kind: RedirectConflict["kind"],
  found: readonly RedirectConflict[],
  now: string,
  targets: readonly string[] = [],
): void => enqueue(OBSERVE, [request().organisation.id, domainId, kind, JSON.stringify(found), now, targets]);

/** The current redirect rules of a domain's zone. */
export interface SeenRules {
  domain: DomainFacts;
  /** The domain's own redirect, if any; it is not an observation. */
  redirect: { rule_id: string | null } | null;
  rules: readonly HeldRule[];
  /** A rule that this request just removed. */
  removed?: HeldRule;
  /** ISO instant. */
  now: string;
}

/**
 * Stores the zone's redirect rules other than the domain's own, and makes the domain follow them (assets §8.3). Compares with the previous
 * observation before replacing it. Every call that reads the rules ends here. In a write.
 */
export async function observeRules({ domain, redirect, rules, removed, now }: SeenRules): Promise<void> {
  const conflictsOf = (held: readonly HeldRule[]) =>
    held.filter(({ id }) => id !== redirect?.rule_id).map((rule) => conflictOf(rule, domain.name));
  const others = conflictsOf(rules);
  const stored = await query<{ targets: string[] }>(SEEN, [request().organisation.id, domain.id]);
  const removedTargets = removed ? targetsOf(conflictsOf([removed])) : [];
  const known = [...stored.flatMap(({ targets }) => targets), ...removedTargets].filter((target) => target !== null);
  const mayFollow = !redirect && mayCaller("domains.domain.write");
  const says = mayFollow ? followed(domain, known, others) : null;
  // Keep the target the domain still follows: if this caller may not change the domain, the next authorised one does.
  const { redirect_url: followedNow } = domain;
  const isFollowing = !says && domain.status === "redirect" && followedNow !== null && known.includes(followedNow);
  const targets = [...(isFollowing ? [followedNow] : []), ...targetsOf(others).filter((target) => target !== null)];
  observe(domain.id, "redirect_rule", others, now, [...new Set(targets)]);
  const was = { status: domain.status, redirect_url: domain.redirect_url };
  if (says) await runHooks("edge.domain_follows", { domain_id: domain.id, ...says, only_from: was });
}
