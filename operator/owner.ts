import pg from "pg";
import { translated } from "../core/database/connection/database.ts";
import { refusal } from "../core/errors/errors.ts";
import { countStatements, uncounted } from "../core/request/statement-count.ts";

/** Most connections as the owner of the tables; instance administrators are few. */
const MOST = 3;

/** A connection that counts its statements for the current request. */
class CountingClient extends pg.Client {
  override query(...given: unknown[]): never {
    countStatements(1);
    return (super.query as (...all: unknown[]) => never)(...given);
  }
}

let pool: pg.Pool | undefined;
let url: string | undefined;

/** Lets this process work as the role that owns the tables. It connects on first use. */
export function openOwner(ownerUrl: string, onError: (error: Error) => void): void {
  url = ownerUrl;
  pool = new pg.Pool({
    Client: CountingClient as never,
    connectionString: ownerUrl,
    max: MOST,
    idleTimeoutMillis: 30_000,
    application_name: "kantoor instance",
    options: "-c timezone=UTC -c lock_timeout=10000",
  });
  pool.on("error", (error) => pool && onError(error));
}

export async function closeOwner(): Promise<void> {
  const closing = pool;
  pool = undefined;
  url = undefined;
  await closing?.end();
}

/** Whether this process works as the owner of the tables. */
export const isOwner = (): boolean => url !== undefined;

/** Address of the database as the owner of the tables. @throws 503 on a node that has only the application role */
export function ownerUrl(): string {
  if (url === undefined) throw refusal("unavailable");
  return url;
}

/**
 * Runs work as the owner of the tables, in one transaction. Row-level security shows it every organisation, so the work itself limits what it
 * reads.
 * @throws 503 on a node that has only the application role, and while PostgreSQL is away
 */
export async function asOwner<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  if (!pool) throw refusal("unavailable");
  let broken: Error | undefined;
  const client = await pool.connect().catch((error: unknown) => {
    throw translated(error);
  });
  // Without a listener a connection that PostgreSQL ends during the work would end the process.
  const onLost = (error: Error) => void (broken = error);
  client.on("error", onLost);
  try {
    await uncounted(() => client.query("begin"));
    const made = await work(client);
    await uncounted(() => client.query("commit"));
    return made;
  } catch (error) {
    await client.query("rollback").catch((lost: Error) => (broken = lost));
    throw translated(error);
  } finally {
    client.off("error", onLost);
    client.release(broken);
  }
}
