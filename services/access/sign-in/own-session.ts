import { peek } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { forbidden, unauthorized } from "../../../core/declare/errors.ts";
import type { Meta, Principal } from "../../../core/request/context.ts";
import { localLoginDisabled, takesPasswords } from "../../../mixins/local-sign-in.ts";

/** How the session was made: one made by SSO proves the person to this organisation only (access §1.1). */
const METHOD = statement("select method from sessions where organisation_id = $1 and id = $2");

/** @throws 403 in a session made by SSO, `local_login_disabled` where the organisation takes no passwords at all */
export async function refuseSso({ organisation, principal }: Meta): Promise<void> {
  const session = await peek<{ method: string }>(METHOD, [organisation.id, principal?.credential.id]);
  if (session?.method === "password") return;
  throw session && !takesPasswords(organisation) ? localLoginDisabled() : forbidden();
}

/** Account and session of the caller. @throws 403 for an operator with service access, who is no person here (access §10) */
export function callerOf(principal: Principal | null): { accountId: string; sessionId: string } {
  if (!principal) throw unauthorized();
  if (!principal.accountId) throw forbidden();
  return { accountId: principal.accountId, sessionId: principal.credential.id };
}
