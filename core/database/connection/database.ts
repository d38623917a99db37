import pg from "pg";
import type { Config } from "../../config/config.ts";
import { refusal } from "../../declare/errors.ts";
import type { RequestStore } from "../../request/context.ts";
import { countStatements } from "../../request/statement-count.ts";
import { FULL_DISK_RETRY, isFullDisk, meetsFullDisk } from "../../values/full-disk.ts";
import { isoInstant } from "../json-rows.ts";
import { type Bound, type Row, type Statement, statement } from "../statement.ts";
import { bringUpToDate, lend } from "./prepared.ts";

/** The principal of this request is no longer what the database says; the gateway loads it again and repeats the call. */
export class StaleAccess extends Error {
  override name = "StaleAccess";
  constructor() {
    super("the access revision has moved on");
  }
}

pg.types.setTypeParser(1082, (value) => value); // date: stays YYYY-MM-DD
pg.types.setTypeParser(1184, isoInstant); // timestamptz: ISO 8601

const BIND = "set_config('app.organisation_id', $1::uuid::text, true)";
/** The condition of `enter_organisation` once more, asked of the row that binding lets be seen; the function is left to refuse. */
const BIND_CURRENT = `case when ${BIND} <> '' and not exists (select from organisations where id = $1 and access_revision = $2)
  then enter_organisation($1, $2, false)::text end`;
const READ_ONLY = "set_config('transaction_read_only', 'on', true)";

/**
 * What `enter_organisation` does, as planned statements: a function with rights of the owner is set up anew in each transaction, which was
 * a tenth of PostgreSQL's time for a row by its id.
 */
const ENTER = {
  write: { current: statement(`select ${BIND_CURRENT}`), any: statement(`select ${BIND}`) },
  read: { current: statement(`select ${BIND_CURRENT}, ${READ_ONLY}`), any: statement(`select ${BIND}, ${READ_ONLY}`) },
};

/**
 * Settings of every connection. Our texts are prepared once and run for ever, and PostgreSQL's own choice between plans keeps planning
 * them anew: a list of 50 took 2.8 ms so, 1.0 ms with the generic plan (which the plan test looks at). A generic plan is costed for the
 * largest organisation and starts parallel workers for everyone, 8 ms before the first row: without them the first page of contact moments
 * took 1.2 ms in place of 10, and only counts and full sorts of a million rows take longer (1.8 times). For the same reason no plan may scan a
 * whole table where an index begins with the organisation: costed for a large organisation that is the cheaper way, and each small one next
 * to it paid for all rows (a sort of 10,000 hours beside a million took 110 to 175 ms).
 */
const SESSION = [
  "timezone=UTC",
  "plan_cache_mode=force_generic_plan",
  "jit=off",
  "max_parallel_workers_per_gather=0",
  "enable_seqscan=off",
  "idle_in_transaction_session_timeout=60000",
];

/** Longest one statement takes, in ms, where a request may not take longer. */
const STATEMENT = 30_000;

/** Longest a statement waits for a lock, and a request for a connection, in ms; more where requests may take more than three times that. */
const WAIT = 10_000;

let pool: pg.Pool | undefined;
let url: string | undefined;

/** Address of the open database, for what needs connections of its own. @throws Error before it is opened */
export function databaseUrl(): string {
  if (url === undefined) throw new Error("the database is not open");
  return url;
}

/** Opens the pool of this process. Connections are made when first needed. */
export function openDatabase(
  config: Pick<Config, "databasePool"> & { databaseUrl: string; requestTimeout?: number },
  onError: (error: Error) => void,
): pg.Pool {
  url = config.databaseUrl;
  const most = config.requestTimeout ?? 0;
  const wait = Math.max(WAIT, Math.ceil(most / 3));
  const session = [...SESSION, `statement_timeout=${Math.max(STATEMENT, most)}`, `lock_timeout=${wait}`];
  pool = new pg.Pool({
    connectionString: config.databaseUrl,
    max: config.databasePool,
    pipeline: true,
    connectionTimeoutMillis: wait,
    idleTimeoutMillis: 60_000,
    application_name: "kantoor",
    options: session.map((setting) => `-c ${setting}`).join(" "),
  } as pg.PoolConfig);
  // A connection that is lent out when the server goes down tells the statement that waits on it; there may be none just then.
  pool.on("connect", (client) => client.on("error", () => {}));
  // While closing, a server that goes down first is no news.
  pool.on("error", (error) => pool && onError(error));
  return pool;
}

