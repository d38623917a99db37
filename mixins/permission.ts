import type { Action } from "../core/declare/action.ts";
import { forbidden, unauthorized } from "../core/declare/errors.ts";
import { grantsThatMeet, isDeclarable } from "../core/declare/permissions.ts";
import type { Principal } from "../core/request/context.ts";

/** A check that throws the refusal or lets pass. */
export type Gate = (principal: Principal | null) => void;

/**
 * Compiles who may run an action. What a check accepts is worked out here, once; a request only looks for one of those grants.
 * @throws TypeError for a permission that is not in the catalogue, so that the service does not start
 */
export function permissionGate(name: string, { permission, also = [], open, needs = "principal" }: Action): Gate {
  const checks = [...(permission === undefined ? [] : [permission]), ...also].map((check) => {
    if (!isDeclarable(check)) throw new TypeError(`${name} declares '${check}', which is not in the permission catalogue`);
    return grantsThatMeet(check);
  });
  if (open !== undefined && needs === "nothing") return () => {};
  return (principal) => {
    if (!principal) throw unauthorized();
    if (needs !== "principal" && principal.credential.kind === "key") throw unauthorized();
    if (needs === "administrator" && !principal.isSuperuser) throw forbidden();
    for (const accepted of checks) if (!accepted.some((grant) => principal.grants.includes(grant))) throw forbidden();
  };
}
