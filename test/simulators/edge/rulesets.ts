import type { PageRule } from "cloudflare/resources/page-rules/page-rules";
import type { PhaseUpdateResponse } from "cloudflare/resources/rulesets/phases/phases";
import type { RedirectRule } from "cloudflare/resources/rulesets/rules";
import { Misunderstood, type Reply } from "../simulator.ts";
import { reported } from "./documented.ts";
import { bodyOf, type EdgePart, type EdgeRequest, envelope, notFoundReply, refused } from "./envelope.ts";
import { type EdgeState, NO_ONE_KNOWS, newEdgeId } from "./state.ts";

const PHASE = "http_request_dynamic_redirect";
const CODES = [301, 302, 303, 307, 308];
/** Most redirect rules of a zone on the free plan. */
const MOST_RULES = 10;
const RULE_FIELDS = ["action", "expression", "action_parameters", "description", "enabled"];

/** Parameters of a redirect; a test's rule may have a status code that the provider rejects. */
export interface SimulatedParameters extends Pick<RedirectRule.ActionParameters, "from_list"> {
  from_value?: Omit<RedirectRule.ActionParameters.FromValue, "status_code"> & { status_code?: number };
}

type DocumentedRule = Omit<PhaseUpdateResponse.Ruleset.RedirectRule, "action_parameters"> & {
  action_parameters?: SimulatedParameters;
};

/** A rule as the provider stores it. */
export interface SimulatedRule {
  id: string;
  version: string;
  action: string;
  expression: string;
  action_parameters?: SimulatedParameters;
  description: string;
  enabled: boolean;
  /** Set if a test deviates from the provider's description on purpose. */
  deviates?: true;
}

export interface SimulatedRuleset {
  id: string;
  version: number;
  rules: SimulatedRule[];
}

/** The redirect rules and page rules of zones. */
export class RulesetState {
  readonly rulesets = new Map<string, SimulatedRuleset>();
  readonly pageRules = new Map<string, object[]>();

  clear(): void {
    this.rulesets.clear();
    this.pageRules.clear();
  }

  /** The ruleset of a zone; creates one if there is none. */
  ruleset(zone: string): SimulatedRuleset {
    const found = this.rulesets.get(zone) ?? { id: newEdgeId(), version: 1, rules: [] };
    this.rulesets.set(zone, found);
    return found;
  }

  /** The rules of a zone; empty if it has no ruleset. */
  rules(zone: string): SimulatedRule[] {
    return this.rulesets.get(zone)?.rules ?? [];
  }

  /** Adds a rule as if a person did so at the provider; returns it. */
  rule(zone: string, values: Partial<SimulatedRule>): SimulatedRule {
    const made: SimulatedRule = {
      id: newEdgeId(),
      version: "1",
      action: "redirect",
      expression: "true",
      description: "",
      enabled: true,
      ...values,
    };
    this.ruleset(zone).rules.push(made);
    return made;
  }

  /** Adds a forwarding page rule. */
  forward(zone: string, pattern: string, url: string, status: PageRule["status"] = "active"): void {
    const rule = reported<PageRule>()({
      id: newEdgeId(),
      targets: [{ target: "url", constraint: { operator: "matches", value: pattern } }],
      actions: [{ id: "forwarding_url", value: { url, status_code: 301 } }],
      priority: 1,
      status,
      created_on: NO_ONE_KNOWS,
      modified_on: NO_ONE_KNOWS,
    });
    this.pageRules.set(zone, [...(this.pageRules.get(zone) ?? []), rule]);
  }
}

const shownRule = ({ deviates: _, ...rule }: SimulatedRule) =>
  reported<DocumentedRule>()({
    ...structuredClone(rule),
    ref: rule.id,
    last_updated: "2026-01-01T00:00:00Z",
  });

/** @throws Misunderstood for an unknown field */
function only(fields: Record<string, unknown>, ...names: string[]): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Misunderstood(`unknown field '${unknown}'`);
}