export async function closeDatabase(): Promise<void> {
  const closing = pool;
  pool = undefined;
  await closing?.end();
}

/** Whether statements can be sent at all: not from a command that looks at the database as its owner only. */
export const databaseIsOpen = (): boolean => pool !== undefined;

/** Connections of this node's pool by state, and the requests that wait for one. */
export function poolFigures(): { idle: number; busy: number; waiting: number } {
  const [idle = 0, total = 0] = [pool?.idleCount, pool?.totalCount];
  return { idle, busy: total - idle, waiting: pool?.waitingCount ?? 0 };
}

/** Whether more is asked of the database than it has connections for. */
export const connectionsAreWaitedFor = (): boolean => (pool?.waitingCount ?? 0) > 0;

/**
 * A connection of the pool; the caller releases it. A server that cannot be reached is a 503, not an internal error.
 * @param anew one that has prepared nothing yet
 */
export async function connect(anew = false): Promise<pg.PoolClient> {
  if (!pool) throw new Error("the database is not open");
  try {
    const client = await pool.connect();
    bringUpToDate(client, anew);
    return client;
  } catch (error) {
    throw unavailable(error);
  }
}

/** Lends a connection to work that is one transaction by itself (`lend`). @param anew one that has prepared nothing yet */
export async function onConnection<T>(work: (client: pg.PoolClient) => Promise<T>, anew = false): Promise<T> {
  try {
    return await lend(
      (again) => connect(anew || again),
      (error) => isBroken(translated(error)),
      work,
    );
  } catch (error) {
    throw translated(error);
  }
}

/** The statement that binds a transaction to the organisation, and refuses it when access has moved on since the principal was read. */
export function enter({ guarded, organisation }: RequestStore, readOnly: boolean): Bound {
  const entering = ENTER[readOnly ? "read" : "write"];
  return guarded ? [entering.current, [organisation.id, organisation.revision]] : [entering.any, [organisation.id]];
}

const UNREACHABLE =
  /^(08|57P0)|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|timeout exceeded when trying to connect|Connection terminated|not queryable/;

/** A transaction that lost to another one, by a deadlock or because it can no longer be put in order with it. */
const LOST_RACE = new Set(["40001", "40P01"]);
/** A lock or a statement that took too long, or too many connections: trying again may well succeed. */
const BUSY = new Set(["55P03", "57014", "53300", ...LOST_RACE]);

/** Turns what the driver threw into what the caller may know: a stale principal, an unreachable or busy server, or the error itself. */
export function translated(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: string }).code;
  if (code === "KT001") return new StaleAccess();
  if (meetsFullDisk(error)) return unavailable(error, FULL_DISK_RETRY);
  if (BUSY.has(code ?? "") || UNREACHABLE.test(code ?? "") || UNREACHABLE.test(error.message)) return unavailable(error);
  return error;
}

const unavailable = (cause: unknown, seconds = "1") =>
  Object.assign(refusal("unavailable", undefined, { headers: { "Retry-After": seconds } }), { cause });

/** True when the connection itself failed and must not go back to the pool. */
export const isBroken = (error: unknown): boolean =>
  error instanceof Error && (error as { type?: string }).type === "unavailable" && !isBusy(error) && !isFullDisk(error.cause);

/** True when another transaction got in the way: nothing is kept of this one, which can run again. */
export const lostRace = (error: unknown): boolean => {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return [code, cause?.code].some((one) => LOST_RACE.has(one ?? ""));
};

/** True when the server is there but could not do it in time. */
export const isBusy = (error: unknown): boolean =>
  BUSY.has(((error as { cause?: { code?: string } } | null)?.cause?.code as string) ?? "");

/**
 * Runs one statement outside of any organisation: row-level security then shows no tenant row at all. For accounts, host names,
 * rate limits and health.
 */
export async function queryUnbound<T = Row>(text: Statement, values: readonly unknown[] = []): Promise<T[]> {
  return onConnection(async (client) => {
    countStatements(1);
    const { rows } = await client.query({ text: text.text, name: text.name, values: values as unknown[] });
    return rows as T[];
  });
}
