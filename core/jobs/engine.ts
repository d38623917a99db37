import { AsyncLocalStorage } from "node:async_hooks";
import type { Agenda, Job } from "agenda";
import type { Logger, ServiceBroker } from "moleculer";
import { runtime } from "../config/runtime.ts";
import { databaseUrl } from "../database/connection/database.ts";
import { Channel, noticesOf } from "./channel.ts";
import { setClocks } from "./clocks.ts";
import { type Definition, factsOf } from "./definition.ts";
import { Meter } from "./meter.ts";
import { carryOutbox } from "./outbox.ts";
import { LockKeeper } from "./queue/lock-keeper.ts";
import { backendOf } from "./queue/repository.ts";
import { type Table, TableAdapter } from "./queue/table.ts";
import { Relay } from "./relay.ts";
import { type Reach, Runner } from "./runner.ts";
import { spacedReports } from "./spaced-reports.ts";
import { beat, declare, heartbeat, type QueuedData, type QueuedJob, workers } from "./store.ts";

/**
 * The lock time reported to Agenda, in ms: it checks a running job after half of it, or of the poll interval if that is longer. The engine
 * refreshes the locks itself, by each job's own lock time.
 */
const LIFETIME = 500;
const DECLARED_AGAIN = 30_000;
/** A heartbeat older than this, in ms, counts as missing (conventions §20). */
const KEPT = 180_000;
/** Longest wait for running jobs when the node stops, in ms. */
const DRAIN = 10_000;
const GIVE_BACK = 500;
const RETRY_START = 5_000;
/** Most jobs of all names that run at once on one node; each name has its own, smaller limit. */
const AT_ONCE = 200;

/** Shortest time ahead, in ms, for which an upcoming job gets a timer. */
const SCAN = 10_000;

/** How far ahead, in ms, a job gets a timer; the next search finds later ones. */
const horizon = () => Math.max(SCAN, 2 * runtime().config.jobsPoll);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** The jobs of one node: the relay, and Agenda with the definitions of the node's actors. */
export class JobEngine {
  readonly meter: Meter;
  readonly #broker: ServiceBroker;
  readonly #reach: Reach;
  readonly #logger: Logger;
  readonly #definitions = new Map<string, Definition>();
  readonly #services = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #table: Table | null = null;
  #channel: Channel | null = null;
  #relay: Relay | null = null;
  #runner: Runner | null = null;
  #adapter: TableAdapter | null = null;
  #agenda: Agenda | null = null;
  #starting: Promise<void> | null = null;
  #keeper: LockKeeper | null = null;
  #stopping: Promise<void> | null = null;
  #disconnected: Promise<void> | undefined;
  #stopped = false;

  constructor(broker: ServiceBroker, reach: Reach) {
    this.#broker = broker;
    this.#reach = reach;
    this.#logger = broker.getLogger("jobs");
    this.meter = new Meter(broker);
  }

  get definitions(): readonly Definition[] {
    return [...this.#definitions.values()];
  }

  get #locks(): ReadonlyMap<string, number> {
    return new Map(this.definitions.map(({ name, lock }) => [name, lock]));
  }

  /** Registers an actor's definitions; call before `start`. @throws TypeError when two actors declare the same job */
  add(service: string, definitions: readonly Definition[]): void {
    this.#services.add(service);
    for (const definition of definitions) {
      const other = this.#definitions.get(definition.name);
      if (other && other.service !== service)
        throw new TypeError(`'${definition.name}' is declared by ${other.service} and ${service}`);
      this.#definitions.set(definition.name, definition);
      this.meter.declare(definition.name);
    }
  }

  /** Starts in the background: no request waits for the jobs. */
  start(): void {
    this.#starting ??= AsyncLocalStorage.snapshot()(() => this.#start());
  }

  /** Resolves when this node accepts jobs. */
  ready(): Promise<void> {
    return this.#starting ?? Promise.resolve();
  }

