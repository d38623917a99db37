import type { Action } from "../core/declare/action.ts";
import { grantsThatMeet, undeclarable, WILDCARD } from "../core/declare/permissions.ts";
import type { Principal } from "../core/declare/principal.ts";
import { forbidden, unauthorized } from "../core/errors/errors.ts";
import { requireUnrestricted } from "../core/request/caller.ts";
import { wrapper } from "./wrappers.ts";

/** A check that throws the refusal or returns. */
export type Gate = (principal: Principal | null) => void;

/**
 * Compiles an action's permission check. The accepted grants are resolved once here; a request only looks for one of them.
 * @param standIns see `undeclarable`
 * @throws TypeError for a permission that is not in the catalogue, or whose module is not built, which prevents the service's start
 */
export function permissionGate(
  name: string,
  { permission, also = [], open, needs = "principal", sessionOnly, everyClient }: Action,
  standIns: readonly string[] = [],
): Gate {
  const checks = [...(permission === undefined ? [] : [permission]), ...also].map((check) => {
    const fault = undeclarable(check, standIns);
    if (fault !== null) throw new TypeError(`${name} declares '${check}', ${fault}`);
    return grantsThatMeet(check);
  });
  if (open !== undefined && needs === "nothing") return () => {};
  return (principal) => {
    if (!principal) throw unauthorized();
    if (needs === "everything") {
      if (!principal.grants.includes(WILDCARD) || principal.selection !== null) throw forbidden();
      return;
    }
    if (needs !== "principal" && principal.credential.kind === "key") throw unauthorized();
    if (needs === "administrator" && !principal.isSuperuser) throw forbidden();
    if (sessionOnly && principal.credential.kind !== "session") throw forbidden();
    for (const accepted of checks) if (!accepted.some((grant) => principal.grants.includes(grant))) throw forbidden();
    if (everyClient) requireUnrestricted(principal);
  };
}

/** The mixin that rejects callers without the permission that an action of a service declares. */
export const permission = wrapper("permission", (next, { name, action, standIns }) => {
  const gate = permissionGate(name, action, standIns);
  return (request) => {
    gate(request.meta.principal);
    return next(request);
  };
});
