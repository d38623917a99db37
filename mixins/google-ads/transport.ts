import { queryOne } from "../../core/database/query.ts";
import { refusal } from "../../core/errors/errors.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import { googleAccess } from "../google/client.ts";
import { IS_WORKING, WORKING_CONNECTIONS } from "../google/connection.ts";
import { hasScope, SCOPE } from "../google/scopes.ts";
import { inRequest, type Transactions } from "../google/transactions.ts";
import { objectIn, textOf } from "./answers.ts";
import { type AdsAccess, type AdsCall, sendRead } from "./calling.ts";
import { adsSettings, developerToken, TokenUnreadable } from "./developer-token.ts";
import { AdsFailure } from "./failure.ts";
import type { AdsAccountRow } from "./models.ts";

export type { AdsAccess } from "./calling.ts";

/** Maximum pages and rows of one read (marketing-ads §3.3). */
const MOST_PAGES = 20;
const MOST_ROWS = 50_000;

const MANAGER = statement(
  "select login_customer_id from ads_accounts where organisation_id = $1 and customer_id = $2 and active",
);
const CONNECTION = statement(`select c.scopes from ${WORKING_CONNECTIONS} where ${IS_WORKING} and c.id = $2`);

/** The fields of an account that calls need. */
export type CallableAccount = Pick<AdsAccountRow, "customer_id" | "login_customer_id" | "connection_id"> & {
  /** The key for shared limits and failures: the row's id. */
  id: string;
};

/** The grant and developer token of a connection. @throws 409 `ads_platform_not_configured`, `ads_platform_token_unreadable` */
async function readiness(connectionId: string | null): Promise<{ connectionId: string; token: string; manager: string | null }> {
  const connection =
    connectionId === null
      ? undefined
      : await queryOne<{ scopes: string[] }>(CONNECTION, [request().organisation.id, connectionId]);
  // An empty list of scopes does not prove that one is missing.
  const isUsable = connection && (connection.scopes.length === 0 || hasScope(connection.scopes, SCOPE.ads));
  const token = await developerToken().catch((error: unknown) => {
    throw error instanceof TokenUnreadable ? Object.assign(refusal("ads_platform_token_unreadable"), { cause: error }) : error;
  });
  if (connectionId === null || !isUsable || token === null) throw refusal("ads_platform_not_configured");
  return { connectionId, token, manager: (await adsSettings())?.default_login_customer_id ?? null };
}

/**
 * Prepares calls to one account, with its connection and the developer token of the organisation or the instance. It calls nothing yet.
 * @param transactions a job passes its `run`; a request passes nothing and makes its calls in `prepare`
 * @throws 409 `ads_platform_not_configured` if the connection is missing, broken or lacks the scope, or there is no developer token;
 * `ads_platform_token_unreadable`
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

/**
 * The manager through which a customer is called: that of its linked account, which can be null, else the one that is known without an
 * account.
 * @param customerId digits
 */
export async function managerOf(customerId: string, known: string | null): Promise<string | null> {
  const account = await queryOne<Pick<AdsAccountRow, "login_customer_id">>(MANAGER, [request().organisation.id, customerId]);
  return account ? account.login_customer_id : known;
}

/** Prepares calls through a connection before an account is chosen. @throws as `adsAccess` */
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

/** The same grant for one of its accounts. */
export const asCustomer = (access: AdsAccess, customerId: string, loginCustomerId: string | null): AdsAccess => ({
  ...access,
  customerId,
  loginCustomerId,
});

/** The name and signal of a call. */
export type AdsCallNames = Pick<AdsCall, "operation" | "signal">;

/** Makes a call that reads something without a search, such as `/customers:listAccessibleCustomers`. @throws AdsFailure */
export const askAds = (
  access: AdsAccess,
  { path, json, ...names }: AdsCallNames & { path: string; json?: unknown },
): Promise<Record<string, unknown>> =>
  sendRead(
    access,
    { ...names, path, method: json === undefined ? "GET" : "POST", ...(json !== undefined && { json }) },
    ({ body }) => body,
  );

/** A result beyond the limits of one read; its first rows would look complete. */
export class TooManyRows extends AdsFailure {
  constructor() {
    super("ads_platform_error", `the answer has more than ${MOST_PAGES} pages or ${MOST_ROWS} rows`, { status: 200 });
  }
}

/** The rows of a page and the token of the next one. @throws AdsFailure for any other body */
function pageOf(body: Record<string, unknown>, status: number): { rows: unknown[]; next: string | null } {
  const { results = [], nextPageToken = "" } = body;
  if (!Array.isArray(results) || typeof nextPageToken !== "string")
    throw AdsFailure.unreadable(status, "the answer is not a page of rows");
  return { rows: results, next: textOf(nextPageToken) || null };
}

/**
 * Reads the rows of a query page by page and passes each page to `each`, so that a large result is never in memory as a whole.
 * @param query in the provider's language, built from declarations, never from a caller's text
 * @throws AdsFailure; `TooManyRows` for more than 20 pages or 50,000 rows
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
    if (count > MOST_ROWS || (next !== null && page >= MOST_PAGES)) throw new TooManyRows();
    await each(rows.map((row) => objectIn(row) as Row));
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
