import type { Principal } from "./context.ts";

/** What an operator with service access is called on every trail (access §10, §12). */
export const OPERATOR = "operator";

/** How the value of an operator's session begins: it is looked up among the grants of service access. */
export const OPERATOR_SESSION = "operator_";

/**
 * Permissions that an operator lacks although the administrator role has them (access §10): what they make outlasts the grant of service
 * access (power, accounts, credentials, an identity provider, a mail relay, a feed of events).
 */
export const WITHHELD_FROM_OPERATORS: ReadonlySet<string> = new Set([
  "apikeys.personal.manage",
  "apikeys.service_account.manage",
  "members.member.write",
  "portal.login.impersonate",
  "settings.auth.manage",
  "settings.email.manage",
  "settings.roles.manage",
  "settings.service_access.manage",
  "settings.webhooks.manage",
]);

/** What an operator may do: what the administrator role may now, without those. */
export const operatorGrants = (administrator: readonly string[]): string[] =>
  administrator.filter((grant) => grant !== "*" && !WITHHELD_FROM_OPERATORS.has(grant));

/** Whether a principal is an operator with service access: no member, and no person of the organisation. */
export const isOperator = (principal: Pick<Principal, "kind"> | null): boolean => principal?.kind === "operator";
