import { columns } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { storeOutsideResult } from "../../../mixins/tenancy.ts";
import { EdgeAccount, type EdgeAccountRow } from "../models.ts";
import type { EdgeAccess } from "./client.ts";
import { EdgeFailure } from "./failure.ts";

const ACCOUNT = statement(`select ${columns(EdgeAccount)} from edge_accounts where organisation_id = $1 and id = $2`);
// The outcome of a call with a token that was replaced meanwhile does not apply to the new one.
const FAILED = statement(`update edge_accounts set last_error = $4, status = case when $5 then 'error' else status end,
    version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and api_token = $3`);
const FINE = statement(`update edge_accounts set last_error = null, status = 'active', version = version + 1,
    updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and api_token = $3 and (last_error is not null or status <> 'active')`);

/** An account with the sealed token of a call. */
export type CalledAccount = Pick<EdgeAccountRow, "id" | "api_token">;

const placeOf = ({ id, api_token }: CalledAccount) => [request().organisation.id, id, api_token];

/** The stored account; undefined if missing. */
export const findAccount = (id: string): Promise<EdgeAccountRow | undefined> =>
  queryOne<EdgeAccountRow>(ACCOUNT, [request().organisation.id, id]);

/** The stored account. @throws 404 */
export async function storedAccount(id: string): Promise<EdgeAccountRow> {
  const found = await findAccount(id);
  if (!found) throw notFound();
  return found;
}

/** The credentials for calls of an account. @throws 409 `edge_token_unreadable` after the encryption key changed (assets §5.9) */
export function accessOf(account: EdgeAccountRow): EdgeAccess {
  const token = unsealed(EdgeAccount, account, "api_token");
  if (token === null) throw refusal("edge_token_unreadable");
  return { account: account.id, token };
}

/**
 * Runs an account's provider calls inside a request. A provider failure is stored on the account, in its own transaction; the caller gets
 * only a code, with the failure as its `cause` (assets §5.7, §5.8).
 * @throws 409 and 502 of assets §9.2
 */
export async function recordingTrouble<T>(account: EdgeAccountRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    await noteTrouble(account, error).catch(() => {});
    throw error.refusal();
  }
}

/** Same as {@link recordingTrouble}, with the credentials for the calls. @throws 409, 502 */
export function asAccount<T>(account: EdgeAccountRow, work: (access: EdgeAccess) => Promise<T>): Promise<T> {
  const access = accessOf(account);
  return recordingTrouble(account, () => work(access));
}

/** Stores a provider failure on the account; only one that breaks the account sets its status to error (assets §6, "Account status"). */
export const noteTrouble = (account: CalledAccount, failure: EdgeFailure): Promise<void> =>
  storeOutsideResult(async () => enqueue(FAILED, [...placeOf(account), failure.message, failure.breaksAccount]));

/** Clears an account's error in the running transaction, after a zone or everything was read (assets §6). */
export const clearTrouble = (account: CalledAccount): void => enqueue(FINE, placeOf(account));
