import { isDeepStrictEqual } from "node:util";

/** The phase of a zone's rulesets in which redirects are made. */
export const PHASE = "http_request_dynamic_redirect";
/** What our rules are described with. It never makes a rule ours: only a stored id does (assets §8.1). */
export const MARKER = "Kantoor: redirect of the whole domain";
/** The codes a redirect may have. */
export const STATUS_CODES = [301, 302, 307, 308] as const;

/** What a domain is redirected to, as it was asked for. */
export interface RedirectIntent {
  target_url: string;
  /** One of `STATUS_CODES`. */
  status_code: number;
  /** The path is appended to the target. */
  preserve_path: boolean;
  preserve_query: boolean;
  /** Every host below the domain is redirected as well. */
  include_subdomains: boolean;
}

/** The destination part of a rule, in the provider's words. */
export interface RuleTarget {
  from_value: {
    status_code: number;
    target_url: { value: string } | { expression: string };
    preserve_query_string: boolean;
  };
}

/** A rule as it is sent to the provider. */
export interface RedirectRule {
  action: "redirect";
  expression: string;
  action_parameters: RuleTarget;
  enabled: boolean;
  description: string;
}

/** A rule as the provider holds it: any part may be missing or be something else. */
export interface HeldRule {
  id: string;
  action?: unknown;
  expression?: unknown;
  action_parameters?: unknown;
  enabled?: unknown;
  description?: unknown;
}

/** What of a held rule is not as it should be, in this order (assets §8.1). */
export type RuleDifference = "action" | "expression" | "target_url" | "status_code" | "preserve_query_string" | "enabled";

/** A text as a string of the provider's expression language. */
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

/** The rule that does what is asked of a whole domain (assets §8.1). @param apex the domain's name in ASCII */
export const ruleOf = (apex: string, intent: RedirectIntent): RedirectRule => ({
  action: "redirect",
  expression: expressionOf(apex, intent.include_subdomains),
  action_parameters: targetOf(intent),
  enabled: true,
  description: MARKER,
});

/** The values a held redirect answers with, each undefined where the provider does not report it. */
export function heldValues(rule: HeldRule): { status_code?: unknown; target_url?: unknown; preserve_query_string?: unknown } {
  const { from_value } = (rule.action_parameters ?? {}) as { from_value?: unknown };
  return typeof from_value === "object" && from_value !== null ? from_value : {};
}

/** What differs between a held rule and the one that was asked for; the description never does, and what is not disabled is enabled. */
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

/** Whether a held rule is, in every field, the one that is about to be made: then a write of ours was carried out and its answer lost. */
export const isIdentical = (held: HeldRule, wanted: RedirectRule): boolean =>
  differencesOf(held, wanted).length === 0 &&
  isDeepStrictEqual(held.action_parameters, wanted.action_parameters) &&
  held.description === wanted.description;
