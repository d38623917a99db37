import pg from "pg";
import type { Config } from "../../config/config.ts";
import type { RequestStore } from "../../request/context.ts";
import { countStatements } from "../../request/statement-count.ts";
import { type Bound, type Row, statement } from "../../sql/statement.ts";
import { PURPOSE } from "./connections.ts";
import { enter, isBroken, onConnection, type PoolSettings, poolOf, queryUnbound, translated } from "./database.ts";
import { sendAlone } from "./flush.ts";
import { lend } from "./prepared.ts";

/** How often each server is asked how far it is, and how long a replica may take to answer that, in milliseconds. */
const INTERVAL = 1000;
const PATIENCE = 2000;

/** Binds as `enter` does, and fails unless the server is a replica that has reached a position: PostgreSQL then skips the rest. */
const ENTER =
  statement(`select set_config('app.organisation_id', $1::uuid::text, true), set_config('transaction_read_only', 'on', true),
  1 / (pg_is_in_recovery() and coalesce(pg_last_wal_replay_lsn() >= $2::pg_lsn, false))::int`);
const POSITION = statement("select pg_current_wal_insert_lsn()::text as position");
const PRIMARY = statement(
  "select pg_current_wal_insert_lsn()::text as position, system_identifier::text as cluster from pg_control_system()",
);
/** A server that is no replica has no position. */
const REPLICA = `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as position,
  system_identifier::text as cluster from pg_control_system()`;

interface Standing {
  /** In PostgreSQL's log, such as `16/B374D848`. */
  position: string | null;
  /** The identifier that a primary and its replicas share. */
  cluster: string;
}

/** A position as a number, to compare. */
const numberOf = (position: string): bigint => {
  const [high = "0", low = "0"] = position.split("/");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
};

/** The later of two positions. */
export const later = (one: string, other: string): string => (numberOf(one) >= numberOf(other) ? one : other);

/** A client's socket, which pg does not show. */
interface Connected {
  connection: { stream: { destroy(): void } };
}

/** What replicas need: `databaseReadLag` is how far one may be behind the primary to answer anyone, in milliseconds. */
type Settings = PoolSettings & Pick<Config, "databaseReadLag">;

type Report = (replica: string, reason: string | null) => void;

/** A replica with its connections. */
class Replica {
  readonly #url: string;
  readonly #name: string;
  readonly #pool: pg.Pool;
  readonly #clients = new Set<pg.Client>();
  readonly #report: Report;
  readonly #lag: number;
  #probe: pg.Client | undefined;
  /** Why it answers no one; null while it does, undefined before it was asked. */
  #reason: string | null | undefined;

  constructor(url: string, settings: Settings, report: Report) {
    const { host, pathname, searchParams } = new URL(url.replace("@/", "@socket/"));
    this.#url = url;
    this.#name = `${searchParams.get("host") ?? host}${pathname}`;
    this.#report = report;
    this.#lag = settings.databaseReadLag;
    this.#pool = poolOf(url, settings, PATIENCE);
    this.#pool.on("connect", (client) => this.#clients.add(client));
    this.#pool.on("remove", (client) => this.#clients.delete(client));
    this.#pool.on("error", () => {});
  }

  get isUsable(): boolean {
    return this.#reason === null;
  }

  read(bound: readonly Bound[]): Promise<pg.QueryResult[]> {
    return lend(
      async () => this.#pool.connect(),
      (error) => isBroken(translated(error)),
      (client) => sendAlone(client, bound),
    );
  }

