import { createRequire } from "node:module";
import pg from "pg";
import type { Bound } from "./database.ts";

interface Connection {
  parsedStatements: Record<string, string>;
  stream: { cork(): void; uncork(): void };
  bind(message: { portal: string; statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(message: { type: "P"; name: string }): void;
  execute(message: { portal: string; rows?: number }): void;
  sync(): void;
}

type Done = (error: Error | null, results: pg.QueryResult | pg.QueryResult[]) => void;
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils") as { prepareValue: (value: unknown) => unknown };

/**
 * Several prepared statements as one message to PostgreSQL, answered by one: bind and execute each, then a single Sync. pg's own
 * pipeline syncs after every statement, so the server answers, and Node wakes up, once per statement. Between two Syncs everything is
 * one transaction, begun and committed by PostgreSQL unless the statements say otherwise; after a failure the rest is skipped.
 */
class Flush extends pg.Query {
  readonly #bound: readonly Bound[];

  constructor(bound: readonly Bound[], done: Done) {
    super({ text: "flush", queryMode: "extended" } as pg.QueryConfig, undefined as never, done as never);
    this.#bound = bound;
  }

  prepare(connection: Connection): void {
    for (const [{ name }, values] of this.#bound) {
      connection.bind({ portal: "", statement: name, values: values as unknown[], valueMapper: prepareValue });
      connection.describe({ type: "P", name: "" });
      connection.execute({ portal: "" });
    }
    connection.sync();
  }
}

/** Whether this connection has prepared all of the statements, so that they can go in one message. */
function isPrepared(client: pg.ClientBase, bound: readonly Bound[]): boolean {
  const { parsedStatements } = (client as unknown as { connection: Connection }).connection;
  return bound.every(([{ name }]) => parsedStatements[name] !== undefined);
}

function inOneMessage(client: pg.ClientBase, bound: readonly Bound[]): Promise<pg.QueryResult[]> {
  return new Promise((resolve, reject) => {
    const done: Done = (error, results) => {
      if (error) reject(error);
      else resolve(Array.isArray(results) ? results : [results]);
    };
    client.query(new Flush(bound, done) as never);
  });
}

/** One by one through pg's pipeline, which prepares what this connection has not seen yet. */
async function oneByOne(client: pg.ClientBase, bound: readonly Bound[]): Promise<pg.QueryResult[]> {
  const { stream } = (client as unknown as { connection: Connection }).connection;
  stream.cork();
  const sent = bound.map(([{ text, name }, values]) => client.query({ text, name, values: values as unknown[] }));
  stream.uncork();
  const settled = await Promise.allSettled(sent);
  const errors = settled.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  // "The transaction is aborted" only repeats that something before it failed.
  if (errors.length > 0) throw errors.find((error) => (error as { code?: string }).code !== "25P02") ?? errors[0];
  return settled.map((result) => (result as PromiseFulfilledResult<pg.QueryResult>).value);
}

const BEGIN_READ = ["begin read only", "commit"].map((text) => ({ text, name: text.replaceAll(" ", "_") }));

/** Sends statements in one go and gives the result of each, or throws what made the first of them fail. */
export function sendAll(client: pg.ClientBase, bound: readonly Bound[]): Promise<pg.QueryResult[]> {
  return isPrepared(client, bound) ? inOneMessage(client, bound) : oneByOne(client, bound);
}

/** The same for reads that are a transaction of their own. */
export async function sendAlone(client: pg.ClientBase, bound: readonly Bound[]): Promise<pg.QueryResult[]> {
  if (isPrepared(client, bound)) return inOneMessage(client, bound);
  const [begin, commit] = BEGIN_READ as [Bound[0], Bound[0]];
  return (await oneByOne(client, [[begin, []], ...bound, [commit, []]])).slice(1, -1);
}
