/** The inputs that a domain's issues are derived from. */
export interface Situation {
  candidates: number;
  /** Null without a zone; a gone zone counts as none. */
  zone: { status: string; paused: boolean | null } | null;
  /** Null: unknown. */
  isDelegated: boolean | null;
  redirect: { last_status: string; include_subdomains: boolean } | null;
  /** Null: not read now. */
  origin: { apex_proxied: boolean; www_proxied: boolean } | null;
  conflicts: readonly { domain_wide: boolean }[];
  pagesLinks: readonly { status: string | null; missing_at: string | null }[];
  domainStatus: string;
  unavailable: readonly string[];
}

/** The issue keys, in display order (assets §8.3). */
export const ISSUES = [
  "duplicate_zone",
  "not_connected",
  "zone_pending",
  "zone_paused",
  "nameservers_not_delegated",
  "redirect_not_pushed",
  "redirect_missing",
  "redirect_drift",
  "origin_missing",
  "origin_www_missing",
  "redirect_conflict",
  "pages_missing",
  "pages_pending",
  "domain_says_redirect",
  "edge_says_redirect",
  "token_error",
] as const;
export type Issue = (typeof ISSUES)[number];

/** A domain's issues at the edge, in the order of `ISSUES`. */
export function issuesOf(situation: Situation): Issue[] {
  const { candidates, isDelegated, redirect, origin, conflicts, pagesLinks, domainStatus, unavailable } = situation;
  const zone = situation.zone?.status === "gone" ? null : situation.zone;
  const isRedirect = domainStatus === "redirect";
  const takenAsAWhole = redirect !== null || conflicts.some(({ domain_wide }) => domain_wide);
  const is: Record<Issue, boolean> = {
    duplicate_zone: candidates > 1,
    not_connected: zone === null,
    zone_pending: zone !== null && zone.status !== "active",
    zone_paused: zone?.paused === true,
    nameservers_not_delegated: zone !== null && isDelegated === false,
    redirect_not_pushed: redirect?.last_status === "pending" || redirect?.last_status === "error",
    redirect_missing: redirect?.last_status === "missing",
    redirect_drift: redirect?.last_status === "drift",
    origin_missing: redirect !== null && origin?.apex_proxied === false,
    origin_www_missing: redirect?.include_subdomains === true && origin?.www_proxied === false,
    redirect_conflict: redirect !== null && conflicts.length > 0,
    pages_missing: pagesLinks.some(({ missing_at }) => missing_at !== null),
    pages_pending: pagesLinks.some(({ status }) => status !== null && status !== "active"),
    domain_says_redirect: isRedirect && !takenAsAWhole,
    edge_says_redirect: takenAsAWhole && !isRedirect,
    token_error: unavailable.length > 0,
  };
  return ISSUES.filter((issue) => is[issue]);
}