  /** Asks how far it is. @param floor the position that it has to have reached */
  async look({ cluster }: Standing, floor: string): Promise<void> {
    try {
      const standing = await this.#standing();
      if (standing.cluster !== cluster) this.#note("it is a copy of another database");
      else if (standing.position === null) this.#note("it is no replica");
      else if (numberOf(standing.position) < numberOf(floor)) this.#note(`it is more than ${this.#lag} ms behind`);
      else this.#note(null);
    } catch (error) {
      const probe = this.#probe;
      this.#probe = undefined;
      probe?.end().catch(() => {});
      this.#note((error as Error).message);
      // A server that no longer answers keeps its callers waiting: they read from the primary.
      for (const client of this.#clients) (client as unknown as Connected).connection.stream.destroy();
    }
  }

  async close(): Promise<void> {
    this.#probe?.end().catch(() => {});
    await this.#pool.end();
  }

  async #standing(): Promise<Standing> {
    if (!this.#probe) {
      const probe = new pg.Client({
        connectionString: this.#url,
        application_name: PURPOSE.requests,
        connectionTimeoutMillis: PATIENCE,
        query_timeout: PATIENCE,
      });
      probe.on("error", () => {});
      this.#probe = probe;
      await probe.connect();
    }
    return (await this.#probe.query<Standing>(REPLICA)).rows[0] as Standing;
  }

  #note(reason: string | null): void {
    if (reason !== this.#reason) this.#report(this.#name, reason);
    this.#reason = reason;
  }
}

/** The replicas of the database, and how far they have to be. */
class Replicas {
  readonly #replicas: readonly Replica[];
  readonly #timer: NodeJS.Timeout;
  readonly #lag: number;
  /** Positions of the primary, the oldest first: one of at least the lag ago, and all since then. */
  #passed: { at: number; position: string }[] = [];
  #looking: Promise<void> | undefined;
  #turn = 0;

  constructor(urls: readonly string[], settings: Settings, report: Report) {
    this.#lag = settings.databaseReadLag;
    this.#replicas = urls.map((url) => new Replica(url, settings, report));
    this.#timer = setInterval(() => this.look(), INTERVAL).unref();
    this.look();
  }

  /** Asks all servers how far they are, unless it still does. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** The position that a replica has to have reached; undefined before the primary has answered. */
  floor(after: string | null): string | undefined {
    const floor = this.#passed[0]?.position;
    return floor && after !== null ? later(floor, after) : floor;
  }

  /** A replica that answers, each in its turn. */
  next(): Replica | undefined {
    const usable = this.#replicas.filter(({ isUsable }) => isUsable);
    this.#turn += 1;
    return usable[this.#turn % usable.length];
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  async #look(): Promise<void> {
    const [primary] = await queryUnbound<Standing>(PRIMARY).catch(() => []);
    if (!primary?.position) return;
    const now = performance.now();
    this.#passed.push({ at: now, position: primary.position });
    while ((this.#passed[1]?.at ?? now) <= now - this.#lag) this.#passed.shift();
    const floor = this.floor(null) as string;
    await Promise.all(this.#replicas.map((replica) => replica.look(primary, floor)));
  }
}

let replicas: Replicas | undefined;

/**
 * Opens the pools to the replicas of the database.
 * @param report receives why a replica answers no one any more; null once it answers again
 */
export function openReplicas(urls: readonly string[], settings: Settings, report: Report): void {
  replicas = new Replicas(urls, settings, report);
}

export async function closeReplicas(): Promise<void> {
  const closing = replicas;
  replicas = undefined;
  await closing?.close();
}

/** How far the primary's log is after all that has been committed. */
export async function currentPosition(): Promise<string> {
  const [row] = await queryUnbound<{ position: string }>(POSITION);
  return (row as { position: string }).position;
}

/** Proves the principal current on the primary, which alone knows the last change of someone's access. @throws StaleAccess */
const confirm = (store: RequestStore): Promise<unknown> =>
  onConnection((client) => sendAlone(client, [enter(store, true)]), store.freshPlans);

/**
 * Sends reads to a replica, in one message that also compares how far it is, and returns the rows of each. Meanwhile the primary confirms
 * the principal. Returns null, and leaves the rest of the request to the primary, if no replica is far enough or the replica fails in any
 * way.
 * @throws StaleAccess if access has changed
 */
export async function readFromReplica(
  store: RequestStore,
  reading: NonNullable<RequestStore["replica"]>,
  bound: readonly Bound[],
): Promise<Row[][] | null> {
  const replica = (reading.chosen ??= replicas?.next()) as Replica | undefined;
  const floor = replicas?.floor(reading.after);
  const confirmed = replica?.isUsable && floor && store.guarded && !store.verified ? confirm(store) : null;
  confirmed?.catch(() => {});
  const results =
    replica?.isUsable && floor ? await replica.read([[ENTER, [store.organisation.id, floor]], ...bound]).catch(() => null) : null;
  if (!results) {
    store.replica = undefined;
    return null;
  }
  await confirmed;
  store.verified = true;
  countStatements(bound.length);
  return results.slice(1).map(({ rows }) => rows);
}
