import { queryOne } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { ADMINISTRATION } from "./role-rules.ts";

const REMAINING = statement(`select exists (select from member_access m where m.organisation_id = $1 and m.is_live
  and m.membership_id in (select h from members_holding($1, $2::text[]) h)) as held`);

/**
 * Call after a change that may remove administration, in its transaction (access §4.7). Every such change first bumps the organisation's
 * access revision, so a concurrent one counts what the first has left.
 * @throws 409 `last_role_manager` if no member who can sign in administers access any more; the whole change rolls back
 */
export async function requireAnAdministrator(): Promise<void> {
  const remaining = await queryOne<{ held: boolean }>(REMAINING, [request().organisation.id, ADMINISTRATION]);
  if (!remaining?.held) throw refusal("last_role_manager");
}
