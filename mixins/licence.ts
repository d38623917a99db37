import { type Action, isWrite } from "../core/declare/action.ts";
import { mayBeWritten } from "../core/declare/licence.ts";
import { findPermission } from "../core/declare/permissions.ts";
import type { Principal } from "../core/declare/principal.ts";
import { refusal } from "../core/errors/errors.ts";
import type { Gate } from "./permission.ts";

/** The licensed module of an action: its own declaration or its permission's module. Null if it needs no licence. */
export const licensedModule = ({ permission, licence }: Pick<Action, "permission" | "licence">): string | null =>
  licence ?? ((permission && findPermission(permission.replace(/:(own|any)$/, ""))?.sku) || null);

/** Compiles the licence check of a write; reads and exempt actions have none (conventions §7). */
export function licenceGate(action: Action): Gate | null {
  const sku = licensedModule(action);
  if (sku === null || !isWrite(action) || action.method === "GET" || action.licenceExempt !== undefined) return null;
  return (principal) => requireLicence(sku, principal);
}

/** Requires a writable licensed module, for a write that reaches into it from another module (conventions §7). @throws 402 */
export function requireLicence(sku: string, principal: Principal | null): void {
  if (!principal || mayBeWritten(sku, principal.licence, Date.now())) return;
  throw refusal(principal.licence.licensing === "plan" ? "plan_inactive" : "license_expired", undefined);
}
