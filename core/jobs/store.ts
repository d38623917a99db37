import type pg from "pg";
import { onConnection, queryUnbound } from "../database/connection/database.ts";
import { columns } from "../database/model.ts";
import type { DomainEvent } from "../declare/events.ts";
import type { LicenceState } from "../declare/licence.ts";
import type { Organisation } from "../declare/principal.ts";
import { licenceOf, type StoredLicence } from "../organisation/licence-state.ts";
import { OrganisationModel, type OrganisationRow, organisationOf } from "../organisation/organisation.ts";
import { type Row, type Statement, statement } from "../sql/statement.ts";
import type { Facts } from "./definition.ts";

/** A job on its way into the queue. */
export interface QueuedJob {
  id: string;
  name: string;
  data: QueuedData;
  /** ISO instant from which it may run. */
  due: string;
}

/** The data of a queued job: kinds and ids only. */
export interface QueuedData {
  id: string;
  organisation: string;
  payload: Record<string, unknown>;
  due: string;
  key?: string;
  dedupe?: string;
  until?: "start" | "end";
  event?: string;
  /** The `traceparent` of the request that scheduled it, or of the first if several share it. Absent without traces. */
  trace?: string;
  /** Present if a clock set it off, directly or through other work. */
  clock?: true;
}

/** The store of Agenda's jobs: this database, or another one. */
export interface Queue {
  /** True when functions of this database add the jobs to the queue. */
  own: boolean;
  /** Runs statements on the connections of a queue in this database; without it they use the request pool. */
  ask?<T>(text: Statement, values: readonly unknown[]): Promise<T[]>;
  /** Adds jobs to an external queue. Can be repeated: it does not duplicate an existing job. */
  put(jobs: readonly QueuedJob[]): Promise<void>;
}

const RELAY = statement("select jobs.relay($1, $2) as result");
/** Takes the locks of the ordered queues in the order in which the functions of the queue take them. */
const BEGIN = statement(`select b.id, jobs.begin(b.id) as result from (
    select w.id from unnest($1::uuid[]) w(id)
      left join lateral (select o.name, o.key from jobs.ordered o where o.id = w.id offset 0) o on true
     order by hashtextextended(o.name || ' ' || o.key, 7315044), w.id offset 0) b`);
const FINISH = statement("select jobs.finish($1, $2, $3) as result");
const FAN_OUT = statement("select jobs.fan_out_due($1, $2, $3, $4::text[], $5, $6) as result");
const REPAIR = statement("select jobs.mend($1, $2) as result");
const LICENCE = `i.installed_at,
    (select coalesce(jsonb_agg(jsonb_build_object('module', module, 'expiresAt', expires_at, 'graceDays', grace_days)), '[]')
     from product_licences) as licences`;
const ORGANISATIONS = statement(`select ${columns(OrganisationModel, "o")}, ${LICENCE}
    from unnest($1::uuid[]) w(id) cross join lateral jobs.organisations(w.id) o cross join installation i`);
const INSTALLATION = statement(`select ${LICENCE}, null as plan, null as plan_ends_at from installation i`);
const IN_QUEUE = statement(
  "select id from jobs.ordered where coalesce(dead_at, handed_at) < now() - interval '30 seconds' limit 1000",
);
const DECLARE = statement(`insert into jobs.definitions as d (name, service, event, dedupe, facts)
  select f.facts ->> 'name', f.facts ->> 'service', f.facts ->> 'event', f.facts ->> 'dedupe', f.facts from jsonb_array_elements($1::jsonb) f(facts)
  on conflict (name) do update set service = excluded.service, event = excluded.event, dedupe = excluded.dedupe, facts = excluded.facts,
    seen_at = statement_timestamp()`);
/** Deletes definitions that no running version of these actors declares: a removed subscriber must not collect events forever. */
const RETRACT = statement(`delete from jobs.definitions where service = any($1::text[]) and not name = any($2::text[])
  and seen_at < now() - interval '10 minutes'`);
const SUBSCRIBED = statement(
  "select name, service, event from jobs.definitions where event is not null and seen_at > now() - interval '7 days' order by event, service",
);
const BEAT = statement(`insert into jobs.workers as w (node, figures) values ($1, $2)
  on conflict (node) do update set figures = excluded.figures, seen_at = statement_timestamp()`);

type Result = Row & { result: unknown };

/** Runs a function that may enqueue jobs; adds them to an external queue before the transaction commits. */
async function handing<T>(
  queue: Queue,
  run: (client: pg.ClientBase | null) => Promise<T>,
  jobsOf: (result: T) => readonly QueuedJob[],
): Promise<T> {
  if (queue.own) return run(null);
  return onConnection(async (client) => {
    try {
      await client.query("begin");
      const result = await run(client);
      const jobs = jobsOf(result);
      if (jobs.length > 0) await queue.put(jobs);
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      throw error;
    }
  });
}

const asking = (queue: Pick<Queue, "ask">): NonNullable<Queue["ask"]> => queue.ask ?? queryUnbound;

async function call<T>(
  text: Statement,
  values: readonly unknown[],
  client: pg.ClientBase | null,
  ask: NonNullable<Queue["ask"]> = queryUnbound,
): Promise<T> {
  const rows = client
    ? (await client.query<Result>({ text: text.text, name: text.name, values: values as unknown[] })).rows
    : await ask<Result>(text, values);
  return rows[0]?.result as T;
}

