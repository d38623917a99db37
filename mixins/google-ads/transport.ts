import { queryOne } from "../../core/database/query.ts";
import { statement } from "../../core/database/statement.ts";
import { refusal } from "../../core/declare/errors.ts";
import { request } from "../../core/request/context.ts";
import { googleAccess } from "../google/client.ts";
import { IS_WORKING, WORKING_CONNECTIONS } from "../google/connection.ts";
import { hasScope, SCOPE } from "../google/scopes.ts";
import { inRequest, type Transactions } from "../google/transactions.ts";
import { fieldsOf, textOf } from "./answers.ts";
import { type AdsAccess, type AdsCall, sendRead } from "./calling.ts";
import { adsSettings, developerToken, TokenUnreadable } from "./developer-token.ts";
import { AdsFailure } from "./failure.ts";
import type { AdsAccountRow } from "./models.ts";

export type { AdsAccess } from "./calling.ts";

/** Most pages and rows of one read (marketing-ads §3.3). */
const MOST_PAGES = 20;
const MOST_ROWS = 50_000;

const CONNECTION = statement(`select c.scopes from ${WORKING_CONNECTIONS} where ${IS_WORKING} and c.id = $2`);

/** What an account is called with. */
export type CallableAccount = Pick<AdsAccountRow, "customer_id" | "login_customer_id" | "connection_id"> & {
  /** Whose limits and failures count together: the row's id. */
  id: string;
};

/** The grant and the developer token that a connection calls with. @throws 409 `ads_platform_not_configured`, `ads_platform_token_unreadable` */
async function readiness(connectionId: string | null): Promise<{ connectionId: string; token: string; manager: string | null }> {
  const connection =
    connectionId === null
      ? undefined
      : await queryOne<{ scopes: string[] }>(CONNECTION, [request().organisation.id, connectionId]);
  // An empty list of scopes is no evidence that one is missing.
  const isUsable = connection && (connection.scopes.length === 0 || hasScope(connection.scopes, SCOPE.ads));
  const token = await developerToken().catch((error: unknown) => {
    throw error instanceof TokenUnreadable ? Object.assign(refusal("ads_platform_token_unreadable"), { cause: error }) : error;
  });
  if (connectionId === null || !isUsable || token === null) throw refusal("ads_platform_not_configured");
  return { connectionId, token, manager: (await adsSettings())?.default_login_customer_id ?? null };
}

/**
 * Opens the way to one account: with its connection and the developer token of the organisation or the instance. Nothing is called.
 * @param transactions a job hands over its `run`; inside a request nothing is handed over, and calls are made in `prepare`
 * @throws 409 `ads_platform_not_configured` where the connection is missing, broken or lacks the scope, or there is no developer token;
 *   `ads_platform_token_unreadable`
 */
export async function adsAccess(account: CallableAccount, transactions: Transactions = inRequest): Promise<AdsAccess> {
  const { connectionId, token, manager } = await transactions.read(() => readiness(account.connection_id));
  return {
    countedAs: account.id,
    customerId: account.customer_id,
    loginCustomerId: account.login_customer_id ?? manager,
    developerToken: token,
    google: googleAccess({ id: connectionId }, transactions),
  };
}

/** The way to whatever a connection reaches, before an account is chosen. @throws as `adsAccess` */
export async function adsAccessOf(connectionId: string | null, transactions: Transactions = inRequest): Promise<AdsAccess> {
  const { connectionId: id, token } = await transactions.read(() => readiness(connectionId));
  return {
    countedAs: id,
    customerId: "",
    loginCustomerId: null,
    developerToken: token,
    google: googleAccess({ id }, transactions),
  };
}

/** The same grant for one of the accounts it reaches. */
export const asCustomer = (access: AdsAccess, customerId: string, loginCustomerId: string | null): AdsAccess => ({
  ...access,
  customerId,
  loginCustomerId,
});

/** What is said of a call beside what it asks. */
export type AdsCallNames = Pick<AdsCall, "operation" | "signal">;

/** Asks something that changes nothing and is no search, such as `/customers:listAccessibleCustomers`. @throws AdsFailure */
export const askAds = (
  access: AdsAccess,
  { path, json, ...names }: AdsCallNames & { path: string; json?: unknown },
): Promise<Record<string, unknown>> =>
  sendRead(
    access,
    { ...names, path, method: json === undefined ? "GET" : "POST", ...(json !== undefined && { json }) },
    ({ body }) => body,
  );

/** Rows of a page and the token of the next one. @throws AdsFailure for something else */
function pageOf(body: Record<string, unknown>, status: number): { rows: unknown[]; next: string | null } {
  const { results = [], nextPageToken = "" } = body;
  if (!Array.isArray(results) || typeof nextPageToken !== "string")
    throw AdsFailure.unreadable(status, "the answer is no page of rows");
  return { rows: results, next: textOf(nextPageToken) || null };
}

/**
 * The rows of a query, one page after the other; each is handed on as it comes where `each` is given, so that a large answer is never held as
 * a whole.
 * @param query in the provider's language, built from declarations, never from a caller's text
 * @throws AdsFailure, also for more than 20 pages or 50,000 rows: a prefix would pass for the whole
 */
export async function searchAdsByPage<Row extends object>(
  access: AdsAccess,
  query: string,
  names: AdsCallNames,
  each: (rows: Row[]) => Promise<void> | void,
): Promise<void> {
  const path = `/customers/${access.customerId}/googleAds:search`;
  let pageToken: string | null = null;
  let count = 0;
  for (let page = 1; ; page++) {
    const json: object = { query, ...(pageToken !== null && { pageToken }) };
    const call: AdsCall = { ...names, path, method: "POST", json };
    const { rows, next } = await sendRead(access, call, ({ body, status }) => pageOf(body, status));
    count += rows.length;
    if (count > MOST_ROWS || (next !== null && page >= MOST_PAGES))
      throw new AdsFailure("ads_platform_error", `the answer has more than ${MOST_PAGES} pages or ${MOST_ROWS} rows`, {
        status: 200,
      });
    await each(rows.map((row) => fieldsOf(row) as Row));
    if (next === null) return;
    pageToken = next;
  }
}

/** All rows of a query. @throws as `searchAdsByPage` */
export async function searchAds<Row extends object = Record<string, unknown>>(
  access: AdsAccess,
  query: string,
  names: AdsCallNames,
): Promise<Row[]> {
  const all: Row[] = [];
  await searchAdsByPage<Row>(access, query, names, (rows) => {
    for (const row of rows) all.push(row);
  });
  return all;
}
