import { queryOne } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { digest } from "../../../core/security/crypto.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";

const LOCK = statement(`select c.id, c.account_id from sign_in_challenges c join accounts a on a.id = c.account_id and a.is_active
    join memberships m on m.organisation_id = c.organisation_id and m.account_id = c.account_id and m.deactivated_at is null
  where c.organisation_id = $1 and c.token_hash = $2 and c.spent_at is null and c.expires_at > now() for update of c`);

/** Locks a challenge that still proves the password. @throws 401 for any other */
export async function lockChallenge(token: string): Promise<{ id: string; account_id: string }> {
  const found = await queryOne<Row & { id: string; account_id: string }>(LOCK, [request().organisation.id, digest(token)]);
  if (!found) throw refusal("two_factor_challenge_invalid");
  return found;
}