/** Moves committed work from the outbox to the queue. Returns the number of rows taken and the enqueued jobs. */
export const relay = (queue: Queue, most: number): Promise<{ taken: number; handed: QueuedJob[] }> =>
  handing(
    queue,
    (client) => call<{ taken: number; handed: QueuedJob[] }>(RELAY, [most, queue.own], client, asking(queue)),
    ({ handed }) => handed,
  );

/** Whether an ordered job may run now, and its event. */
export interface Turn {
  state: "run" | "done" | "wait";
  event: DomainEvent | null;
}

/** The turns of ordered jobs, in their order. */
export async function beginOrdered(queue: Queue, ids: readonly string[]): Promise<Turn[]> {
  const rows = await asking(queue)<{ id: string; result: Turn }>(BEGIN, [ids]);
  const turns = new Map(rows.map(({ id, result }) => [id, result]));
  return ids.map((id) => turns.get(id) as Turn);
}

/** Ends an ordered job and enqueues the next with its order key, if there is one. */
export async function finishOrdered(queue: Queue, id: string, isDead: boolean): Promise<QueuedJob | null> {
  return handing(
    queue,
    (client) => call<QueuedJob | null>(FINISH, [id, isDead, queue.own], client),
    (next) => (next ? [next] : []),
  );
}

/** Creates the jobs of one scheduled time, one per active organisation that the declaration chooses, unless that was done already. */
export const fanOut = (
  queue: Queue,
  { name, due, worksOn, spread }: Pick<Facts, "name" | "due" | "worksOn" | "spread">,
  moment: string,
): Promise<QueuedJob[]> =>
  handing(
    queue,
    (client) => call<QueuedJob[]>(FAN_OUT, [name, moment, due, worksOn, spread, queue.own], client, asking(queue)),
    (handed) => handed,
  );

/** Repairs ordered queues whose first job was lost. `missingOf` returns those ids that an external queue does not hold. */
export async function repair(queue: Queue, missingOf: (ids: string[]) => Promise<string[]>): Promise<QueuedJob[]> {
  const queued = queue.own ? [] : await queryUnbound<{ id: string }>(IN_QUEUE);
  const missing = queued.length === 0 ? [] : await missingOf(queued.map(({ id }) => id));
  return handing(
    queue,
    (client) => call<QueuedJob[]>(REPAIR, [missing, queue.own], client),
    (handed) => handed,
  );
}

/** An organisation with the licence that decides which of its jobs may run. */
export interface JobOrganisation {
  organisation: Organisation;
  licence: LicenceState;
}

/** The organisations of jobs, in their order; undefined for one that is deleted. */
export async function jobOrganisations(queue: Queue, ids: readonly string[]): Promise<(JobOrganisation | undefined)[]> {
  const rows = await asking(queue)<OrganisationRow & StoredLicence>(ORGANISATIONS, [[...new Set(ids)]]);
  const found = new Map(rows.map((row) => [row.id, { organisation: organisationOf(row), licence: licenceOf(row) }]));
  return ids.map((id) => found.get(id));
}

/** The licence of the installation, without an organisation's own plan on a hosted one. */
export async function installationLicence(): Promise<LicenceState> {
  const [row] = await queryUnbound<StoredLicence>(INSTALLATION);
  return licenceOf(row as StoredLicence);
}

/** Stores the definitions that the actors of this node declare. */
export async function declare(services: readonly string[], facts: readonly Facts[]): Promise<void> {
  await queryUnbound(RETRACT, [services, facts.map(({ name }) => name)]);
  if (facts.length > 0) await queryUnbound(DECLARE, [JSON.stringify(facts)]);
}

/** All subscriptions seen in the last seven days, on any node, running or not. */
export const subscriptions = (): Promise<{ name: string; service: string; event: string }[]> => queryUnbound(SUBSCRIBED);

/** Records that this node is running, with its figures. */
export const beat = async (node: string, figures: object): Promise<void> =>
  void (await queryUnbound(BEAT, [node, JSON.stringify(figures)]));

/** A running node, and what its jobs did since it started. */
export interface Worker {
  node: string;
  seen_at: string;
  beat_at: string | null;
  figures: Record<string, unknown>;
}

const WORKERS = statement(
  "select node, seen_at, beat_at, figures from jobs.workers where seen_at > now() - interval '180 seconds' order by node",
);

const HEARTBEAT = statement(`insert into jobs.workers as w (node, beat_at) values ($1, statement_timestamp())
  on conflict (node) do update set beat_at = excluded.beat_at, seen_at = excluded.beat_at`);

/** Records that jobs run on this node. */
export const heartbeat = async (node: string): Promise<void> => void (await queryUnbound(HEARTBEAT, [node]));

const SEEN_LATELY = statement("select 1 from jobs.workers where seen_at > now() - interval '1 hour' limit 1");

/**
 * Whether a node accepted jobs within the last hour. A node whose heartbeat is late, because it is busy or restarting, still does the work
 * stored for it.
 */
export const hasWorkers = async (): Promise<boolean> => (await queryUnbound(SEEN_LATELY)).length > 0;

/** The nodes with a current heartbeat: sent each minute, valid for 180 s (conventions §20). */
export const workers = (): Promise<Worker[]> => queryUnbound<Worker>(WORKERS);
