import { type RequestStore, request } from "../request/context.ts";
import { countStatements } from "../request/statement-count.ts";
import { enter, onConnection } from "./connection/database.ts";
import { sendAlone } from "./connection/flush.ts";
import { joinTransaction } from "./connection/transaction.ts";
import type { Bound, Row, Statement } from "./statement.ts";

/** Sends several reads in one go inside one read-only transaction of the organisation. Gives the rows of each. */
async function readFlush(store: RequestStore, bound: readonly Bound[]): Promise<Row[][]> {
  const [, ...results] = await onConnection((client) => {
    countStatements(bound.length);
    return sendAlone(client, [enter(store, true), ...bound]);
  }, store.anew);
  store.verified = true;
  return results.map(({ rows }) => rows);
}

/**
 * Runs several statements of the running request in one flush and gives the rows of each. A read runs in a read-only transaction of
 * its own; in a write, and after the first statement of one, everything runs in the request's transaction.
 */
export async function queryAll(...bound: Bound[]): Promise<Row[][]> {
  const store = request();
  store.statements += bound.length;
  if (store.mode === "read" && !store.transaction) return readFlush(store, bound);
  return joinTransaction(store).send(bound);
}

/**
 * Leaves a write to the request's transaction: it is sent in order with the next read or with the commit, and fails with them. So a
 * request that only writes is one message to PostgreSQL and one back.
 */
export function enqueue(text: Statement, values: readonly unknown[] = []): void {
  const store = request();
  store.statements += 1;
  joinTransaction(store).enqueue([text, values]);
}

/** Runs one statement of the running request and gives its rows. */
export async function query<T = Row>(text: Statement, values: readonly unknown[] = []): Promise<T[]> {
  const [rows] = await queryAll([text, values]);
  return rows as T[];
}

/** Runs one statement and gives its first row, or undefined. */
export async function queryOne<T = Row>(text: Statement, values: readonly unknown[] = []): Promise<T | undefined> {
  return (await query<T>(text, values))[0];
}

/**
 * Runs one read beside the request's transaction, before it has opened: for checks that are followed by slow work, so that no
 * connection is held meanwhile.
 */
export async function peek<T = Row>(text: Statement, values: readonly unknown[] = []): Promise<T | undefined> {
  const store = request();
  store.statements += 1;
  const [rows] = await readFlush(store, [[text, values]]);
  return (rows as T[])[0];
}
