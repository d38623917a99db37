import pg from "pg";

/** The parts of pg's connection through which every statement of this process passes. */
interface Wire {
  query(text: string): void;
  parse(message: { name?: string; text: string }): void;
  bind(message: { statement?: string }): void;
}

const texts = new Map<string, string>();
const unnamed = new WeakMap<Wire, string>();
let note: ((wire: Wire, text: string) => void) | null = null;

const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Observes the wire from now on: statements that were prepared earlier have no text. */
function observe(): void {
  const wire = (pg as unknown as { Connection: { prototype: Wire } }).Connection.prototype;
  const { query, parse, bind } = wire;
  wire.query = function (text) {
    note?.(this, squeezed(text));
    query.call(this, text);
  };
  wire.parse = function (message) {
    if (message.name) texts.set(message.name, squeezed(message.text));
    else unnamed.set(this, squeezed(message.text));
    parse.call(this, message);
  };
  wire.bind = function (message) {
    note?.(this, (message.statement ? texts.get(message.statement) : unnamed.get(this)) ?? `prepared ${message.statement}`);
    bind.call(this, message);
  };
}
observe();

/**
 * Runs work and returns the statements that this process sends meanwhile, in order: those of requests, relay and jobs, with `begin` and
 * `commit`. A statement that a function runs inside PostgreSQL does not count.
 * @param own the test's own connection, whose statements are left out
 */
export async function statementsDuring(own: pg.Client, work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const mine = (own as unknown as { connection: Wire }).connection;
  note = (wire, text) => void (wire !== mine && sent.push(text));
  try {
    await work();
  } finally {
    note = null;
  }
  return sent;
}
