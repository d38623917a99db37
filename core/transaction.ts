import type pg from "pg";
import { type RequestStore, request } from "./context.ts";
import { type Bound, connect, decisive, isBroken, open, type Row, send, translated } from "./database.ts";

/** The one transaction of a request. It opens with the first statement and is ended by the action wrapper, never by a handler. */
export class Transaction {
  readonly #store: RequestStore;
  readonly #client: Promise<pg.PoolClient>;
  #opening: Promise<unknown>[] = [];

  constructor(store: RequestStore) {
    this.#store = store;
    this.#client = this.#open();
    this.#client.catch(() => {});
  }

  async #open(): Promise<pg.PoolClient> {
    const client = await connect();
    this.#opening = open(client, this.#store, this.#store.mode === "read");
    for (const opening of this.#opening) opening.catch(() => {});
    return client;
  }

  /** The connection, for Sequelize: its queries then join this transaction. */
  get connection(): Promise<pg.PoolClient> {
    return this.#client;
  }

  /** Sends the statements in one flush and gives the rows of each; the first failure is thrown and the transaction is lost. */
  async send(bound: readonly Bound[]): Promise<Row[][]> {
    const client = await this.#client;
    const sent = bound.map(([text, values]) => send(client, text, values));
    try {
      const results = await Promise.all(sent);
      this.#store.verified = true;
      return results.map(({ rows }) => rows);
    } catch {
      throw decisive(await Promise.allSettled([...this.#opening, ...sent]));
    }
  }

  /**
   * Makes everything permanent.
   * @throws what made PostgreSQL answer ROLLBACK, so that nothing is reported as written that is not
   */
  async commit(): Promise<void> {
    const client = await this.#client;
    try {
      const { command } = await client.query("commit");
      if (command === "ROLLBACK") {
        const settled = await Promise.allSettled(this.#opening);
        throw decisive(settled) ?? new Error("the transaction had failed before its commit");
      }
      client.release();
      this.#store.verified = true;
    } catch (error) {
      const known = translated(error);
      client.release(isBroken(known));
      throw known;
    }
  }

  /** Undoes everything. Never throws: the error that led here matters more. */
  async rollback(): Promise<void> {
    try {
      const client = await this.#client;
      await client.query("rollback").then(
        () => client.release(),
        () => client.release(true),
      );
    } catch {
      // No connection was had, so there is nothing to undo.
    }
  }
}

/** The transaction of a request, opened now if it has none. */
export function joinTransaction(store: RequestStore = request()): Transaction {
  store.transaction ??= new Transaction(store);
  return store.transaction;
}
