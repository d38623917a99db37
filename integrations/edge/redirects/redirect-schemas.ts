import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  line,
  nullable,
  optional,
  type TProperties,
  Type,
  uuid,
} from "../../../core/declare/schema.ts";

/** The state of the redirect a domain was given, as last known (assets §8.3). */
export const REDIRECT_STATES = ["pending", "active", "drift", "missing", "error"] as const;

const target_url = line({ minLength: 1, maxLength: 2048, link: true });
const intent = {
  target_url,
  // Which codes there are, `requireIntent` says.
  status_code: optional(integer(undefined, undefined, { default: 301 })),
  preserve_path: optional(flag(true)),
  preserve_query: optional(flag(true)),
} satisfies TProperties;

/** What is left out of `include_subdomains` stays as it is stored. */
export const RedirectWrite = input("RedirectWrite", {
  ...intent,
  include_subdomains: optional(flag()),
  ensure_origin: optional(flag(true)),
});

export const RedirectAdopt = input("RedirectAdopt", {
  ...intent,
  include_subdomains: optional(flag(true)),
  rule_id: line({ minLength: 1, maxLength: 64 }),
});

/** What a rule matches is not changed, so that `include_subdomains` says nothing here. */
export const RedirectRuleEdit = input("RedirectRuleEdit", { ...intent, include_subdomains: optional(flag(true)) });

export const RedirectRead = answer("RedirectRead", {
  id: uuid(),
  zone_id: uuid(),
  domain_id: uuid(),
  target_url: Type.String(),
  status_code: Type.Integer(),
  preserve_path: flag(),
  preserve_query: flag(),
  include_subdomains: flag(),
  last_status: Type.String(),
  last_error: nullable(Type.String()),
  last_checked_at: nullable(instant()),
  last_pushed_at: nullable(instant()),
});

export const RedirectIntentRead = answer("RedirectIntent", {
  target_url: line({ minLength: 1, maxLength: 2048 }),
  status_code: Type.Integer(),
  preserve_path: flag(),
  preserve_query: flag(),
  include_subdomains: flag(),
});

/** A redirect on the zone that is not ours. */
export const RedirectConflictRead = answer("RedirectConflict", {
  kind: choice(["redirect_rule", "page_rule"]),
  description: Type.String(),
  detail: Type.String(),
  rule_id: nullable(Type.String()),
  domain_wide: flag(),
  target_url: nullable(Type.String()),
  status_code: nullable(Type.Integer()),
  preserve_path: nullable(flag()),
  preserve_query: nullable(flag()),
  include_subdomains: nullable(flag()),
  intent: nullable(RedirectIntentRead),
});

/** Our rule as the provider holds it now. */
export const RedirectObservation = answer("RedirectObservation", {
  present: flag(),
  status_code: nullable(Type.Integer()),
  target: nullable(Type.String()),
  differences: Type.Array(Type.String()),
});
