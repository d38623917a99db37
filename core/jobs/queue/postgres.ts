import { PostgresJobRepository } from "@agendajs/postgres-backend";
import type { JobParameters, JobState, JobWithState } from "agenda";
import pg from "pg";
import { CLIENT_CHECK, JOB_CONNECTIONS, PURPOSE } from "../../database/connection/connections.ts";
import { bringUpToDate, lend } from "../../database/connection/prepared.ts";
import { type Statement, statement } from "../../sql/statement.ts";
import { Gathering } from "../gathering.ts";
import type { QueuedData, QueuedJob } from "../store.ts";
import type { Backlog, End, JobFilter, Table } from "./table.ts";

const TIMESTAMPTZ = 1184;
/** Agenda expects instants as Date, everything else as text. */
const asDates = {
  getTypeParser: (oid: number, format?: "text") =>
    oid === TIMESTAMPTZ ? (text: string) => new Date(text) : pg.types.getTypeParser(oid, format),
} as unknown as pg.CustomTypesConfig;

const SESSION = [
  ...["search_path=jobs,public", "timezone=UTC", "jit=off", "statement_timeout=30000", "synchronous_commit=off"],
  `client_connection_check_interval=${CLIENT_CHECK}`,
];

const DUE = statement(`select n.name, least(
    (select min(a.next_run_at) from jobs.agenda_jobs a where a.name = n.name and not a.disabled and a.locked_at is null and a.next_run_at <= $4),
    (select $3::timestamptz from jobs.agenda_jobs a where a.name = n.name and not a.disabled and a.locked_at is not null
      and a.locked_at <= $3::timestamptz - n.lock * interval '1 ms' limit 1)) as due,
    (select min(a.next_run_at) from jobs.agenda_jobs a where a.name = n.name and not a.disabled and a.locked_at is null
      and a.next_run_at > $3::timestamptz and a.next_run_at <= $4) as later
  from unnest($1::text[], $2::bigint[]) n(name, lock)`);
const TOUCH = statement("update jobs.agenda_jobs set locked_at = $2 where id = any($1::uuid[]) and locked_at is not null");
const FIELDS = [
  ...(["name", "priority", "nextRunAt", "type", "lockedAt", "lastFinishedAt", "failedAt", "failCount", "failReason"] as const),
  ...(["repeatTimezone", "lastRunAt", "repeatInterval", "data", "repeatAt", "disabled", "progress", "fork"] as const),
  ...(["lastModifiedBy", "debounceStartedAt", "startDate", "endDate", "skipDays"] as const),
] satisfies (keyof JobParameters)[];
const columnOf = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** A row of the table as Agenda's own type of a job. */
const JOB = ['a.id as "_id"', ...FIELDS.map((field) => `a.${columnOf(field)} as "${field}"`)].join(", ");
/**
 * Each part uses its own index: as one condition, every claim would sort all waiting jobs. What people wait for comes before what clocks
 * set off, unless the longest due are asked for (`$6`). Unnamed, so that PostgreSQL plans it for as many
 * jobs as wait now; a plan made while few waited would read them all.
 */
const CLAIM = `with expired as (
    select id from jobs.agenda_jobs where name = $1 and not disabled and locked_at is not null and locked_at <= $3
     order by locked_at limit $5 for update skip locked
  ), awaited as (
    select id from jobs.agenda_jobs where name = $1 and not disabled and locked_at is null and next_run_at <= $2 and not data ? 'clock'
     order by next_run_at limit case when $6 then 0 else $5 - (select count(*) from expired) end for update skip locked
  ), due as (
    select id from jobs.agenda_jobs where name = $1 and not disabled and locked_at is null and next_run_at <= $2
       and id <> all(array(select id from awaited))
     order by next_run_at, priority desc limit $5 - (select count(*) from expired) - (select count(*) from awaited) for update skip locked
  )
  update jobs.agenda_jobs a set locked_at = $2, last_run_at = $2, last_modified_by = $4
   where a.id = any(array(select id from expired union all select id from awaited union all select id from due)) returning ${JOB}`;
const END = statement("select jobs.finish_all($1, $2) as handed");

/** Agenda's `computeJobState` in SQL. */
const FAILED = "a.failed_at is not null and (a.last_finished_at is null or a.failed_at >= a.last_finished_at)";
const STATE = `case when a.locked_at is not null then 'running' when ${FAILED} then 'failed' when a.repeat_interval is not null then 'repeating'
  when a.next_run_at > now() then 'scheduled' when a.next_run_at <= now() then 'queued' else 'completed' end`;
const MOST = 100_000;

/** A page of the jobs that meet a condition, and how many meet it. */
const pageOf = (condition: string, order = "a.next_run_at nulls last, a.id"): Statement =>
  statement(`with found as materialized (
      select a.id from jobs.agenda_jobs a where ($1::text is null or a.name = $1) and ${condition} order by ${order} limit ${MOST})
    select ${JOB}, ${STATE} as state, (select count(*) from found)::int as total
      from jobs.agenda_jobs a where a.id = any(array(select id from found limit $2 offset $3)) order by ${order}`);