/** Whether all strings and brackets of an expression are closed. */
function isWhole(expression: string): boolean {
  const bare = expression.replace(/"(?:[^"\\]|\\["\\])*"/g, "");
  if (bare.includes('"') || bare.includes("\\")) return false;
  let depth = 0;
  for (const sign of bare) {
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Parses a redirect's parameters. @throws Misunderstood */
function parametersIn(parameters: unknown): SimulatedParameters {
  const { from_value: value, ...more } = (parameters ?? {}) as { from_value?: Record<string, unknown> };
  if (!value || Object.keys(more).length > 0) throw new Misunderstood("a redirect has from_value alone");
  only(value, "status_code", "target_url", "preserve_query_string");
  const target = value["target_url"] as Record<string, unknown> | undefined;
  if (!CODES.includes(value["status_code"] as number)) throw new Misunderstood(`the code is '${value["status_code"]}'`);
  if (typeof value["preserve_query_string"] !== "boolean") throw new Misunderstood("preserve_query_string is no boolean");
  const [kind, ...others] = Object.keys(target ?? {});
  const text = target?.[kind ?? ""];
  if (others.length > 0 || typeof text !== "string") throw new Misunderstood("a target is a value or an expression");
  const isFit = kind === "value" ? URL.canParse(text) : kind === "expression" && isWhole(text) && text.length <= 4096;
  if (!isFit) throw new Misunderstood(`the target is '${text}'`);
  return structuredClone(parameters as SimulatedParameters);
}

/** Parses a rule from a body. @throws Misunderstood */
function ruleIn(body: Record<string, unknown>): Omit<SimulatedRule, "id" | "version"> {
  only(body, ...RULE_FIELDS);
  const { action, expression, action_parameters, description = "", enabled = true } = body;
  if (action !== "redirect") throw new Misunderstood(`the action is '${action}' in this phase`);
  if (typeof expression !== "string" || expression.trim() === "" || !isWhole(expression))
    throw new Misunderstood(`the expression is '${expression}'`);
  if (typeof description !== "string" || typeof enabled !== "boolean")
    throw new Misunderstood("a rule is described and on or off");
  return { action, expression, action_parameters: parametersIn(action_parameters), description, enabled };
}

/** The provider's redirect rules and page rules. */
export function rulesetParts(state: EdgeState, redirects: RulesetState): EdgePart {
  const shown = ({ id, version, rules }: SimulatedRuleset): Reply => ({
    ...(rules.some(({ deviates }) => deviates) && { deviates: true }),
    ...envelope(
      reported<Omit<PhaseUpdateResponse.Ruleset, "rules"> & { rules: DocumentedRule[] }>()({
        id,
        name: "default",
        kind: "zone",
        phase: PHASE,
        version: String(version),
        last_updated: "2026-01-01T00:00:00Z",
        rules: rules.map(shownRule),
      }),
    ),
  });
  const full = () => refused(400, 20217, `the phase holds at most ${MOST_RULES} rules`);

  function entrypoint(zone: string, request: EdgeRequest): Reply | null {
    const ruleset = redirects.rulesets.get(zone);
    if (request.method === "GET")
      return ruleset ? shown(ruleset) : notFoundReply(10003, `could not find entrypoint ruleset in the ${PHASE} phase`);
    if (request.method !== "PUT") return null;
    const { name, kind, phase, rules, ...more } = bodyOf(request);
    only(more);
    if (name !== "default" || kind !== "zone" || phase !== PHASE || !Array.isArray(rules))
      throw new Misunderstood("an entrypoint has a name, a kind, a phase and rules");
    const wanted = rules.map((rule) => ruleIn(rule as Record<string, unknown>));
    if (wanted.length > MOST_RULES) return full();
    const made = redirects.ruleset(zone);
    made.version += 1;
    made.rules = wanted.map((rule) => ({ id: newEdgeId(), version: "1", ...rule }));
    return shown(made);
  }

  function rule(ruleset: SimulatedRuleset, request: EdgeRequest): Reply | null {
    const { method, parts } = request;
    const [, , , , , id] = parts;
    if (id === undefined && method === "POST") {
      const wanted = ruleIn(bodyOf(request));
      if (ruleset.rules.length >= MOST_RULES) return full();
      ruleset.rules.push({ id: newEdgeId(), version: "1", ...wanted });
      ruleset.version += 1;
      return shown(ruleset);
    }
    const found = ruleset.rules.find((one) => one.id === id);
    if (!found) return notFoundReply(10004, `could not find rule ${id}`);
    if (method === "PATCH") Object.assign(found, ruleIn(bodyOf(request)), { version: String(Number(found.version) + 1) });
    else if (method === "DELETE") ruleset.rules.splice(ruleset.rules.indexOf(found), 1);
    else return null;
    ruleset.version += 1;
    return shown(ruleset);
  }

  return (request) => {
    const { method, parts, query } = request;
    const [first, zone = "", area, ...rest] = parts;
    if (first !== "zones" || !state.zones.some(({ id }) => id === zone)) return null;
    if (query.size > 0 && (area === "rulesets" || area === "pagerules"))
      throw new Misunderstood(`unknown parameter '${[...query.keys()][0]}'`);
    if (area === "pagerules" && rest.length === 0 && method === "GET") return envelope(redirects.pageRules.get(zone) ?? []);
    if (area !== "rulesets") return null;
    if (rest.join("/") === `phases/${PHASE}/entrypoint`) return entrypoint(zone, request);
    const ruleset = redirects.rulesets.get(zone);
    if (rest[1] !== "rules") return null;
    if (!ruleset || ruleset.id !== rest[0]) return notFoundReply(10003, `could not find ruleset ${rest[0]}`);
    return rule(ruleset, request);
  };
}
