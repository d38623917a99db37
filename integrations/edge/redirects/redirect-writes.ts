import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { EdgeRedirect, type EdgeRedirectRow, type EdgeZoneRow } from "../models.ts";
import type { DomainFacts } from "./domain-at-edge.ts";
import type { RedirectIntent } from "./rules/rule.ts";

// Every function here joins the running transaction, which only stores provider results.

const LOCK = statement(
  `select ${columns(EdgeRedirect)} from edge_redirects where organisation_id = $1 and domain_id = $2 for update`,
);
const OF_OTHERS = statement(`select rule_id from edge_redirects
  where organisation_id = $1 and zone_id = $2 and domain_id <> $3 and rule_id is not null`);

/** The rule of a redirect at the provider. */
export interface RuleIds {
  ruleset_id: string;
  rule_id: string;
}

/** Locks and returns the redirect of a domain. */
export const lockRedirect = (domainId: string): Promise<EdgeRedirectRow | undefined> =>
  queryOne<EdgeRedirectRow>(LOCK, [request().organisation.id, domainId]);

/** The rules of a zone that belong to other domains' redirects. */
export const rulesOfOthers = async (zoneId: string, domainId: string): Promise<Set<string>> =>
  new Set(
    (await query<{ rule_id: string }>(OF_OTHERS, [request().organisation.id, zoneId, domainId])).map(({ rule_id }) => rule_id),
  );

/**
 * Stores the redirect of a domain as it is at the provider now, and makes the domain's record follow it.
 * @param values further columns to write
 * @param trailAction the trail action
 * @returns its id
 */
export async function storeRedirect(
  domain: DomainFacts,
  zone: EdgeZoneRow,
  intent: RedirectIntent,
  values: RuleIds & { adopted: boolean; last_pushed_at: string | null; last_checked_at?: string },
  trailAction: (isNew: boolean) => string,
): Promise<string> {
  const stored = await lockRedirect(domain.id);
  const row = { zone_id: zone.id, ...intent, ...values, last_status: "active", last_error: null } as const;
  if (stored) queueUpdate(EdgeRedirect, stored.id, row);
  const id = stored?.id ?? queueInsert(EdgeRedirect, { domain_id: domain.id, ...row });
  const { target_url: target, status_code } = intent;
  trail("domain", domain.id, trailAction(!stored), { target, status_code, zone: zone.name });
  await runHooks("edge.domain_follows", { domain_id: domain.id, status: "redirect", redirect_url: target, only_from: null });
  return id;
}

/** Deletes the stored redirect of a domain, and resets the domain's record if it still shows that redirect (assets §8.2). */
export async function dropRedirect(redirect: EdgeRedirectRow, zoneName: string): Promise<void> {
  const { id, domain_id, target_url: target } = redirect;
  queueRemove(EdgeRedirect, id);
  trail("domain", domain_id, "edge.redirect_removed", { target, zone: zoneName });
  await runHooks("edge.domain_follows", {
    domain_id,
    status: "active",
    redirect_url: null,
    only_from: { status: "redirect", redirect_url: target },
  });
}
