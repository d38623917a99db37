import type { RedirectConflict } from "./conflicts.ts";

/** What a domain says of itself. */
export interface DomainSays {
  status: string;
  redirect_url: string | null;
}

/** Where the rules that take a whole domain lead; null for one whose target cannot be read. */
export const targetsOf = (conflicts: readonly RedirectConflict[]): (string | null)[] =>
  conflicts.filter(({ domain_wide }) => domain_wide).map(({ target_url }) => target_url);

/**
 * How a domain without a redirect of ours follows what its zone does: it becomes a redirect where exactly one rule takes all of it and tells
 * where to, and active again where the rule it followed is gone; several say nothing (assets §8.3).
 * @param before where rules for the whole domain led that were seen so far
 * @param now the rules just read
 * @returns what the domain is to say, or null when it stays as it is
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
  if (targets.length > 1 || target === null || target === undefined) return null;
  const isSo = domain.status === "redirect" && domain.redirect_url === target;
  return isSo ? null : { status: "redirect", redirect_url: target };
}
