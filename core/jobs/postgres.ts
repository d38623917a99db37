import { PostgresJobRepository } from "@agendajs/postgres-backend";
import type { JobParameters } from "agenda";
import pg from "pg";
import { bringUpToDate, lend } from "../database/prepared.ts";
import { statement } from "../database/statement.ts";
import type { Table } from "./table.ts";

const TIMESTAMPTZ = 1184;
/** Agenda wants instants as Date, the rest of the house as text. */
const types = {
  getTypeParser: (oid: number, format?: "text") =>
    oid === TIMESTAMPTZ ? (text: string) => new Date(text) : pg.types.getTypeParser(oid, format),
} as unknown as pg.CustomTypesConfig;

const CONNECTIONS = 5;
const DUE = statement(`select n.name, least(
    (select min(a.next_run_at) from jobs.agenda_jobs a where a.name = n.name and not a.disabled and a.locked_at is null and a.next_run_at <= $4),
    (select $3::timestamptz from jobs.agenda_jobs a where a.name = n.name and not a.disabled and a.locked_at is not null
      and a.locked_at <= $3::timestamptz - n.lock * interval '1 ms' limit 1)) as due,
    (select min(a.next_run_at) from jobs.agenda_jobs a where a.name = n.name and not a.disabled and a.locked_at is null
      and a.next_run_at > $3::timestamptz and a.next_run_at <= $4) as later
  from unnest($1::text[], $2::bigint[]) n(name, lock)`);
const TOUCH = statement("update jobs.agenda_jobs set locked_at = $2 where id = any($1::uuid[]) and locked_at is not null");
/** The end of a job is the one thing about it that must survive a crash of the server: lost locks and starts only make it run again. */
const REMOVE = statement(
  "delete from jobs.agenda_jobs where id = $1 and set_config('synchronous_commit', 'on', true) is not null",
);

/** Agenda's jobs in the schema `jobs` of this database. */
export class PostgresTable implements Table {
  readonly own = true;
  readonly repository: PostgresJobRepository;
  readonly #pool: pg.Pool;

  constructor(url: string, onTrouble: (error: Error) => void) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: CONNECTIONS,
      pipeline: true,
      application_name: "kantoor jobs",
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 60_000,
      options:
        "-c search_path=jobs -c timezone=UTC -c plan_cache_mode=force_generic_plan -c jit=off -c statement_timeout=30000 -c synchronous_commit=off",
      types,
    } as pg.PoolConfig);
    this.#pool.on("error", onTrouble);
    this.#pool.on("connect", (client) => client.on("error", () => {}));
    const take = async (anew: boolean) => {
      const client = await this.#pool.connect();
      bringUpToDate(client, anew);
      return client;
    };
    // Agenda's texts are few and run for ever: with a name PostgreSQL keeps their plans.
    const query = (text: string, values: unknown[] = []) =>
      lend(
        take,
        () => true,
        (client) => client.query({ ...statement(text), values }),
      );
    Object.assign(this.#pool, { query });
    this.repository = new PostgresJobRepository({ pool: this.#pool, ensureSchema: false });
  }

  async connect(): Promise<void> {}

  async disconnect(): Promise<void> {
    await this.#pool.end();
  }

  async put(): Promise<void> {}

  async dueNames(
    locks: ReadonlyMap<string, number>,
    now: number,
    until: number,
  ): Promise<ReadonlyMap<string, readonly number[]>> {
    const values = [[...locks.keys()], [...locks.values()], new Date(now), new Date(until)];
    const { rows } = await this.#pool.query<{ name: string; due: Date | null; later: Date | null }>(DUE.text, values);
    const momentsOf = (due: Date, later: Date | null) =>
      later && later > due ? [due.getTime(), later.getTime()] : [due.getTime()];
    return new Map(rows.flatMap(({ name, due, later }) => (due ? [[name, momentsOf(due, later)] as const] : [])));
  }

  async touch(ids: readonly string[], at: Date): Promise<void> {
    await this.#pool.query(TOUCH.text, [ids, at]);
  }

  async remove({ _id: id }: JobParameters): Promise<void> {
    await this.#pool.query(REMOVE.text, [id]);
  }

  missing = async (): Promise<string[]> => [];
}
