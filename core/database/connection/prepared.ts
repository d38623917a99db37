import type pg from "pg";

/** pg's record of the statements that a connection has prepared. */
interface Prepared {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

const preparedOn = (client: pg.ClientBase): Prepared => (client as unknown as { connection: Prepared }).connection;

/** A prepared statement returned rows of another shape than described: a pooler ran it on a connection that had prepared it again. */
export class ShapeChanged extends Error {
  override name = "ShapeChanged";
  constructor(statement: string) {
    super(`the columns of the prepared statement ${statement} have changed`);
  }
}

/**
 * True when a table has changed under a prepared statement, for instance because a newer version added a column. Either PostgreSQL refuses
 * the statement (0A000), or an SQL function that returns rows of the table changed between its declaration and its body (42P13).
 * 0A000 also covers errors that a retry would repeat, so we check the routine; the message is in the server's language. PostgreSQL rolls
 * the statement back with its transaction.
 */
function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return (code === "0A000" && routine === "RevalidateCachedQuery") || code === "42P13" || error instanceof ShapeChanged;
}

/** How often this process has found a changed table, and the count each connection was last updated to. */
let changes = 0;
const broughtUpTo = new WeakMap<pg.ClientBase, number>();

/**
 * Updates a connection just taken from a pool. It discards, here and in PostgreSQL, the statements prepared before the last change of a
 * table: one outdated connection means that all are. The pool must use `pipeline`.
 * @param fresh discard in any case. Statements then prepared in a transaction lock their tables, so they cannot become outdated again
 */
export function bringUpToDate(client: pg.ClientBase, fresh: boolean): void {
  if (!fresh && broughtUpTo.get(client) === changes) return;
  broughtUpTo.set(client, changes);
  const prepared = preparedOn(client);
  if (Object.keys(prepared.parsedStatements).length === 0) return;
  prepared.parsedStatements = {};
  prepared.submittedNamedStatements = {};
  // Runs before the next statement without being awaited. It fails only if the connection does, and then so does that statement.
  client.query("deallocate all").catch(() => {});
}

/** Whether work failed because a table has changed; every connection then discards its prepared statements. */
export function foundOutdated(client: pg.ClientBase, error: unknown): boolean {
  if (!isOutdated(error)) return false;
  if (broughtUpTo.get(client) === changes) changes += 1;
  return true;
}

/**
 * Lends a connection to work that is its own transaction. If that work fails because a table has changed, nothing was written and it runs
 * once more.
 * @param take returns a connection of the pool
 * @param isLost whether a connection must not return to the pool after this error
 */
export async function lend<T>(
  take: (fresh: boolean) => Promise<pg.PoolClient>,
  isLost: (error: unknown) => boolean,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  for (let fresh = false; ; fresh = true) {
    const client = await take(fresh);
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      const repeats = foundOutdated(client, error) && !fresh;
      client.release(!repeats && isLost(error));
      if (!repeats) throw error;
    }
  }
}
