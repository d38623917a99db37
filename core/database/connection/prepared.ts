import type pg from "pg";

/** What pg keeps of the statements that a connection has prepared. */
interface Prepared {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

const preparedOn = (client: pg.ClientBase): Prepared => (client as unknown as { connection: Prepared }).connection;

/** A prepared statement gave rows of another shape than it was described with: a pooler ran it where it had been prepared anew. */
export class ShapeChanged extends Error {
  override name = "ShapeChanged";
  constructor(statement: string) {
    super(`the columns of the prepared statement ${statement} have changed`);
  }
}

/**
 * True when a table has changed under a prepared statement, for instance by a column that a newer version added. PostgreSQL then refuses to
 * run the statement (0A000; that code also stands for other things, which would fail again, so we look at who says it: the words come in
 * the server's language), or an SQL function that gives rows of the table, where the change comes between its declaration and its body
 * (42P13). What the statement had begun is undone with its transaction.
 */
function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return (code === "0A000" && routine === "RevalidateCachedQuery") || code === "42P13" || error instanceof ShapeChanged;
}

/** How often this process has found a table changed, and the count that each connection was last brought up to. */
let changes = 0;
const broughtUpTo = new WeakMap<pg.ClientBase, number>();

/** How often this process has asked for new plans, and the count that each connection was last brought up to. */
let plannings = 0;
const plannedFor = new WeakMap<pg.ClientBase, number>();

/** Has every connection plan its prepared statements again before it is used next: the tables have outgrown the plans. */
export function planAgain(): void {
  plannings += 1;
}

/**
 * Prepares a connection that was just taken from a pool: what it has prepared from before the last change of a table is forgotten, here and
 * in PostgreSQL, since the other connections are as outdated as the one that found the change. The pool must be one with `pipeline`.
 * @param anew forget in any case. What is then prepared in a transaction holds its tables as they are, so it cannot be outdated again
 */
export function bringUpToDate(client: pg.ClientBase, anew: boolean): void {
  if (!anew && broughtUpTo.get(client) === changes) return void discardPlans(client);
  plannedFor.set(client, plannings);
  broughtUpTo.set(client, changes);
  const prepared = preparedOn(client);
  if (Object.keys(prepared.parsedStatements).length === 0) return;
  prepared.parsedStatements = {};
  prepared.submittedNamedStatements = {};
  // It goes ahead of what comes next, and is not waited for. It fails only with its connection, and so does what comes next.
  client.query("deallocate all").catch(() => {});
}

function discardPlans(client: pg.ClientBase): void {
  if (plannedFor.get(client) === plannings) return;
  plannedFor.set(client, plannings);
  // Like `deallocate all` it goes ahead of what comes next.
  client.query("discard plans").catch(() => {});
}

/** Whether the work on a connection failed because a table has changed; every connection then forgets what it has prepared. */
export function foundOutdated(client: pg.ClientBase, error: unknown): boolean {
  if (!isOutdated(error)) return false;
  if (broughtUpTo.get(client) === changes) changes += 1;
  return true;
}

/**
 * Lends a connection to work that is a transaction of its own. Work that finds a table changed has done nothing yet and runs once more.
 * @param take gives a connection of the pool
 * @param isLost whether a connection must not go back to the pool after this error
 */
export async function lend<T>(
  take: (anew: boolean) => Promise<pg.PoolClient>,
  isLost: (error: unknown) => boolean,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  for (let anew = false; ; anew = true) {
    const client = await take(anew);
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      const repeats = foundOutdated(client, error) && !anew;
      client.release(!repeats && isLost(error));
      if (!repeats) throw error;
    }
  }
}
