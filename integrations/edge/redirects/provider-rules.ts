import { callEdge, type EdgeAccess } from "../provider/client.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { textIn } from "../provider/reading.ts";
import type { HeldPageRule } from "./rules/conflicts.ts";
import { type HeldRule, PHASE, type RedirectRule } from "./rules/rule.ts";

/** A zone and the credentials to call the provider about it. */
export interface ZoneAccess {
  access: EdgeAccess;
  /** The provider's id of the zone. */
  edgeZoneId: string;
}

/** The redirect rules of a zone, in the provider's order. */
export interface Ruleset {
  id: string;
  rules: HeldRule[];
}

type Fields = Readonly<Record<string, unknown>>;
const place = ({ edgeZoneId }: ZoneAccess, below: string): string => `/zones/${encodeURIComponent(edgeZoneId)}${below}`;
const rulesOf = (zone: ZoneAccess, rulesetId: string): string => place(zone, `/rulesets/${encodeURIComponent(rulesetId)}/rules`);
const ENTRYPOINT = `/rulesets/phases/${PHASE}/entrypoint`;

/** @throws EdgeFailure for a response without an id, which could not be tracked */
function rulesetIn(result: unknown): Ruleset {
  const fields = (result ?? {}) as Fields;
  const id = textIn(fields, "id");
  if (id === null) throw new EdgeFailure("the answer contains no ruleset", { status: 200, wasReached: true });
  const rules = Array.isArray(fields["rules"]) ? (fields["rules"] as Fields[]) : [];
  return { id, rules: rules.filter((rule) => textIn(rule, "id") !== null) as unknown as HeldRule[] };
}

/** The redirect rules of a zone; null if it never had any. @throws EdgeFailure */
export async function readRuleset(zone: ZoneAccess): Promise<Ruleset | null> {
  try {
    return rulesetIn((await callEdge(zone.access, { operation: "redirects.read", path: place(zone, ENTRYPOINT) })).result);
  } catch (error) {
    if (error instanceof EdgeFailure && error.isMissing) return null;
    throw error;
  }
}

/** Creates the first redirect rule of a zone. @throws EdgeFailure */
export async function makeRuleset(zone: ZoneAccess, rule: RedirectRule): Promise<Ruleset> {
  const body = { name: "default", kind: "zone", phase: PHASE, rules: [rule] };
  const call = { operation: "redirects.start", method: "PUT", path: place(zone, ENTRYPOINT), body } as const;
  return rulesetIn((await callEdge(zone.access, call)).result);
}

/** Appends a rule. @throws EdgeFailure */
export async function addRule(zone: ZoneAccess, rulesetId: string, rule: RedirectRule): Promise<Ruleset> {
  const call = { operation: "redirects.add", method: "POST", path: rulesOf(zone, rulesetId), body: rule } as const;
  return rulesetIn((await callEdge(zone.access, call)).result);
}

/** Replaces the rule with this id. @throws EdgeFailure */
export async function changeRule(zone: ZoneAccess, rulesetId: string, ruleId: string, rule: object): Promise<void> {
  const path = `${rulesOf(zone, rulesetId)}/${encodeURIComponent(ruleId)}`;
  await callEdge(zone.access, { operation: "redirects.change", method: "PATCH", path, body: rule });
}

/** Removes a rule; succeeds if it is already gone. @throws EdgeFailure */
export async function removeRule(zone: ZoneAccess, rulesetId: string, ruleId: string): Promise<void> {
  const path = `${rulesOf(zone, rulesetId)}/${encodeURIComponent(ruleId)}`;
  try {
    await callEdge(zone.access, { operation: "redirects.remove", method: "DELETE", path });
  } catch (error) {
    if (!(error instanceof EdgeFailure && error.isMissing)) throw error;
  }
}

/** The page rules of a zone, a single-page list at the provider. @throws EdgeFailure */
export async function readPageRules(zone: ZoneAccess): Promise<HeldPageRule[]> {
  const { result } = await callEdge(zone.access, { operation: "page-rules.list", path: place(zone, "/pagerules") });
  if (!Array.isArray(result)) throw new EdgeFailure("the answer is not a list of page rules", { status: 200, wasReached: true });
  return result as HeldPageRule[];
}
