import { mayBeWritten } from "../../core/declare/licence.ts";
import type { Principal } from "../../core/declare/principal.ts";
import { forbidden, notFound, refusal } from "../../core/errors/errors.ts";
import { mayCaller, scopeOf } from "../../core/request/caller.ts";
import { request } from "../../core/request/context.ts";
import type { LeaveCaller } from "./powers.ts";
import type { Refusal } from "./refusal.ts";

const caller = (): Principal | null => request().principal;

/** The caller as the request rules see it. Service accounts and the system have no leave of their own. */
export const leaveCaller = (): LeaveCaller => ({
  user_id: caller()?.accountId ?? null,
  reads: scopeOf("leave.request.read"),
  writes: scopeOf("leave.request.write"),
  approves: mayCaller("leave.request.approve"),
});

/** Whether the caller may write leave and the licence allows writes; seeding and deriving on a read require both (people §1, §3, §7). */
export function mayWriteLeave(): boolean {
  const principal = caller();
  if (principal === null || scopeOf("leave.request.write") === null) return false;
  return mayBeWritten("leave", principal.licence, Date.now());
}

/**
 * The person a read is about: the requested one, else the caller (null for a service account).
 * @param wide the permission required for another person's rows
 * @throws 403 for another person without it
 */
export function askedPerson(userId: string | undefined, wide: string): string | null {
  const own = caller()?.accountId ?? null;
  const asked = userId?.toLowerCase();
  if (asked === undefined || asked === own) return own;
  if (!mayCaller(wide)) throw forbidden();
  return asked;
}

/** @throws 404 for a non-member (people §1, "Errors") */
export function requireMember(person: { readonly member: boolean }): void {
  if (!person.member) throw notFound();
}

/** @throws the given refusal as an error */
export function refuseWith({ code, message, fields, details }: Refusal): never {
  throw refusal(code, message, { ...(fields && { fields }), ...(details && { details }) });
}
