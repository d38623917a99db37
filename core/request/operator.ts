import type { Principal } from "./context.ts";

/** What an operator with service access is called on every trail (access §10, §12). */
export const OPERATOR = "operator";

/** How the value of an operator's session begins: it is looked up among the grants of service access. */
export const OPERATOR_SESSION = "operator_";

/** What not even an administrator's role gives an operator: handing out power, and prolonging its own stay. */
const WITHHELD = new Set(["settings.roles.manage", "settings.service_access.manage"]);

/** What an operator may do: what the administrator's role may now, without those. */
export const operatorGrants = (administrator: readonly string[]): string[] =>
  administrator.filter((grant) => grant !== "*" && !WITHHELD.has(grant));

/** Whether a principal is an operator with service access: no member, and no person of the organisation. */
export const isOperator = (principal: Pick<Principal, "kind"> | null): boolean => principal?.kind === "operator";
