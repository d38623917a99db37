import type pg from "pg";
import { noteCommit, noteCommitting, type OpenTransaction, type RequestStore, request } from "../../request/context.ts";
import { countStatements } from "../../request/statement-count.ts";
import { type Bound, type Row, statement } from "../statement.ts";
import { connect, enter, isBroken, translated } from "./database.ts";
import { sendAll } from "./flush.ts";
import { bringUpToDate, foundOutdated } from "./prepared.ts";

const BEGIN: Bound = [statement("begin"), []];
const COMMIT: Bound = [statement("commit"), []];

interface Waiting {
  bound: readonly Bound[];
  resolve(rows: Row[][]): void;
  reject(error: unknown): void;
}

/** Writes that may wait before they are sent without a read or a commit asking for it: bounds the memory of an import. */
const MOST_WAITING = 256;

/**
 * The one transaction of a request. It opens with the first statement and is ended by the action wrapper, never by a handler.
 * Reads asked for in the same turn of the event loop leave in one message; writes wait for the next read, or for the commit.
 */
export class Transaction implements OpenTransaction {
  readonly #store: RequestStore;
  readonly #client: Promise<pg.PoolClient>;
  #opened = false;
  #messages = 0;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #failure: unknown = null;
  #beforeCommit: { work: (things: never[]) => Promise<void>; thing: unknown }[] = [];
  readonly #afterCommit = new Set<() => void>();

  constructor(store: RequestStore) {
    this.#store = store;
    this.#client = connect(store.anew);
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
      this.#schedule();
    });
  }

  /** Leaves a write to be sent with the next read or with the commit, in order. Its failure is theirs. */
  enqueue(bound: Bound): void {
    const failed = (error: unknown) => {
      this.#failure ??= error;
    };
    this.#waiting.push({ bound: [bound], resolve: () => {}, reject: failed });
    if (this.#waiting.length >= MOST_WAITING) this.#schedule();
  }

  /** Names work for the moment before the commit, with a thing it is about; it is called once, with all of them. */
  beforeCommit<T>(work: (things: T[]) => Promise<void>, thing: T): void {
    this.#beforeCommit.push({ work, thing });
  }

  /** Notes how much waits for the commit; what it gives forgets the rest, and the failure it was undone for. */
  mark(): () => void {
    const kept = this.#beforeCommit.length;
    return () => {
      this.#beforeCommit.splice(kept);
      this.#failure = null;
    };
  }

  /** Does what waits for the commit, in the order in which it was first named; what that leaves is done as well. */
  async settle(): Promise<void> {
    while (this.#beforeCommit.length > 0) {
      const things = Map.groupBy(this.#beforeCommit.splice(0), ({ work }) => work);
      for (const [work, named] of things) await work(named.map(({ thing }) => thing) as never[]);
    }
  }

  /** Names work for the moment after the commit, on this node; the same work once. It must not throw. */
  afterCommit(work: () => void): void {
    this.#afterCommit.add(work);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#drain());
  }

  async #drain(): Promise<void> {
    const client = await this.#client.catch((error: unknown) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
    this.#scheduled = false;
    if (!client) return;
    const [opening, waiting] = [this.#opening(), this.#waiting.splice(0)];
    try {
      const results = (await this.#run(client, [...opening, ...waiting.flatMap(({ bound }) => bound)])).slice(opening.length);
      for (const { bound, resolve } of waiting) resolve(results.splice(0, bound.length));
    } catch (error) {
      // After a write whose answer was not awaited, PostgreSQL only says that the transaction is aborted.
      for (const { reject } of waiting) reject(this.#failure ?? error);
    }
  }

  #opening(): Bound[] {
    if (this.#opened) return [];
    this.#opened = true;
    return [BEGIN, enter(this.#store, this.#store.mode === "read")];
  }

  async #run(client: pg.PoolClient, bound: readonly Bound[]): Promise<Row[][]> {
    try {
      const results = await this.#sent(client, bound);
      if (bound.at(-1) === COMMIT && results.at(-1)?.command !== "COMMIT")
        throw new Error("the transaction had failed before its commit");
      this.#store.verified = true;
      return results.map(({ rows }) => rows);
    } catch (error) {
      throw translated(error);
    }
  }

  /**
   * Sends one message. The first rests on no answer: where a table has changed, it goes once more, prepared anew. After that the transaction
   * is lost, whatever the action makes of it, and the request may run again (mixins/tenancy.ts).
   */
  async #sent(client: pg.PoolClient, bound: readonly Bound[]): Promise<pg.QueryResult[]> {
    this.#messages += 1;
    countStatements(bound.length - (bound[0] === BEGIN ? 2 : 0) - (bound.at(-1) === COMMIT ? 1 : 0));
    try {
      return await sendAll(client, bound);
    } catch (error) {
      if (!foundOutdated(client, error)) throw error;
      if (this.#messages > 1) {
        this.#store.outdated = true;
        throw error;
      }
      // In one go: nothing that is sent meanwhile may find itself between the two transactions.
      const undone = client.query("rollback");
      bringUpToDate(client, true);
      const again = sendAll(client, bound);
      const [, results] = await Promise.all([undone, again]);
      return results;
    }
  }

  /**
   * Makes everything permanent, after one last round of statements whose rows it gives.
   * @throws what made PostgreSQL answer ROLLBACK, so that nothing is reported as written that is not
   */
  async commit(last: readonly Bound[] = []): Promise<Row[][]> {
    const client = await this.#client;
    try {
      const opening = this.#opening();
      const before = [...opening, ...this.#waiting.splice(0).flatMap(({ bound }) => bound)];
      noteCommitting(this.#store);
      const results = await this.#run(client, [...before, ...last, COMMIT]);
      noteCommit(this.#store);
      client.release();
      for (const work of this.#afterCommit) work();
      return results.slice(before.length, -1);
    } catch (error) {
      await this.#abandon(client, isBroken(error));
      throw this.#failure ?? error;
    }
  }

  /** Undoes everything. Never throws: the error that led here matters more. */
  async rollback(): Promise<void> {
    const client = await this.#client.catch(() => null);
    if (client && !this.#opened) client.release();
    else if (client) await this.#abandon(client, false);
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
export function joinTransaction(store: RequestStore = request()): OpenTransaction {
  store.transaction ??= new Transaction(store);
  return store.transaction;
}
