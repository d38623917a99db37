import { columns } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { statement } from "../../../core/database/statement.ts";
import { notFound, refusal } from "../../../core/declare/errors.ts";
import { request } from "../../../core/request/context.ts";
import { keepTold } from "../../../mixins/tenancy.ts";
import { EdgeAccount, type EdgeAccountRow } from "../models.ts";
import type { EdgeAccess } from "../provider/client.ts";
import { EdgeFailure } from "../provider/failure.ts";

const ACCOUNT = statement(`select ${columns(EdgeAccount)} from edge_accounts where organisation_id = $1 and id = $2`);
const FAILED = statement(`update edge_accounts set last_error = $3, status = case when $4 then 'error' else status end,
    version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);
const FINE = statement(`update edge_accounts set last_error = null, status = 'active', version = version + 1,
    updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and (last_error is not null or status <> 'active')`);

/** An account as stored, undefined when it is not there. */
export const findAccount = (id: string): Promise<EdgeAccountRow | undefined> =>
  queryOne<EdgeAccountRow>(ACCOUNT, [request().organisation.id, id]);

/** The account as stored. @throws 404 */
export async function storedAccount(id: string): Promise<EdgeAccountRow> {
  const found = await findAccount(id);
  if (!found) throw notFound();
  return found;
}

/** What calls of an account need. @throws 409 `edge_token_unreadable` after its key was changed (assets §5.9) */
export function accessOf(account: EdgeAccountRow): EdgeAccess {
  const token = unsealed(EdgeAccount, account, "api_token");
  if (token === null) throw refusal("edge_token_unreadable");
  return { account: account.id, token };
}

/**
 * Runs calls of an account inside a request. What the provider refuses is kept on the account, in a transaction of its own, and reaches the
 * caller as a code alone, with the failure as its `cause` (assets §5.7, §5.8).
 * @throws 409 and 502 of assets §9.2
 */
export async function told<T>(account: EdgeAccountRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    await noteTrouble(account.id, error).catch(() => {});
    throw error.refusal();
  }
}

/** The same with the access that the calls need. @throws 409, 502 */
export function asAccount<T>(account: EdgeAccountRow, work: (access: EdgeAccess) => Promise<T>): Promise<T> {
  const access = accessOf(account);
  return told(account, () => work(access));
}

/** Keeps what a provider refused on the account; only what breaks it makes its status an error (assets §6, "Account status"). */
export const noteTrouble = (accountId: string, failure: EdgeFailure): Promise<void> =>
  keepTold(async () => enqueue(FAILED, [request().organisation.id, accountId, failure.message, failure.breaksAccount]));

/** Takes the trouble of an account away, in the running transaction: a zone was read, or everything was (assets §6). */
export const clearTrouble = (accountId: string): void => enqueue(FINE, [request().organisation.id, accountId]);