  readonly #trouble = spacedReports(({ message }) => {
    if (!this.#stopped) this.#logger.warn({ event: "jobs.store_failed", error: message }, "jobs: trouble with the store");
  });

  async #start(): Promise<void> {
    const trouble = this.#trouble;
    for (let logged = false; !this.#stopped; logged = true) {
      try {
        this.#table = await this.#openTable(trouble);
        break;
      } catch (error) {
        if (!logged)
          this.#logger.error(
            { event: "jobs.start_failed", error: (error as Error).message },
            "jobs do not run yet; trying again",
          );
        await pause(RETRY_START);
      }
    }
    const table = this.#table;
    if (!table) return;
    if (this.#stopped) return this.#disconnect();
    const channel = new Channel(this.#broker.nodeID, databaseUrl(), horizon(), trouble);
    this.#channel = channel;
    const handed = (jobs: readonly QueuedJob[]) => this.#handed(channel, jobs);
    this.#runner = new Runner({
      ...this.#reach,
      node: this.#broker.nodeID,
      queue: table,
      meter: this.meter,
      handed,
      endsWith: (id, ordered) => this.#adapter?.endsWith(id, ordered),
    });
    this.#relay = new Relay({
      queue: table,
      poll: runtime().config.jobsPoll,
      missing: (ids) => table.missing(ids),
      handed,
      onTrouble: trouble,
    });
    await this.#declare().catch(trouble);
    // A request triggers the relay; the jobs that follow must not see its context.
    const outside = AsyncLocalStorage.snapshot();
    const relay = this.#relay;
    carryOutbox({ wants: relay.wants, nudge: () => outside(relay.nudge), nudgeLater: () => outside(relay.nudgeLater) });
    channel.on("left", relay.nudge);
    if (this.#definitions.size > 0) await this.#startAgenda(table, channel, this.#runner, trouble);
    else await channel.connect();
    if (this.#stopped) return;
    relay.start();
    this.#timers.push(setInterval(() => this.#declare().catch(trouble), DECLARED_AGAIN).unref());
  }

  async #openTable(trouble: (error: Error) => void): Promise<Table> {
    const { jobsUrl } = runtime().config;
    const table =
      jobsUrl === undefined
        ? new (await import("./queue/postgres.ts")).PostgresTable(databaseUrl(), trouble)
        : new (await import("./queue/mongo.ts")).MongoTable(jobsUrl);
    await table.connect();
    return table;
  }

  async #startAgenda(table: Table, channel: Channel, runner: Runner, trouble: (error: unknown) => void): Promise<void> {
    const { Agenda: AgendaClass } = await import("agenda");
    const definitionOf = (name: string) => this.#definitions.get(name) as Definition;
    const adapter = new TableAdapter(table, {
      node: this.#broker.nodeID,
      handed: (jobs) => void this.#handed(channel, jobs).catch(trouble),
      onTrouble: trouble,
      lockOf: (name) => definitionOf(name).lock,
      slotsOf: (name) => definitionOf(name).concurrency,
      names: () => [...this.#definitions.keys()],
      horizon: horizon(),
      isStopped: () => this.#stopped,
      notify: (name, moments, said) =>
        channel.notifyAll(
          moments.map((moment) => [name, moment]),
          said,
        ),
      freed: (name) => channel.room(name),
    });
    this.#adapter = adapter;
    const keeper = new LockKeeper(table, adapter, this.#locks, trouble);
    this.#keeper = keeper;
    channel.on("notified", adapter.expect);
    const agenda = new AgendaClass({
      backend: backendOf(adapter.repository),
      name: this.#broker.nodeID,
      notificationChannel: channel,
      processEvery: runtime().config.jobsPoll,
      maxConcurrency: AT_ONCE,
      defaultLockLifetime: LIFETIME,
    });
    agenda.on("error", trouble);
    for (const definition of this.#definitions.values())
      agenda.define(definition.name, (job: Job<QueuedData>) => this.#run(keeper, runner, definition, job), {
        concurrency: definition.concurrency,
        lockLimit: definition.concurrency,
        backoff: runner.backoff as never,
      });
    this.#agenda = agenda;
    await agenda.ready;
    await setClocks(agenda, this.definitions).catch(() => void this.#setClocksLater(agenda));
    if (this.#stopped) return;
    channel.on("due", () => adapter.look().catch(trouble));
    await agenda.start();
    await heartbeat(this.#broker.nodeID).catch(trouble);
  }

  /** Retries until the schedules are stored: one that is missing from the table never fires. Startup does not wait for this. */
  async #setClocksLater(agenda: Agenda): Promise<void> {
    this.#logger.warn({ event: "jobs.schedules_not_stored" }, "jobs: the schedules could not be set; trying again");
    await pause(RETRY_START);
    if (!this.#stopped) await setClocks(agenda, this.definitions).catch(() => this.#setClocksLater(agenda));
  }

  async #declare(): Promise<void> {
    await declare([...this.#services], this.definitions.map(factsOf));
    if (this.#definitions.size > 0) await beat(this.#broker.nodeID, this.meter.read());
  }

  async #run(keeper: LockKeeper, runner: Runner, definition: Definition, job: Job<QueuedData>): Promise<void> {
    if (this.#stopped) {
      job.attrs.nextRunAt = new Date();
      return;
    }
    keeper.keep();
    await runner.run(definition, job);
  }

  async #handed(channel: Channel, jobs: readonly QueuedJob[]): Promise<void> {
    for (const { name } of jobs) this.meter.count(name, "enqueued");
    const now = Date.now();
    await channel.announce(noticesOf(jobs, now), now);
  }

  /** Whether jobs run on any node, and how many are due. */
  async workerState(): Promise<{ status: "ok" | "down"; last_seen_at: string | null; queue_depth: number | null }> {
    const beats = (await workers().catch(() => [])).flatMap(({ beat_at: at }) => (at === null ? [] : [at])).sort();
    const last = beats.at(-1) ?? null;
    const alive = last !== null && Date.now() - Date.parse(last) < KEPT;
    const depth = await this.#table?.repository.getQueueSize().catch(() => null);
    return { status: alive ? "ok" : "down", last_seen_at: last, queue_depth: depth ?? null };
  }

  /** The queue, for the pages and the console of operators; null while its store is unreachable. */
  get queue(): Table | null {
    return this.#table;
  }

  /** Accepts no more jobs, waits at most ten seconds for running ones and requeues the rest, which other nodes can claim at once. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#stopped = true;
    carryOutbox(null);
    for (const timer of this.#timers) clearInterval(timer);
    // Do not wait for an unreachable store.
    if (this.#table) await this.#starting?.catch(() => {});
    await this.#relay?.stop();
    const [runner, adapter] = [this.#runner, this.#adapter];
    await this.#agenda
      ?.stop(false)
      .catch((error: Error) =>
        this.#logger.warn({ event: "jobs.jobs_not_unlocked", error: error.message }, "jobs could not be unlocked"),
      );
    await this.#channel?.disconnect();
    await adapter?.returnWaiting();
    if (runner && adapter) await this.#drain(runner, adapter);
    if (adapter && adapter.held.size > 0) await adapter.repository.unlockJobs([...adapter.held.keys()]).catch(() => {});
    this.#keeper?.stop();
    await this.#disconnect();
  }

  /** Closes the queue's connections, once: a node can stop while it still opens them. */
  #disconnect(): Promise<void> | undefined {
    this.#disconnected ??= this.#table?.disconnect();
    return this.#disconnected;
  }

  /** Waits until the end of every job is stored; the connections close after that. */
  async #drain(runner: Runner, adapter: TableAdapter): Promise<void> {
    const until = async (deadline: number) => {
      while (!adapter.isIdle() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await until(Date.now() + DRAIN);
    if (adapter.isIdle()) return;
    runner.giveBack();
    await until(Date.now() + GIVE_BACK);
  }
}
