import type { RedirectConflict } from "./conflicts.ts";
import { isTarget } from "./target.ts";

/** The status and redirect in a domain's record. */
export interface DomainSays {
  status: string;
  redirect_url: string | null;
}

/** The targets of the domain-wide rules; null where the target cannot be read. */
export const targetsOf = (conflicts: readonly RedirectConflict[]): (string | null)[] =>
  conflicts.filter(({ domain_wide }) => domain_wide).map(({ target_url }) => target_url);

/**
 * How a domain without its own redirect follows its zone (assets §8.3). It becomes a redirect if exactly one domain-wide rule with a
 * readable target exists, and active again if the rule it followed is gone. Several rules change nothing, nor does a target that a domain's
 * record could not have, such as a path alone (assets §2.1).
 * @param before the targets of domain-wide rules seen so far
 * @param now the rules just read
 * @returns the domain's new values, or null for no change
 */
export function followed(
  domain: DomainSays,
  before: readonly string[],
  now: readonly RedirectConflict[],
): (DomainSays & { status: "redirect" | "active" }) | null {
  const targets = targetsOf(now);
  if (targets.length === 0) {
    const isFollowing = domain.status === "redirect" && domain.redirect_url !== null && before.includes(domain.redirect_url);
    return isFollowing ? { status: "active", redirect_url: null } : null;
  }
  const [target] = targets;
  if (targets.length > 1 || target === null || target === undefined || !isTarget(target)) return null;
  const isSo = domain.status === "redirect" && domain.redirect_url === target;
  return isSo ? null : { status: "redirect", redirect_url: target };
}
