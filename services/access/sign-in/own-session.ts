import { peek } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { forbidden, unauthorized } from "../../../core/declare/errors.ts";
import type { Meta, Principal } from "../../../core/request/context.ts";

/** How the session was made: one made by SSO proves the person to this organisation only (access §1.1). */
const METHOD = statement("select method from sessions where organisation_id = $1 and id = $2");

/** @throws 403 in a session made by SSO */
export async function refuseSso({ organisation, principal }: Meta): Promise<void> {
  const session = await peek<{ method: string }>(METHOD, [organisation.id, principal?.credential.id]);
  if (session?.method !== "password") throw forbidden();
}

/** Account and session of the caller. */
export function callerOf(principal: Principal | null): { accountId: string; sessionId: string } {
  if (!principal?.accountId) throw unauthorized();
  return { accountId: principal.accountId, sessionId: principal.credential.id };
}
