import { enter } from "../../../core/database/connection/database.ts";
import { enqueue, queryAll } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import { WrittenRow } from "../../../core/sql/json-text.ts";
import { type Row, type Statement, statement } from "../../../core/sql/statement.ts";
// The model of memberships declares what a taken address or id means.
import "../models.ts";
import { type Informed, mailOwner } from "./account-news.ts";

/** An account as stored. */
export interface Account extends Informed {
  password_hash: string | null;
  is_active: boolean;
  is_verified: boolean;
  hand_disabled_at: string | null;
  version: number;
}

const STORED = "id, email, full_name, locale, password_hash, is_active, is_verified, hand_disabled_at, version";
const LOCK = statement(`select ${STORED} from accounts where id = $1 for update`);
const END_SESSIONS = statement("select end_sessions($1, $2)");

/** The account read without a lock, before slow work. */
export const ACCOUNT = statement(`select ${STORED} from accounts where id = $1`);
/** The account as `UserRead`, with its version. */
export const USER = statement(`select a.version, (select row_to_json(b) from (
  select a.email, a.full_name, a.id, a.is_active, a.is_superuser, a.is_verified) b)::text as body from accounts a where a.id = $1`);

/**
 * Locks the account until the transaction ends, and checks `If-Match`. The previous lock holder may have ended the caller's session, so the
 * caller is confirmed again.
 * @throws 404, 412, StaleAccess
 */
export async function lockAccount(id: string): Promise<Account> {
  const [[found] = []] = await queryAll([LOCK, [id]], enter(request(), false));
  if (!found) throw notFound();
  const account = found as Row & Account;
  requireMatch(account.version);
  return account;
}

const updates = new Map<string, Statement>();

/**
 * Writes the changed values and returns the answer. The table counts the version itself. A mail to the former address reports a changed
 * password or address, whoever changed it; a first password sends none.
 */
export async function writeAccount(account: Account, values: Partial<Account>): Promise<WrittenRow> {
  const columns = (Object.keys(values) as (keyof Account)[]).filter((column) => values[column] !== account[column]);
  if (columns.length > 0) {
    const sets = columns.map((column, index) => `${column} = $${index + 2}`).join(", ");
    if (!updates.has(sets))
      updates.set(sets, statement(`update accounts set ${sets}, updated_at = statement_timestamp() where id = $1`));
    enqueue(updates.get(sets) as Statement, [account.id, ...columns.map((column) => values[column])]);
  }
  if (columns.includes("password_hash") && account.password_hash !== null) await mailOwner(account, { kind: "password-change" });
  if (values.email !== undefined && columns.includes("email"))
    await mailOwner(account, { kind: "email-change", variables: { address: values.email } });
  return new WrittenRow([USER, [account.id]]);
}

/**
 * Ends the sessions of an account in every organisation (access §1.1).
 * @param except the caller's own session, which stays; null ends them all
 */
export const endSessions = (accountId: string, except: string | null): void => enqueue(END_SESSIONS, [accountId, except]);

/** A name as stored: null if blank, undefined if not sent. */
export const storedName = (name: string | null | undefined): string | null | undefined =>
  typeof name === "string" && name.trim() === "" ? null : name;
