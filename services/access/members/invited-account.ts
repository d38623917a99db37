import { enqueue, queryAll } from "../../../core/database/query.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { TokenOwner } from "../accounts/mailed-tokens.ts";

const MAKE = statement(
  "insert into accounts (id, email, full_name) values (gen_random_uuid(), $1, $2) on conflict (email) do nothing",
);
const FIND = statement(
  "select id, email, full_name, locale, password_hash, is_verified from accounts where email = $1 for update",
);
const STRIP = statement("select strip_account($1)");
const NAME = statement("update accounts set full_name = $2, updated_at = statement_timestamp() where id = $1");

/**
 * Finds or creates the account of an invited address (access §4.4). An unverified account first loses its password, second factor, keys and
 * sessions, because whoever registered it may not own the address.
 * @param email in lower case
 * @param name used if the account has none
 */
export async function invitedAccount(email: string, name: string | null): Promise<TokenOwner> {
  const [, [found] = []] = await queryAll([MAKE, [email, name]], [FIND, [email]]);
  const account = found as unknown as TokenOwner & { is_verified: boolean };
  if (!account.is_verified) enqueue(STRIP, [account.id]);
  if (!account.full_name && name) enqueue(NAME, [account.id, name]);
  return {
    id: account.id,
    email,
    locale: account.locale,
    full_name: account.full_name || name,
    password_hash: account.is_verified ? account.password_hash : null,
  };
}
