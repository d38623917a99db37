import { type RequestStore, request } from "../request/context.ts";
import { countStatements } from "../request/statement-count.ts";
import type { Bound, Row, Statement } from "../sql/statement.ts";
import { enter, onConnection } from "./connection/database.ts";
import { sendAlone } from "./connection/flush.ts";
import { readFromReplica } from "./connection/replicas.ts";
import { joinTransaction } from "./connection/transaction.ts";

/** Sends several reads together in one read-only transaction of the organisation and returns the rows of each. */
async function readFlush(store: RequestStore, bound: readonly Bound[]): Promise<Row[][]> {
  const [, ...results] = await onConnection((client) => {
    countStatements(bound.length);
    return sendAlone(client, [enter(store, true), ...bound]);
  }, store.freshPlans);
  store.verified = true;
  return results.map(({ rows }) => rows);
}

/**
 * Runs several statements of the current request in one flush and returns the rows of each. In a read they run in their own read-only
 * transaction, of a list on a replica if there is one. In a write, or once the request has a transaction, they run in that.
 */
export async function queryAll(...bound: Bound[]): Promise<Row[][]> {
  const store = request();
  store.statements += bound.length;
  if (store.mode === "read" && !store.transaction)
    return (store.replica && (await readFromReplica(store, store.replica, bound))) ?? readFlush(store, bound);
  return joinTransaction(store).send(bound);
}

/**
 * Queues a write in the request's transaction: it is sent in order with the next read or with the commit, which rejects if it fails. A
 * request that only writes is therefore one message to PostgreSQL and one back.
 */
export function enqueue(text: Statement, values: readonly unknown[] = []): void {
  const store = request();
  store.statements += 1;
  joinTransaction(store).enqueue([text, values]);
}

/** Runs one statement of the current request and returns its rows. */
export async function query<T = Row>(text: Statement, values: readonly unknown[] = []): Promise<T[]> {
  const [rows] = await queryAll([text, values]);
  return rows as T[];
}

/** Runs one statement and returns its first row, or undefined. */
export async function queryOne<T = Row>(text: Statement, values: readonly unknown[] = []): Promise<T | undefined> {
  return (await query<T>(text, values))[0];
}

/**
 * Runs one read outside the request's transaction, before that opens: for checks that precede slow work, which then holds no connection.
 */
export async function queryOutside<T = Row>(text: Statement, values: readonly unknown[] = []): Promise<T | undefined> {
  const store = request();
  store.statements += 1;
  const [rows] = await readFlush(store, [[text, values]]);
  return (rows as T[])[0];
}
