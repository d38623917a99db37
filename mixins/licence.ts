import { queryOne } from "../core/database/query.ts";
import { type Action, isWrite } from "../core/declare/action.ts";
import { type LicenceState, mayBeWritten } from "../core/declare/licence.ts";
import { findPermission } from "../core/declare/permissions.ts";
import type { Principal } from "../core/declare/principal.ts";
import { refusal } from "../core/errors/errors.ts";
import { LICENCE_COLUMNS, licenceOf, type StoredLicence } from "../core/organisation/licence-state.ts";
import { request } from "../core/request/context.ts";
import { statement } from "../core/sql/statement.ts";
import type { Gate } from "./permission.ts";
import { wrapper } from "./wrappers.ts";

/** The licensed module of an action: its own declaration or its permission's module. Null if it needs no licence. */
export const licensedModule = ({ permission, licence }: Pick<Action, "permission" | "licence">): string | null =>
  licence ?? ((permission && findPermission(permission.replace(/:(own|any)$/, ""))?.sku) || null);

/** Compiles the licence check of a write; reads and exempt actions have none (conventions §7). */
export function licenceGate(action: Action): Gate | null {
  const sku = licensedModule(action);
  if (sku === null || !isWrite(action) || action.method === "GET" || action.licenceExempt !== undefined) return null;
  return (principal) => requireLicence(sku, principal);
}

/** The mixin that rejects a service's writes in an organisation without the licence of their module. */
export const licence = wrapper("licence", (next, { action }) => {
  const gate = licenceGate(action);
  if (!gate) return next;
  return (request) => {
    gate(request.meta.principal);
    return next(request);
  };
});

/** Requires a writable licensed module, for a write that reaches into it from another module (conventions §7). @throws 402 */
export function requireLicence(sku: string, principal: Principal | null): void {
  if (principal) requireWritable(sku, principal.licence);
}

const STORED = statement(`select ${LICENCE_COLUMNS} from organisations o where o.id = $1`);

/**
 * Requires a licensed module that the running organisation may write, for a write without a sign-in: no principal carries the licence
 * (conventions §7).
 * @throws 402
 */
export async function requireOrganisationLicence(sku: string): Promise<void> {
  const stored = await queryOne<StoredLicence>(STORED, [request().organisation.id]);
  if (stored) requireWritable(sku, licenceOf(stored));
}

function requireWritable(sku: string, licence: LicenceState): void {
  if (mayBeWritten(sku, licence, Date.now())) return;
  throw refusal(licence.licensing === "plan" ? "plan_inactive" : "license_expired", undefined);
}
