import { queryOutside } from "../../core/database/query.ts";
import type { Meta, Principal } from "../../core/declare/principal.ts";
import { forbidden, unauthorized } from "../../core/errors/errors.ts";
import { statement } from "../../core/sql/statement.ts";
import { localLoginDisabled, takesPasswords } from "../../mixins/local-sign-in.ts";

/** Minutes after sign-in during which a session counts as the person at the keyboard (access §3). */
const FRESH_MINUTES = 10;
/** The session's sign-in method: one made by SSO proves the person to this organisation only (access §1.1). */
const METHOD = statement(`select method, created_at >= statement_timestamp() - make_interval(mins => ${FRESH_MINUTES}) as is_fresh
  from sessions where organisation_id = $1 and id = $2`);

/**
 * Whether the session signed in within the last ten minutes.
 * @throws 403 in a session made by SSO, `local_login_disabled` if the organisation allows no passwords at all
 */
export async function refuseSso({ organisation, principal }: Meta): Promise<{ isFresh: boolean }> {
  const session = await queryOutside<{ method: string; is_fresh: boolean }>(METHOD, [organisation.id, principal?.credential.id]);
  if (session?.method === "password") return { isFresh: session.is_fresh };
  throw session && !takesPasswords(organisation) ? localLoginDisabled() : forbidden();
}

/** Account and session of the caller. @throws 403 for an operator with service access, who is not a person here (access §10) */
export function callerOf(principal: Principal | null): { accountId: string; sessionId: string } {
  if (!principal) throw unauthorized();
  if (!principal.accountId) throw forbidden();
  return { accountId: principal.accountId, sessionId: principal.credential.id };
}
