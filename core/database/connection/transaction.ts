import type pg from "pg";
import { noteCommit, noteCommitting, type OpenTransaction, type RequestStore, request } from "../../request/context.ts";
import { countStatements } from "../../request/statement-count.ts";
import { type Bound, type Row, statement } from "../../sql/statement.ts";
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

/** Work for the commit, with its items: it may have a hundred thousand. */
type Registered = Map<(things: never[]) => unknown, unknown[]>;

/** Adds an item for the work. */
function register(works: Registered, work: (things: never[]) => unknown, thing: unknown): void {
  const things = works.get(work);
  if (things) things.push(thing);
  else works.set(work, [thing]);
}

/** Most writes that wait for a read or a commit before they are sent; bounds the memory of an import. */
const MOST_WAITING = 256;

/**
 * The one transaction of a request. It opens with the first statement; the action wrapper ends it, never a handler.
 * Reads issued in the same turn of the event loop leave in one message; writes wait for the next read, or for the commit.
 */
export class Transaction implements OpenTransaction {
  readonly #store: RequestStore;
  readonly #client: Promise<pg.PoolClient>;
  #opened = false;
  #messages = 0;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #failure: unknown = null;
  #beforeCommit: Registered = new Map();
  #lastBeforeCommit: Registered = new Map();
  readonly #afterCommit = new Set<() => void>();

  constructor(store: RequestStore) {
    this.#store = store;
    this.#client = connect(store.freshPlans);
    this.#client.catch(() => {});
  }

  /** The connection with the transaction open, so that Sequelize's queries take part in it. */
  get connection(): Promise<pg.PoolClient> {
    return this.send([]).then(() => this.#client);
  }

  /** Sends statements and returns the rows of each; after a failure the transaction is lost. */
  send(bound: readonly Bound[]): Promise<Row[][]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bound, resolve, reject });
      this.#schedule();
    });
  }

  /** Queues a write, which is sent in order with the next read or the commit. If it fails, that read or commit rejects. */
  enqueue(bound: Bound): void {
    const failed = (error: unknown) => {
      this.#failure ??= error;
    };
    this.#waiting.push({ bound: [bound], resolve: () => {}, reject: failed });
    if (this.#waiting.length >= MOST_WAITING) this.#schedule();
  }

  /** Registers work to run before the commit, with an item for it; the work runs once, with all of its items. */
  beforeCommit<T>(work: (things: T[]) => Promise<void>, thing: T): void {
    register(this.#beforeCommit, work, thing);
  }

  /** The same, after all of that: with the items that it registered, too. */
  lastBeforeCommit<T>(work: (things: T[]) => Promise<void>, thing: T): void {
    register(this.#lastBeforeCommit, work, thing);
  }

  /** Marks the registered work; the returned function drops what was registered since, and the failure of the write that was undone. */
  mark(): () => void {
    const marked = [this.#beforeCommit, this.#lastBeforeCommit].map((works) => ({
      works,
      kept: new Map([...works].map(([work, { length }]) => [work, length])),
    }));
    return () => {
      for (const { works, kept } of marked)
        for (const [work, things] of works)
          if (kept.has(work)) things.splice(kept.get(work) as number);
          else works.delete(work);
      this.#failure = null;
    };
  }

  /** Runs the work registered for the commit, in the order of its first registration, including work it registers itself. */
  async settle(): Promise<void> {
    while (this.#beforeCommit.size + this.#lastBeforeCommit.size > 0) {
      const registered = this.#beforeCommit.size > 0 ? this.#beforeCommit : this.#lastBeforeCommit;
      if (registered === this.#beforeCommit) this.#beforeCommit = new Map();
      else this.#lastBeforeCommit = new Map();
      for (const [work, things] of registered) await work(things as never[]);
    }
  }

  /** Registers work to run on this node after the commit; the same function runs once. It must not throw. */
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
      // After a failed write that nothing awaited, PostgreSQL only reports that the transaction is aborted.
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
      if (bound[0] === BEGIN && !this.#store.guarded && this.#store.mode === "write")
        this.#store.boundRevision = (results[1]?.rows[0] as { revision?: string | null } | undefined)?.revision ?? null;
      return results.map(({ rows }) => rows);
    } catch (error) {
      throw translated(error);
    }
  }

  /**
   * Sends one message. The first depends on no earlier result: if a table has changed, it is prepared and sent once more. After that the
   * transaction is lost, even if the action catches the error, and the request may run again (mixins/tenancy.ts).
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
      // All in one turn: no other statement may slip in between the two transactions.
      const undone = client.query("rollback");
      bringUpToDate(client, true);
      const again = sendAll(client, bound);
      const [, results] = await Promise.all([undone, again]);
      return results;
    }
  }

  /**
   * Commits, after a last round of statements whose rows it returns.
   * @throws the error that made PostgreSQL answer ROLLBACK, so nothing is reported as written when it is not
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

  /** Rolls back. Never throws: the error that led here matters more. */
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

/** The transaction of a request, opened now if there is none. */
export function joinTransaction(store: RequestStore = request()): OpenTransaction {
  store.transaction ??= new Transaction(store);
  return store.transaction;
}
