import { createRequire } from "node:module";
import pg from "pg";
import type { Bound, Row, Statement, TextRow } from "../../sql/statement.ts";
import { ShapeChanged } from "./prepared.ts";
import { timed } from "./slow-statements.ts";

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

/** How rows of a prepared statement become objects; null for a statement that returns no rows. */
interface Shape {
  fields: readonly Field[];
  types: readonly number[];
  parsers: readonly ((text: string) => unknown)[];
  empty: Record<string, null>;
}

type Results = pg.QueryResult[];
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils") as { prepareValue: (value: unknown) => unknown };

/**
 * The row shapes of each connection's prepared statements, discarded together with those (prepared.ts). A shape stays valid until then:
 * PostgreSQL refuses a prepared statement whose columns have changed.
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
 * Sends several prepared statements as one message, which PostgreSQL answers with one: bind and execute each, then a single Sync. pg's own
 * pipeline syncs after every statement, so the server responds, and Node wakes up, once per statement; it also asks for the columns of a
 * statement each time. PostgreSQL runs everything between two Syncs as one transaction, which it begins and commits unless the statements
 * do so themselves. After a failure it skips the rest.
 */
class Flush {
  readonly #bound: readonly Bound[];
  readonly #done: (error: unknown, results: Results) => void;
  readonly #results: Results = [];
  #shapes!: Map<string, Shape | null>;
  #rows: Row[] = [];
  #failure: unknown = null;

  /** pg installs its own callback if this is unset. */
  readonly callback = () => {};

  constructor(bound: readonly Bound[], done: (error: unknown, results: Results) => void) {
    this.#bound = bound;
    this.#done = done;
  }

  submit(connection: Connection): null {
    this.#shapes = shapesOf(connection);
    const { stream } = connection;
    // Convert all values first: one that cannot be a parameter throws before the first byte is sent.
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
      // The commit succeeded, so this must not count as work that can be repeated.
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
// pg accepts only its own query type on a pipelined connection, because others might keep portals open; this one keeps none open.
Object.setPrototypeOf(Flush.prototype, pg.Query.prototype);

/** Whether this connection has prepared all of the statements, so they fit in one message. */
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

/** Returns the text of a value unparsed. */
const UNREAD = { getTypeParser: () => (text: string) => text };

/** Sends one statement through pg's own pipeline. */
async function sendOne(client: pg.ClientBase, [{ text, name, asText }, values]: Bound): Promise<pg.QueryResult> {
  const asked = { text, name, values: values as unknown[] };
  if (!asText) return client.query(asked);
  const result = await client.query<(string | null)[]>({ ...asked, rowMode: "array", types: UNREAD });
  const types = result.fields.map(({ dataTypeID }) => dataTypeID);
  return { ...result, rows: result.rows.map((row): TextRow => ({ values: row, types })) };
}

/** Sends the statements one by one through pg's pipeline, which prepares those that are new to this connection. */
async function oneByOne(client: pg.ClientBase, bound: readonly Bound[]): Promise<pg.QueryResult[]> {
  const { stream } = (client as unknown as { connection: Connection }).connection;
  stream.cork();
  const sent = bound.map((one) => sendOne(client, one));
  stream.uncork();
  const settled = await Promise.allSettled(sent);
  const errors = settled.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  // "The transaction is aborted" only repeats that an earlier statement failed.
  if (errors.length > 0) throw errors.find((error) => (error as { code?: string }).code !== "25P02") ?? errors[0];
  return settled.map((result) => (result as PromiseFulfilledResult<pg.QueryResult>).value);
}

const BEGIN_READ = ["begin read only", "commit"].map((text) => ({ text, name: text.replaceAll(" ", "_") }));

/** Sends statements together and returns the result of each. @throws the error of the first that failed */
export function sendAll(client: pg.ClientBase, bound: readonly Bound[]): Promise<pg.QueryResult[]> {
  return timed(bound, () => (isPrepared(client, bound) ? inOneMessage(client, bound) : oneByOne(client, bound)));
}

/** Like `sendAll`, for reads that are their own transaction. */
export function sendAlone(client: pg.ClientBase, bound: readonly Bound[]): Promise<pg.QueryResult[]> {
  return timed(bound, async () => {
    if (isPrepared(client, bound)) return inOneMessage(client, bound);
    const [begin, commit] = BEGIN_READ as [Bound[0], Bound[0]];
    return (await oneByOne(client, [[begin, []], ...bound, [commit, []]])).slice(1, -1);
  });
}
