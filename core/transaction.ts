import type pg from "pg";
import { type RequestStore, request } from "./context.ts";
import { type Bound, connect, count, enter, isBroken, type Row, statement, translated } from "./database.ts";
import { sendAll } from "./flush.ts";

const BEGIN: Bound = [statement("begin"), []];
const COMMIT: Bound = [statement("commit"), []];

interface Waiting {
  bound: readonly Bound[];
  resolve(rows: Row[][]): void;
  reject(error: unknown): void;
}

/**
 * The one transaction of a request. It opens with the first statement and is ended by the action wrapper, never by a handler.
 * Statements asked for in the same turn of the event loop leave in one message.
 */
export class Transaction {
  readonly #store: RequestStore;
  readonly #client: Promise<pg.PoolClient>;
  #opened = false;
  #waiting: Waiting[] = [];

  constructor(store: RequestStore) {
    this.#store = store;
    this.#client = connect();
    this.#client.catch(() => {});
  }

  /** The connection with the transaction open, for Sequelize: its queries then take part. */
  get connection(): Promise<pg.PoolClient> {
    return this.send([]).then(() => this.#client);
  }

  /** Sends statements and gives the rows of each; after a failure the transaction is lost. */
  send(bound: readonly Bound[]): Promise<Row[][]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bound, resolve, reject });
      if (this.#waiting.length === 1) queueMicrotask(() => this.#drain());
    });
  }

  async #drain(): Promise<void> {
    try {
      const client = await this.#client;
      const [waiting, opening] = [this.#waiting, this.#opening()];
      this.#waiting = [];
      try {
        const results = (await this.#run(client, [...opening, ...waiting.flatMap(({ bound }) => bound)])).slice(opening.length);
        for (const { bound, resolve } of waiting) resolve(results.splice(0, bound.length));
      } catch (error) {
        for (const { reject } of waiting) reject(error);
      }
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    }
  }

  #opening(): Bound[] {
    if (this.#opened) return [];
    this.#opened = true;
    return [BEGIN, enter(this.#store, this.#store.mode === "read")];
  }

  async #run(client: pg.PoolClient, bound: readonly Bound[]): Promise<Row[][]> {
    try {
      count(bound.length);
      const results = await sendAll(client, bound);
      this.#store.verified = true;
      return results.map(({ rows }) => rows);
    } catch (error) {
      throw translated(error);
    }
  }

  /**
   * Makes everything permanent, after one last round of statements whose rows it gives.
   * @throws what made PostgreSQL answer ROLLBACK, so that nothing is reported as written that is not
   */
  async commit(last: readonly Bound[] = []): Promise<Row[][]> {
    const client = await this.#client;
    try {
      count(last.length);
      const opening = this.#opening();
      const results = await sendAll(client, [...opening, ...last, COMMIT]);
      if (results.at(-1)?.command !== "COMMIT") throw new Error("the transaction had failed before its commit");
      client.release();
      this.#store.verified = true;
      return results.slice(opening.length, -1).map(({ rows }) => rows);
    } catch (error) {
      const known = translated(error);
      await this.#abandon(client, isBroken(known));
      throw known;
    }
  }

  /** Undoes everything. Never throws: the error that led here matters more. */
  async rollback(): Promise<void> {
    const client = await this.#client.catch(() => null);
    if (client) await this.#abandon(client, false);
  }

  async #abandon(client: pg.PoolClient, broken: boolean): Promise<void> {
    if (broken) return client.release(true);
    await client.query("rollback").then(
      () => client.release(),
      () => client.release(true),
    );
  }
}

/** The transaction of a request, opened now if it has none. */
export function joinTransaction(store: RequestStore = request()): Transaction {
  store.transaction ??= new Transaction(store);
  return store.transaction;
}
