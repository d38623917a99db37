import { createRequire } from "node:module";
import pg from "pg";
import type { Bound, Row, Statement, TextRow } from "../statement.ts";
import { ShapeChanged } from "./prepared.ts";

interface Field {
  name: string;
  dataTypeID: number;
}

interface Connection {
  parsedStatements: Record<string, string>;
  stream: { cork(): void; uncork(): void };
  bind(message: { statement: string; values: unknown[] }): void;
  describe(message: { type: "P" }): void;
  execute(): void;
  sync(): void;
}

/** How rows of a prepared statement become objects; null for one that gives none. */
interface Shape {
  fields: readonly Field[];
  types: readonly number[];
  parsers: readonly ((text: string) => unknown)[];
  empty: Record<string, null>;
}

type Results = pg.QueryResult[];
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils") as { prepareValue: (value: unknown) => unknown };

/**
 * What each connection has been told of the statements it has prepared; forgotten with them (prepared.ts). As long as they
 * are prepared it holds: PostgreSQL refuses a prepared statement whose columns have changed.
 */
const shapes = new WeakMap<Connection["parsedStatements"], Map<string, Shape | null>>();

function shapesOf({ parsedStatements }: Connection): Map<string, Shape | null> {
  let known = shapes.get(parsedStatements);
  if (!known) shapes.set(parsedStatements, (known = new Map()));
  return known;
}

const shapeOf = (fields: readonly Field[]): Shape => ({
  fields,
  types: fields.map(({ dataTypeID }) => dataTypeID),
  parsers: fields.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID)),
  empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
});

/**
 * Several prepared statements as one message to PostgreSQL, answered by one: bind and execute each, then a single Sync. pg's own
 * pipeline syncs after every statement, so the server answers, and Node wakes up, once per statement; it also asks anew each time what
 * columns a statement has. Between two Syncs everything is one transaction, begun and committed by PostgreSQL unless the statements
 * say otherwise; after a failure the rest is skipped.
 */
class Flush {
  readonly #bound: readonly Bound[];
  readonly #done: (error: unknown, results: Results) => void;
  readonly #results: Results = [];
  #shapes!: Map<string, Shape | null>;
  #rows: Row[] = [];
  #failure: unknown = null;

  /** Without one pg would put its own here. */
  readonly callback = () => {};

  constructor(bound: readonly Bound[], done: (error: unknown, results: Results) => void) {
    this.#bound = bound;
    this.#done = done;
  }

  submit(connection: Connection): null {
    this.#shapes = shapesOf(connection);
    const { stream } = connection;
    // Whatever cannot be a parameter is found before the first byte has left.
    const mapped = this.#bound.map(([, values]) => values.map((value) => prepareValue(value)));
    stream.cork();
    this.#bound.forEach(([{ name }], index) => {
      connection.bind({ statement: name, values: mapped[index] as unknown[] });
      if (!this.#shapes.has(name)) connection.describe({ type: "P" });
      connection.execute();
    });
    connection.sync();
    stream.uncork();
    return null;
  }

  get #running(): Statement {
    return (this.#bound[this.#results.length] as Bound)[0];
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#shapes.set(this.#running.name, shapeOf(fields));
  }

  handleDataRow({ fields: values }: { fields: readonly (string | null)[] }): void {
    if (this.#failure) return;
    const { name, asText } = this.#running;
    const { fields, types, parsers, empty } = this.#shapes.get(name) as Shape;
    if (values.length !== fields.length) {
      this.#failure = new ShapeChanged(name);
      return;
    }
    if (asText) {
      this.#rows.push({ values, types } satisfies TextRow);
      return;
    }
    const row: Row = { ...empty };
    try {
      for (let index = 0; index < values.length; index++) {
        const value = values[index] as string | null;
        if (value !== null) row[(fields[index] as Field).name] = (parsers[index] as Shape["parsers"][0])(value);
      }
    } catch (error) {
      this.#failure = error;
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { name } = this.#running;
    if (!this.#shapes.has(name)) this.#shapes.set(name, null);
    const [command = "", ...counts] = text.split(" ");
    const affected = counts.at(-1);
    const rowCount = affected === undefined ? null : Number(affected);
    this.#results.push({ command, rowCount, oid: 0, fields: [], rows: this.#rows });
    this.#rows = [];
  }

  handleError(error: unknown): void {
    this.#done(this.#failure ?? error, []);
  }

  handleReadyForQuery(): void {
    if (this.#failure instanceof ShapeChanged && this.#results.at(-1)?.command === "COMMIT") {
      // What is permanent must not pass for work that can be repeated.
      this.#shapes.clear();
      this.#failure = new Error(this.#failure.message);
    }
    this.#done(this.#failure, this.#results);
  }

  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
// pg lets only its own kind of query into a pipelined connection, for fear of portals kept open; this one keeps none.
Object.setPrototypeOf(Flush.prototype, pg.Query.prototype);

/** Whether this connection has prepared all of the statements, so that they can go in one message. */
function isPrepared(client: pg.ClientBase, bound: readonly Bound[]): boolean {
  const { parsedStatements } = (client as unknown as { connection: Connection }).connection;
  return bound.every(([{ name }]) => parsedStatements[name] !== undefined);
}

function inOneMessage(client: pg.ClientBase, bound: readonly Bound[]): Promise<Results> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, results: Results) => (error ? reject(error) : resolve(results));
    client.query(new Flush(bound, done) as never);
  });
}

/** Gives the text of a value as it is. */
const UNREAD = { getTypeParser: () => (text: string) => text };

/** Through pg's own pipeline. */
async function sendOne(client: pg.ClientBase, [{ text, name, asText }, values]: Bound): Promise<pg.QueryResult> {
  const asked = { text, name, values: values as unknown[] };
  if (!asText) return client.query(asked);
  const result = await client.query<(string | null)[]>({ ...asked, rowMode: "array", types: UNREAD });
  const types = result.fields.map(({ dataTypeID }) => dataTypeID);
  return { ...result, rows: result.rows.map((row): TextRow => ({ values: row, types })) };
}

/** One by one through pg's pipeline, which prepares what this connection has not seen yet. */
async function oneByOne(client: pg.ClientBase, bound: readonly Bound[]): Promise<pg.QueryResult[]> {
  const { stream } = (client as unknown as { connection: Connection }).connection;
  stream.cork();
  const sent = bound.map((one) => sendOne(client, one));
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
