import { isDeepStrictEqual } from "node:util";

/** The ruleset phase of redirects. */
export const PHASE = "http_request_dynamic_redirect";
/** The description of Kantoor's rules. It never proves ownership: only a stored id does (assets §8.1). */
export const MARKER = "Kantoor: redirect of the whole domain";
/** The supported redirect codes. */
export const STATUS_CODES = [301, 302, 307, 308] as const;

/** The requested redirect of a domain. */
export interface RedirectIntent {
  target_url: string;
  /** One of `STATUS_CODES`. */
  status_code: number;
  /** Whether to append the path to the target. */
  preserve_path: boolean;
  preserve_query: boolean;
  /** Whether to redirect every host below the domain too. */
  include_subdomains: boolean;
}

/** The destination part of a rule, in the provider's format. */
export interface RuleTarget {
  from_value: {
    status_code: number;
    target_url: { value: string } | { expression: string };
    preserve_query_string: boolean;
  };
}

/** A rule as sent to the provider. */
export interface RedirectRule {
  action: "redirect";
  expression: string;
  action_parameters: RuleTarget;
  enabled: boolean;
  description: string;
}

/** A rule at the provider: any part may be missing or unexpected. */
export interface HeldRule {
  id: string;
  action?: unknown;
  expression?: unknown;
  action_parameters?: unknown;
  enabled?: unknown;
  description?: unknown;
}

/** The differences of a rule at the provider, in this order (assets §8.1). */
export type RuleDifference = "action" | "expression" | "target_url" | "status_code" | "preserve_query_string" | "enabled";

/** Quotes a text for the provider's expression language. */
export const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** The condition of a rule for a whole domain. @param apex its name in ASCII */
export function expressionOf(apex: string, includeSubdomains: boolean): string {
  const exactly = `http.host eq ${quoted(apex)}`;
  return includeSubdomains ? `(${exactly} or ends_with(http.host, ${quoted(`.${apex}`)}))` : `(${exactly})`;
}

/** The destination of a rule (assets §8.1). */
export function targetOf(intent: Omit<RedirectIntent, "include_subdomains">): RuleTarget {
  const { target_url, status_code, preserve_path, preserve_query } = intent;
  const target = preserve_path
    ? { expression: `concat(${quoted(target_url.replace(/\/$/, ""))}, http.request.uri.path)` }
    : { value: target_url };
  return { from_value: { status_code, target_url: target, preserve_query_string: preserve_query } };
}

/** The rule for the requested redirect of a whole domain (assets §8.1). @param apex the domain's name in ASCII */
export const ruleOf = (apex: string, intent: RedirectIntent): RedirectRule => ({
  action: "redirect",
  expression: expressionOf(apex, intent.include_subdomains),
  action_parameters: targetOf(intent),
  enabled: true,
  description: MARKER,
});

/** The redirect values of a rule, each undefined if the provider does not report it. */
export function heldValues(rule: HeldRule): { status_code?: unknown; target_url?: unknown; preserve_query_string?: unknown } {
  const { from_value } = (rule.action_parameters ?? {}) as { from_value?: unknown };
  return typeof from_value === "object" && from_value !== null ? from_value : {};
}

/** The differences between a rule and the wanted one. The description is ignored; a rule not explicitly disabled is enabled. */
export function differencesOf(held: HeldRule, wanted: RedirectRule): RuleDifference[] {
  const [has, should] = [heldValues(held), wanted.action_parameters.from_value];
  const differs: Record<RuleDifference, boolean> = {
    action: held.action !== wanted.action,
    expression: held.expression !== wanted.expression,
    target_url: !isDeepStrictEqual(has.target_url, should.target_url),
    status_code: has.status_code !== should.status_code,
    preserve_query_string: has.preserve_query_string !== should.preserve_query_string,
    enabled: held.enabled === false,
  };
  return (Object.keys(differs) as RuleDifference[]).filter((part) => differs[part]);
}

/** Whether a rule equals the one about to be made in every field: an earlier write succeeded and its response was lost. */
export const isIdentical = (held: HeldRule, wanted: RedirectRule): boolean =>
  differencesOf(held, wanted).length === 0 &&
  isDeepStrictEqual(held.action_parameters, wanted.action_parameters) &&
  held.description === wanted.description;
