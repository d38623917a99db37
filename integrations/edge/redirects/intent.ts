import { invalid } from "../../../core/errors/errors.ts";
import { type RedirectIntent, STATUS_CODES } from "./rules/rule.ts";
import { requireTarget } from "./rules/target.ts";

/** A requested redirect; the schema defines the defaults. */
export interface AskedRedirect {
  target_url: string;
  status_code?: number;
  preserve_path?: boolean;
  preserve_query?: boolean;
  include_subdomains?: boolean;
}

/**
 * The complete requested redirect.
 * @param stored the existing redirect; an omitted `include_subdomains` keeps its value (assets §8.2)
 * @throws 422 for an unsupported status code
 */
export function intentIn(body: AskedRedirect, stored: { include_subdomains: boolean } | null): RedirectIntent {
  const { target_url, status_code = 301, preserve_path = true, preserve_query = true } = body;
  if (!(STATUS_CODES as readonly number[]).includes(status_code)) throw invalid({ status_code: "errors.validation" });
  const include_subdomains = body.include_subdomains ?? stored?.include_subdomains ?? true;
  return { target_url, status_code, preserve_path, preserve_query, include_subdomains };
}

/**
 * Same as {@link intentIn}, with its target validated for a domain. @param apex its name in ASCII @throws 422 also for an invalid or
 * looping target
 */
export function requireIntent(body: AskedRedirect, stored: { include_subdomains: boolean } | null, apex: string): RedirectIntent {
  const intent = intentIn(body, stored);
  requireTarget(intent.target_url, apex, intent.include_subdomains);
  return intent;
}
