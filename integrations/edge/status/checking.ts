import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { storeOutsideResult } from "../../../mixins/tenancy.ts";
import { EdgeAccount, type EdgeAccountRow, EdgeRedirect, type EdgeRedirectRow, EdgeZone } from "../models.ts";
import { clearTrouble } from "../provider/account-access.ts";
import { type DomainAtEdge, type DomainFacts, domainAtEdge } from "../redirects/domain-at-edge.ts";
import { observe, observeRules } from "../redirects/observing.ts";
import { lockRedirect } from "../redirects/redirect-writes.ts";
import { originOf } from "../redirects/routing.ts";
import { conflictOf, pageRuleConflicts } from "../redirects/rules/conflicts.ts";
import { differencesOf, ruleOf } from "../redirects/rules/rule.ts";
import type { Live } from "./answering.ts";
import { refreshLinks } from "./page-links.ts";
import { type LinkedProject, type Probed, probe } from "./probing.ts";

const PROJECTS = statement(`select p.id, p.name, to_json(a) as account from edge_projects p
  join (select ${columns(EdgeAccount)} from edge_accounts) a on a.organisation_id = p.organisation_id and a.id = p.account_id
  where p.organisation_id = $1 and not p.gone and p.id in (select l.project_id from edge_page_links l where l.organisation_id = $1 and l.domain_id = $2)
  order by p.name, p.id`);

const NOTHING_HELD = { present: false, status_code: null, target: null, differences: [] };

/** Compares the domain's own rule at the provider with the request. */
function heldRedirect({ name }: DomainFacts, redirect: EdgeRedirectRow, { ruleset }: Probed): NonNullable<Live["redirect"]> {
  const rule = ruleset?.rules.find(({ id }) => id === redirect.rule_id);
  if (!rule) return NOTHING_HELD;
  const { target_url, status_code } = conflictOf(rule, name);
  return { present: true, status_code, target: target_url, differences: differencesOf(rule, ruleOf(name, redirect)) };
}

const stateOf = ({ present, differences }: NonNullable<Live["redirect"]>) => {
  if (!present) return "missing";
  return differences.length > 0 ? "drift" : "active";
};

/** Stores the results of a check; unread parts stay unchanged. @returns the domain's own redirect at the provider */
async function keep(
  { domain, connected }: DomainAtEdge,
  probed: Probed,
  { began, now }: { began: string; now: string },
): Promise<Live["redirect"]> {
  const { zone, ruleset, pageRules } = probed;
  const redirect = (await lockRedirect(domain.id)) ?? null;
  if (connected && zone) {
    const { edge_zone_id: _id, name: _name, ...values } = zone;
    queueUpdate(EdgeZone, connected.zone.id, { ...values, last_synced_at: now });
    clearTrouble(connected.account);
  }
  if (pageRules) observe(domain.id, "page_rule", pageRuleConflicts(pageRules), now);
  await refreshLinks(domain, probed.projects, began, now);
  if (ruleset === undefined) return null;

  const isHere = redirect?.zone_id === connected?.zone.id;
  const held = redirect && heldRedirect(domain, redirect, isHere ? probed : { ...probed, ruleset: null });
  if (redirect && held) {
    const last_status = stateOf(held);
    const isBack = last_status === "active" && redirect.last_status === "error";
    queueUpdate(EdgeRedirect, redirect.id, { last_status, last_checked_at: now, ...(isBack && { last_error: null }) });
  }
  await observeRules({ domain, redirect, rules: ruleset?.rules ?? [], now });
  return held;
}

/**
 * Asks the provider for a domain's state and stores it (assets §8.3). Holds no connection during the calls.
 * @returns the results that are not stored, for `domainStatus`
 * @throws 404
 */
export async function checkDomain(domainId: string): Promise<Live> {
  const at = await domainAtEdge(domainId);
  const projects = await query<LinkedProject & { account: EdgeAccountRow }>(PROJECTS, [request().organisation.id, domainId]);
  const began = new Date().toISOString();
  const probed = await probe(at, projects);
  const redirect = await storeOutsideResult(() => keep(at, probed, { began, now: new Date().toISOString() }));
  const origin = probed.records ? originOf(probed.records, at.domain.name) : null;
  return { redirect, origin, unavailable: probed.unavailable };
}
