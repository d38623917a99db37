import {
  answer,
  choice,
  field,
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
} from "../../../core/schema/schema.ts";

/** The last known states of a domain's redirect (assets §8.3). */
export const REDIRECT_STATES = ["pending", "active", "drift", "missing", "error"] as const;

const target_url = line({ minLength: 1, maxLength: 2048, link: true });
const intent = {
  target_url: field(target_url, "Where visitors are sent, an absolute `http` or `https` address"),
  status_code: field(
    optional(integer(undefined, undefined, { default: 301 })),
    "HTTP status of the redirect: 301, 302, 307 or 308",
  ),
  preserve_path: field(optional(flag(true)), "Whether the path of the visited address is appended"),
  preserve_query: field(optional(flag(true)), "Whether the query of the visited address is appended"),
} satisfies TProperties;

/** An omitted `include_subdomains` keeps the stored value. */
export const RedirectWrite = input("RedirectWrite", {
  ...intent,
  include_subdomains: field(
    optional(flag()),
    "Whether names under the domain are redirected too; left out it stays as stored, and is true for a new redirect",
  ),
  ensure_origin: field(
    optional(flag(true)),
    "Whether to create proxied records if the domain has none; without them no visitor reaches the rule",
  ),
});

export const RedirectAdopt = input("RedirectAdopt", {
  ...intent,
  include_subdomains: field(optional(flag(true)), "Whether names under the domain are redirected too, as the rule has it"),
  rule_id: field(line({ minLength: 1, maxLength: 64 }), "The provider's id of the rule to adopt; it must match the other fields"),
});

/** An edit never changes what a rule matches, so `include_subdomains` has no effect here. */
export const RedirectRuleEdit = input("RedirectRuleEdit", {
  ...intent,
  include_subdomains: field(optional(flag(true)), "Ignored: adopting a rule never changes what it matches"),
});

export const RedirectRead = answer("RedirectRead", {
  id: uuid(),
  zone_id: field(uuid(), "The zone whose rules hold it"),
  domain_id: field(uuid(), "The domain that is redirected"),
  target_url: Type.String({ description: "Where visitors are sent, an absolute `http` or `https` address" }),
  status_code: Type.Integer({ description: "HTTP status of the redirect: 301, 302, 307 or 308" }),
  preserve_path: field(flag(), "Whether the path of the visited address is appended"),
  preserve_query: field(flag(), "Whether the query of the visited address is appended"),
  include_subdomains: field(flag(), "Whether names under the domain are redirected too"),
  last_status: Type.String({
    description:
      "`pending` before it is sent, `active` when the provider has it as requested, `drift` when it differs there, `missing` when it is gone there, `error` when the provider refused it",
  }),
  last_error: nullable(Type.String({ description: "The provider's message when a step last failed; null otherwise" })),
  last_checked_at: field(nullable(instant()), "When it was last compared with the provider, UTC; null if never"),
  last_pushed_at: field(nullable(instant()), "When it was last sent to the provider, UTC; null if it was only adopted"),
});

export const RedirectIntentRead = answer("RedirectIntent", {
  target_url: field(line({ minLength: 1, maxLength: 2048 }), "Where visitors are sent, an absolute `http` or `https` address"),
  status_code: Type.Integer({ description: "HTTP status of the redirect: 301, 302, 307 or 308" }),
  preserve_path: field(flag(), "Whether the path of the visited address is appended"),
  preserve_query: field(flag(), "Whether the query of the visited address is appended"),
  include_subdomains: field(flag(), "Whether names under the domain are redirected too"),
});

/** A redirect on the zone that Kantoor did not make. */
export const RedirectConflictRead = answer("RedirectConflict", {
  kind: field(choice(["redirect_rule", "page_rule"]), "`redirect_rule` for a rule of the zone, `page_rule` for a page rule"),
  description: Type.String({ description: "Description at the provider; of a page rule its URL pattern" }),
  detail: Type.String({ description: "What it matches; for a page rule its status" }),
  rule_id: nullable(Type.String({ description: "The provider's id of the rule; null for a page rule" })),
  domain_wide: field(flag(), "Whether it covers the whole domain"),
  target_url: nullable(Type.String({ description: "Where it sends visitors; null if it cannot be read" })),
  status_code: nullable(Type.Integer({ description: "HTTP status of the redirect, any that it has; null if it cannot be read" })),
  preserve_path: field(nullable(flag()), "Whether it appends the path; null if it cannot be read"),
  preserve_query: field(nullable(flag()), "Whether it appends the query; null if it cannot be read"),
  include_subdomains: field(nullable(flag()), "Whether it covers names under the domain; null if it cannot be read"),
  intent: field(nullable(RedirectIntentRead), "What to send to adopt it; null if it cannot be adopted"),
});

/** The domain's own rule as it is at the provider now. */
export const RedirectObservation = answer("RedirectObservation", {
  present: field(flag(), "Whether the provider has the rule"),
  status_code: nullable(Type.Integer({ description: "HTTP status it has there; null if it is gone or cannot be read" })),
  target: nullable(Type.String({ description: "Target it has there; null if it is gone or cannot be read" })),
  differences: field(
    Type.Array(Type.String()),
    "Differences from the request: `action`, `expression`, `target_url`, `status_code`, `preserve_query_string`, `enabled`",
  ),
});
