import pg from "pg";
import type { Config } from "../../config/config.ts";
import { refusal } from "../../errors/errors.ts";
import { currentRequest, type RequestStore } from "../../request/context.ts";
import { countStatements } from "../../request/statement-count.ts";
import { isoInstant } from "../../sql/json-rows.ts";
import { type Bound, type Row, type Statement, statement } from "../../sql/statement.ts";
import { FULL_DISK_RETRY, isFullDisk, meetsFullDisk } from "../../values/full-disk.ts";
import { Turns } from "../../values/turns.ts";
import { CLIENT_CHECK, PURPOSE } from "./connections.ts";
import { bringUpToDate, lend } from "./prepared.ts";
import { timed } from "./slow-statements.ts";

/** The request's principal no longer matches the database; the gateway reloads it and repeats the call. */
export class StaleAccess extends Error {
  override name = "StaleAccess";
  constructor() {
    super("the access revision has moved on");
  }
}

pg.types.setTypeParser(1082, (value) => value); // date: stays YYYY-MM-DD
pg.types.setTypeParser(1184, isoInstant); // timestamptz: ISO 8601

const BIND = "set_config('app.organisation_id', $1::uuid::text, true)";
/** The check of `enter_organisation` against the row that binding makes visible. The function itself is called only to refuse. */
const BIND_CURRENT = `case when ${BIND} <> '' and not exists (select from organisations where id = $1 and access_revision = $2)
  then enter_organisation($1, $2, false)::text end`;
/** Binds, and returns the revision for caches that are valid for one: the service's own work checks none. */
const BIND_ANY = `case when ${BIND} <> '' then (select access_revision::text from organisations where id = $1) end as revision`;
const READ_ONLY = "set_config('transaction_read_only', 'on', true)";

/**
 * What `enter_organisation` does, as prepared statements. PostgreSQL sets up a function with its owner's rights again in each transaction,
 * which took a tenth of its time for reading a row by id.
 */
const ENTER = {
  write: { current: statement(`select ${BIND_CURRENT}`), any: statement(`select ${BIND_ANY}`) },
  read: { current: statement(`select ${BIND_CURRENT}, ${READ_ONLY}`), any: statement(`select ${BIND}, ${READ_ONLY}`) },
};

/**
 * Settings of every connection. Our statements are prepared once and run forever, but PostgreSQL's automatic plan choice keeps replanning
 * them: a list of 50 took 2.8 ms that way, 1.0 ms with the generic plan (the one the plan test checks).
 * A generic plan is costed for the largest organisation, so it starts parallel workers for everyone, 8 ms before the first row. Without
 * them the first page of contact moments took 1.2 ms instead of 10; only counts and full sorts of a million rows get slower (1.8 times).
 * For the same reason no plan may scan a whole table if an index begins with the organisation. The scan is cheaper for a large
 * organisation, but every small one then paid for all rows: a sort of 10,000 hours next to a million took 110 to 175 ms.
 */
const SESSION = [
  "timezone=UTC",
  "plan_cache_mode=force_generic_plan",
  "jit=off",
  "max_parallel_workers_per_gather=0",
  "enable_seqscan=off",
  "idle_in_transaction_session_timeout=60000",
  `client_connection_check_interval=${CLIENT_CHECK}`,
];

/** Longest run time of one statement, in ms, unless requests may take longer. */
const STATEMENT = 30_000;

/** Longest wait of a statement for a lock, and of a request for a connection, in ms; a third of the request timeout if that is more. */
const WAIT = 10_000;

let waited: ((milliseconds: number) => void) | null = null;

/** Reports how long each piece of work waited for a connection; null ends the reports. */
export function onWaited(listener: typeof waited): void {
  waited = listener;
}

/** What a pool needs: `requestTimeout` in ms. */
export type PoolSettings = Pick<Config, "databasePool"> & { requestTimeout?: number };

/** Longest wait for a lock or a connection, in ms. */
const waitOf = ({ requestTimeout = 0 }: PoolSettings): number => Math.max(WAIT, Math.ceil(requestTimeout / 3));

/**
 * Makes a pool of connections to one server, which connects on first use.
 * @param wait longest wait for a connection, in ms; by default that for a lock
 */
export function poolOf(url: string, settings: PoolSettings, wait = waitOf(settings)): pg.Pool {
  const { databasePool, requestTimeout = 0 } = settings;
  const session = [...SESSION, `statement_timeout=${Math.max(STATEMENT, requestTimeout)}`, `lock_timeout=${waitOf(settings)}`];
  const made = new pg.Pool({
    connectionString: url,
    max: databasePool,
    pipeline: true,
    connectionTimeoutMillis: wait,
    idleTimeoutMillis: 60_000,
    application_name: PURPOSE.requests,
    options: session.map((setting) => `-c ${setting}`).join(" "),
  } as pg.PoolConfig);
  // When the server goes down, pg reports it to the statement in progress. Without one, this listener prevents an uncaught error event.
  made.on("connect", (client) => client.on("error", () => {}));
  return made;
}

/** The holder of connections for work of no organisation, such as looking up a session. */
const NOBODY = "";

let pool: pg.Pool | undefined;
/** Turns at the connections of the pool: one organisation with many requests delays no other, nor takes the last connection. */
let turns: Turns | undefined;
/** Who has which connection. */
const holders = new WeakMap<pg.PoolClient, string>();
let patience = WAIT;
let url: string | undefined;

