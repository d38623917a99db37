import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Middleware, ServiceBroker, ServiceSchema } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import { databaseIsOpen, poolFigures } from "../../core/database/connection/database.ts";
import { collectSlowStatements } from "../../core/database/connection/slow-statements.ts";
import { Lease } from "../../core/database/lease.ts";
import { uncounted } from "../../core/request/statement-count.ts";
import { jobsOf } from "../jobs.ts";
import { MINUTES, RecentRequests, type RequestFigures } from "./recent-requests.ts";
import { SlowestList, type SlowestStatements } from "./slowest-statements.ts";

/** How often processor and event loop are read, in milliseconds. */
const EVERY = 10_000;
/** How often the event loop is looked at, in milliseconds; Node measures how much later it comes. */
const RESOLUTION = 50;
const MINUTE = 60_000;
/** Seconds until another node takes over counting due jobs from a dead node. */
const LEASE = 150;

/** The figures of one node since it started or of the last minutes, all in its memory. */
export interface NodeFigures {
  version: string;
  /** The commit that it runs; absent on nodes of an earlier version. */
  revision?: string;
  /** `draining` once it shuts down: it serves what it has and accepts no more. */
  state: "serving" | "draining";
  uptime_seconds: number;
  /** Share of one processor over the last ten seconds, in percent: above 100 with several threads. */
  cpu_percent: number;
  memory_bytes: number;
  heap_bytes: number;
  /** Delay of the event loop over the last ten seconds: its 99th percentile and the longest. */
  loop_p99_ms: number;
  loop_max_ms: number;
  connections: { idle: number; busy: number; waiting: number };
  requests: RequestFigures;
  /** Due jobs of all nodes by minute since 1970, for the minutes in which this node counted them. */
  due_jobs: [minute: number, due: number][];
  statements: SlowestStatements[];
}

/** What a node measures about itself, in memory that does not grow with its load. */
export class NodeMeter {
  readonly requests = new RecentRequests();
  readonly slowest = new SlowestList();
  isDraining = false;
  readonly #broker: ServiceBroker;
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  #timers: NodeJS.Timeout[] = [];
  #endCollection = () => {};
  #lease: Lease | undefined;
  #cpu = process.cpuUsage();
  #readAt = performance.now();
  #process = { cpu_percent: 0, loop_p99_ms: 0, loop_max_ms: 0 };
  #dueJobs: [minute: number, due: number][] = [];

  constructor(broker: ServiceBroker) {
    this.#broker = broker;
  }

  start(): void {
    this.#delay.enable();
    this.#endCollection = collectSlowStatements((slow) => this.slowest.note(slow));
    this.#lease = new Lease("ops", this.#broker.nodeID, LEASE);
    this.#timers = [
      setInterval(() => this.#readProcess(), EVERY).unref(),
      setInterval(() => void this.#countDueJobs().catch(() => {}), MINUTE).unref(),
    ];
  }

  async stop(): Promise<void> {
    this.isDraining = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#delay.disable();
    this.#endCollection();
    if (databaseIsOpen()) await this.#lease?.release().catch(() => {});
  }

  #readProcess(): void {
    const now = performance.now();
    const { user, system } = process.cpuUsage(this.#cpu);
    const late = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e5) / 10 - RESOLUTION);
    this.#process = {
      cpu_percent: Math.round((user + system) / 10 / (now - this.#readAt)),
      loop_p99_ms: this.#delay.count === 0 ? 0 : late(this.#delay.percentile(99)),
      loop_max_ms: this.#delay.count === 0 ? 0 : late(this.#delay.max),
    };
    this.#delay.reset();
    this.#cpu = process.cpuUsage();
    this.#readAt = now;
  }

  /** One node at a time counts them for all. Without a database or queue, the minute has no value. */
  async #countDueJobs(): Promise<void> {
    const { queue } = jobsOf(this.#broker);
    if (!queue || !databaseIsOpen() || !(await uncounted(() => this.#lease?.take()))) return;
    const due = (await queue.backlog()).reduce((sum, one) => sum + one.due, 0);
    const minute = Math.floor(Date.now() / MINUTE);
    this.#dueJobs = [...this.#dueJobs.filter(([at]) => at > minute - MINUTES && at < minute), [minute, due]];
  }

  read(): NodeFigures {
    if (performance.now() - this.#readAt > EVERY / 10) this.#readProcess();
    const { rss, heapUsed } = process.memoryUsage();
    return {
      version: runtime().version,
      revision: runtime().gitSha,
      state: this.isDraining ? "draining" : "serving",
      uptime_seconds: Math.round(process.uptime()),
      ...this.#process,
      memory_bytes: rss,
      heap_bytes: heapUsed,
      connections: poolFigures(),
      requests: this.requests.read(),
      due_jobs: this.#dueJobs,
      statements: this.slowest.read(),
    };
  }
}

const meters = new WeakMap<ServiceBroker, NodeMeter>();

/** The meter of a broker's node. */
export function meterOf(broker: ServiceBroker): NodeMeter {
  let meter = meters.get(broker);
  if (!meter) meters.set(broker, (meter = new NodeMeter(broker)));
  return meter;
}

/** The middleware that measures a node while it runs. */
export function nodeFiguresMiddleware(): Middleware {
  return {
    name: "NodeFigures",
    async started(broker) {
      meterOf(broker).start();
    },
    async stopping(broker) {
      await meterOf(broker).stop();
    },
  };
}

/** Name of the action by which nodes ask each other for their figures. */
export const FIGURES = "$node.figures";

/** Moleculer's own service of every node, with that action. */
export const nodeService = (): ServiceSchema => ({
  name: "$node",
  actions: {
    figures(this: { broker: ServiceBroker }) {
      return meterOf(this.broker).read();
    },
  },
});