const inState = (state: JobState): Statement => pageOf(`(${STATE}) = '${state}'`);
const ALL = pageOf("true");
const PAGES: Readonly<Record<JobFilter, Statement>> = {
  running: pageOf("a.locked_at is not null"),
  queued: inState("queued"),
  scheduled: inState("scheduled"),
  repeating: inState("repeating"),
  completed: inState("completed"),
  failed: inState("failed"),
  paused: pageOf("a.disabled"),
  dead: pageOf("a.failed_at is not null and a.next_run_at is null and a.locked_at is null", "a.failed_at desc, a.id"),
};
/** Each part reads the end of an index that has its jobs, and no more than the limit. */
const BACKLOG = statement(`select q.name::text, count(*) filter (where q.state = 'due')::int as due,
    count(*) filter (where q.state = 'running')::int as running, count(*) filter (where q.state = 'waiting')::int as waiting,
    count(*) filter (where q.state = 'dead')::int as dead,
    coalesce(extract(epoch from now() - min(q.at) filter (where q.state = 'due')), 0)::float8 as oldest_seconds
  from ((select name, 'due' as state, next_run_at as at from jobs.agenda_jobs
          where next_run_at <= now() and locked_at is null and not disabled order by next_run_at limit ${MOST})
        union all (select name, 'waiting', null from jobs.agenda_jobs
          where next_run_at > now() and locked_at is null and not disabled order by next_run_at limit ${MOST})
        union all (select name, 'running', null from jobs.agenda_jobs where locked_at is not null limit ${MOST})
        union all (select name, 'dead', null from jobs.agenda_jobs
          where failed_at is not null and next_run_at is null and locked_at is null limit ${MOST})) q
 group by q.name order by q.name`);

/** Agenda omits empty fields of a job, except the next run. */
const withoutNulls = (row: JobParameters): JobParameters =>
  Object.fromEntries(Object.entries(row).filter(([field, value]) => value !== null || field === "nextRunAt")) as never;

/** The longest due first, as Agenda starts them: the statement returns them in any order. */
const byDueTime = (one: JobParameters, other: JobParameters): number =>
  Number(one.nextRunAt) - Number(other.nextRunAt) || other.priority - one.priority;

const isClocks = ({ data }: JobParameters): number => Number((data as Partial<QueuedData> | undefined)?.clock === true);
const awaitedFirst = (one: JobParameters, other: JobParameters): number =>
  isClocks(one) - isClocks(other) || byDueTime(one, other);

/** Agenda's jobs in the schema `jobs` of this database. */
export class PostgresTable implements Table {
  readonly own = true;
  readonly repository: PostgresJobRepository;
  readonly #pool: pg.Pool;

  constructor(url: string, onTrouble: (error: Error) => void) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: JOB_CONNECTIONS,
      pipeline: true,
      application_name: PURPOSE.jobs,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 60_000,
      types: asDates,
      options: SESSION.map((setting) => `-c ${setting}`).join(" "),
    } as pg.PoolConfig);
    this.#pool.on("error", onTrouble);
    this.#pool.on("connect", (client) => client.on("error", () => {}));
    this.repository = new PostgresJobRepository({ pool: this.#pool, ensureSchema: false });
  }

  /** Named statements keep their plans; when a column was added, they are prepared again. */
  async #query<T>(asked: { text: string; name?: string }, values: unknown[], types = asDates): Promise<T[]> {
    const take = async (fresh: boolean) => {
      const client = await this.#pool.connect();
      bringUpToDate(client, fresh);
      return client;
    };
    const { rows } = await lend(
      take,
      () => true,
      (client) => client.query({ ...asked, values, types }),
    );
    return rows as T[];
  }

  /** Uses the connections of the jobs, so it never waits for those that requests hold. */
  readonly ask: NonNullable<Table["ask"]> = (text, values) => this.#query(text, [...values], pg.types);

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
    const rows = await this.#query<{ name: string; due: Date | null; later: Date | null }>(DUE, values);
    const momentsOf = (due: Date, later: Date | null) =>
      later && later > due ? [due.getTime(), later.getTime()] : [due.getTime()];
    return new Map(rows.flatMap(({ name, due, later }) => (due ? [[name, momentsOf(due, later)] as const] : [])));
  }

  async touch(ids: readonly string[], at: Date): Promise<void> {
    await this.#query(TOUCH, [ids, at]);
  }

  readonly mostClaimed = 100;

  async claim(name: string, now: Date, deadline: Date, node: string, most: number, byTime: boolean): Promise<JobParameters[]> {
    const rows = await this.#query<JobParameters>({ text: CLAIM }, [name, now, deadline, node, most, byTime]);
    return rows.map(withoutNulls).toSorted(byTime ? byDueTime : awaitedFirst);
  }

  /** Ends that come together share a statement: each of its own would wait for the disk. */
  end(end: End): Promise<readonly QueuedJob[] | undefined> {
    return this.#ends.add(end);
  }

  readonly #ends = new Gathering<End, readonly QueuedJob[] | undefined>(async (ends) => {
    const ordered = ends.flatMap((end) => end.ordered ?? []);
    const [row] = await this.#query<{ handed: QueuedJob[] }>(END, [ends.map(({ id }) => id), ordered]);
    return [row?.handed ?? []];
  });

  missing = async (): Promise<string[]> => [];

  async page({ name, state, limit, skip = 0 }: Parameters<Table["page"]>[0]): ReturnType<Table["page"]> {
    const values = [name ?? null, limit, skip];
    const rows = await this.#query<JobWithState & { total: number }>(state === undefined ? ALL : PAGES[state], values);
    return { jobs: rows.map(({ total: _total, ...row }) => withoutNulls(row) as JobWithState), total: rows[0]?.total ?? 0 };
  }

  backlog = (): Promise<Backlog[]> => this.#query<Backlog>(BACKLOG, []);
}