/** Address of the open database, for code that opens its own connections. @throws Error before it is opened */
export function databaseUrl(): string {
  if (url === undefined) throw new Error("the database is not open");
  return url;
}

/** Opens the pool of this process, which connects on first use. */
export function openDatabase(config: PoolSettings & { databaseUrl: string }, onError: (error: Error) => void): pg.Pool {
  url = config.databaseUrl;
  patience = waitOf(config);
  const own = new Turns({ total: config.databasePool, keepsOne: config.databasePool > 1 });
  turns = own;
  pool = poolOf(config.databaseUrl, config);
  // A server that goes down while we close needs no report.
  pool.on("error", (error) => pool && onError(error));
  pool.on("release", (_error, client) => {
    const holder = holders.get(client);
    holders.delete(client);
    if (holder !== undefined) own.over(holder);
  });
  return pool;
}

export async function closeDatabase(): Promise<void> {
  const closing = pool;
  turns?.refuseWaiting();
  [pool, turns] = [undefined, undefined];
  await closing?.end();
}

/** Whether this process can send statements. Commands that use the database only as its owner never open the pool. */
export const databaseIsOpen = (): boolean => pool !== undefined;

/** Connections of this node's pool by state, and the number of requests that wait for one. */
export function poolFigures(): { idle: number; busy: number; waiting: number } {
  const [idle = 0, total = 0] = [pool?.idleCount, pool?.totalCount];
  return { idle, busy: total - idle, waiting: (pool?.waitingCount ?? 0) + (turns?.waiting ?? 0) };
}

const lateForTurn = () => new Error("timeout exceeded when trying to connect");

/**
 * Returns a connection of the pool when it is the turn of the current request's organisation; the caller releases it. An unreachable server
 * is a 503, not an internal error.
 * @param fresh discard all prepared statements of the connection first
 */
export async function connect(fresh = false): Promise<pg.PoolClient> {
  if (!pool || !turns) throw new Error("the database is not open");
  const [from, own, holder] = [pool, turns, currentRequest()?.organisation.id ?? NOBODY];
  const began = waited ? performance.now() : 0;
  try {
    if (!own.takes(holder)) await own.take(holder, { refusal: lateForTurn, timeout: patience });
    const client = await from.connect().catch((error: unknown) => {
      own.over(holder);
      throw error;
    });
    holders.set(client, holder);
    waited?.(performance.now() - began);
    bringUpToDate(client, fresh);
    return client;
  } catch (error) {
    throw unavailable(error);
  }
}

/** Lends a connection to work that is its own transaction (`lend`). @param fresh discard its prepared statements first */
export async function onConnection<T>(work: (client: pg.PoolClient) => Promise<T>, fresh = false): Promise<T> {
  try {
    return await lend(
      (again) => connect(fresh || again),
      (error) => isBroken(translated(error)),
      work,
    );
  } catch (error) {
    throw translated(error);
  }
}

/** The statement that binds a transaction to the organisation and refuses it if access has changed since the principal was read. */
export function enter({ guarded, organisation }: RequestStore, readOnly: boolean): Bound {
  const entering = ENTER[readOnly ? "read" : "write"];
  return guarded ? [entering.current, [organisation.id, organisation.revision]] : [entering.any, [organisation.id]];
}

/**
 * What says that the server went away or cannot be reached: SQLSTATE class 08 (connection) and 57P0 (shutdown), codes of the system for a
 * refused, broken or blocked connection or an unknown address, and messages of pg.
 */
const UNREACHABLE =
  /^(08|57P0)|ECONN(REFUSED|RESET|ABORTED)|E(HOST|NET)(UNREACH|DOWN)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EPIPE|timeout exceeded when trying to connect|Connection terminated|not queryable/;

/** A transaction that lost to another one: a deadlock or a serialisation failure. */
const LOST_RACE = new Set(["40001", "40P01"]);
/** A lock or statement timeout, or too many connections: a retry may well succeed. */
const BUSY = new Set(["55P03", "57014", "53300", ...LOST_RACE]);

/** Translates a driver error into what the caller may see: a stale principal, an unreachable or busy server, or the error itself. */
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

/** True when the connection itself failed and must not return to the pool. */
export const isBroken = (error: unknown): boolean =>
  error instanceof Error && (error as { type?: string }).type === "unavailable" && !isBusy(error) && !isFullDisk(error.cause);

/** True when the transaction lost to another one: all of it is rolled back, and it can run again. */
export const lostRace = (error: unknown): boolean => {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return [code, cause?.code].some((one) => LOST_RACE.has(one ?? ""));
};

/** True when the server is reachable but too busy to finish in time. */
export const isBusy = (error: unknown): boolean =>
  BUSY.has(((error as { cause?: { code?: string } } | null)?.cause?.code as string) ?? "");

/**
 * Runs one statement outside any organisation: row-level security then shows no tenant rows. For accounts, host names, rate limits
 * and health.
 */
export async function queryUnbound<T = Row>(text: Statement, values: readonly unknown[] = []): Promise<T[]> {
  return onConnection(async (client) => {
    countStatements(1);
    const asked = { text: text.text, name: text.name, values: values as unknown[] };
    const { rows } = await timed([[text, values]], () => client.query(asked));
    return rows as T[];
  });
}
