import { concatenated, reachOf } from "./expression.ts";
import { differencesOf, type HeldRule, heldValues, type RedirectIntent, ruleOf, STATUS_CODES } from "./rule.ts";
import { isLoop, isTarget } from "./target.ts";

/** A foreign redirect on a zone. Null fields could not be read, or are not read from page rules (assets §8.3). */
export interface RedirectConflict {
  kind: "redirect_rule" | "page_rule";
  /** For a page rule, its URL pattern. */
  description: string;
  /** The expression; for a page rule, its status. */
  detail: string;
  rule_id: string | null;
  domain_wide: boolean;
  target_url: string | null;
  status_code: number | null;
  preserve_path: boolean | null;
  preserve_query: boolean | null;
  include_subdomains: boolean | null;
  /** The request that would have made exactly this rule, if any; only such a rule can be adopted. */
  intent: RedirectIntent | null;
}

/** A page rule at the provider. */
export interface HeldPageRule {
  targets?: unknown;
  actions?: unknown;
  status?: unknown;
}

const textOr = <T>(value: unknown, fallback: T): string | T => (typeof value === "string" ? value : fallback);

/** The target of a rule, and whether it appends the path. */
function destinationOf(target: unknown): { target_url: string | null; preserve_path: boolean | null } {
  const { value, expression } = (typeof target === "object" && target !== null ? target : {}) as Record<string, unknown>;
  if (typeof value === "string" && expression === undefined) return { target_url: value, preserve_path: false };
  const target_url = value === undefined ? concatenated(expression) : null;
  return { target_url, preserve_path: target_url === null ? null : true };
}

/** The request from which Kantoor would make exactly this rule; else null. */
function intentOf(held: HeldRule, apex: string, read: Partial<RedirectConflict>): RedirectIntent | null {
  const { target_url, status_code, preserve_path, preserve_query, include_subdomains } = read;
  if (typeof target_url !== "string" || typeof status_code !== "number") return null;
  if (typeof preserve_path !== "boolean" || typeof preserve_query !== "boolean") return null;
  if (typeof include_subdomains !== "boolean" || !(STATUS_CODES as readonly number[]).includes(status_code)) return null;
  const intent = { target_url, status_code, preserve_path, preserve_query, include_subdomains };
  const couldBeAsked = target_url.length <= 2048 && isTarget(target_url) && !isLoop(target_url, apex, include_subdomains);
  return couldBeAsked && differencesOf(held, ruleOf(apex, intent)).length === 0 ? intent : null;
}

/**
 * A foreign rule of the provider, each part read separately. A disabled rule, or one with another action, does not redirect and so does not
 * count as domain-wide.
 * @param apex the domain's name in ASCII
 */
export function conflictOf(held: HeldRule, apex: string): RedirectConflict {
  const { status_code, target_url: target, preserve_query_string } = heldValues(held);
  const { includeSubdomains, isDomainWide } = reachOf(held.expression, apex);
  const read = {
    ...destinationOf(target),
    status_code: Number.isSafeInteger(status_code) ? (status_code as number) : null,
    preserve_query: typeof preserve_query_string === "boolean" ? preserve_query_string : null,
    include_subdomains: includeSubdomains,
  };
  return {
    kind: "redirect_rule",
    description: textOr(held.description, ""),
    detail: textOr(held.expression, ""),
    rule_id: held.id,
    domain_wide: isDomainWide && held.action === "redirect" && held.enabled !== false,
    ...read,
    intent: intentOf(held, apex, read),
  };
}

const isForwarding = (action: unknown): boolean => (action as { id?: unknown } | null)?.id === "forwarding_url";

/** The forwarding page rules, as conflicts. */
export const pageRuleConflicts = (rules: readonly HeldPageRule[]): RedirectConflict[] =>
  rules
    .filter(({ actions }) => Array.isArray(actions) && actions.some(isForwarding))
    .map(({ targets, status }) => {
      const [first] = (Array.isArray(targets) ? targets : []) as { constraint?: { value?: unknown } }[];
      return {
        kind: "page_rule",
        description: textOr(first?.constraint?.value, ""),
        detail: textOr(status, ""),
        rule_id: null,
        domain_wide: false,
        target_url: null,
        status_code: null,
        preserve_path: null,
        preserve_query: null,
        include_subdomains: null,
        intent: null,
      };
    });
