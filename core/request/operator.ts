import type { Principal } from "../declare/principal.ts";

/** The name of an operator with service access in every trail (access §10, §12). */
export const OPERATOR = "operator";

/** The prefix of an operator's session value, which is looked up among the grants of service access. */
export const OPERATOR_SESSION = "operator_";

/**
 * Permissions of the administrator role that an operator lacks (access §10), because their effects outlast the grant of service access:
 * power, accounts, credentials, an identity provider, a mail relay, a feed of events.
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

/** An operator's grants: the administrator role's current ones, without those withheld. */
export const operatorGrants = (administrator: readonly string[]): string[] =>
  administrator.filter((grant) => grant !== "*" && !WITHHELD_FROM_OPERATORS.has(grant));

/** Whether a principal is an operator with service access, which is neither a member nor a person of the organisation. */
export const isOperator = (principal: Pick<Principal, "kind"> | null): boolean => principal?.kind === "operator";
