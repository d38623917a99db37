import type { Middleware } from "moleculer";
import { databaseIsOpen, poolFigures, queryUnbound } from "../../core/database/connection/database.ts";
import { statement } from "../../core/sql/statement.ts";

/** Interval between two updates of the gauges, in milliseconds: shorter than a scraper's interval. */
const EVERY = 10_000;
const BACKLOG = statement("select waiting::float8 as waiting, oldest_seconds from jobs.outbox_backlog()");
const GAUGES = {
  connections: ["kantoor.database.connections", "Connections of this node's pool, by state"],
  waiting: ["kantoor.database.waiting", "Requests of this node that wait for a connection"],
  outbox: ["kantoor.outbox.waiting", "Outbox rows of all nodes that are not in the queue yet"],
  age: ["kantoor.outbox.age.seconds", "Age of the oldest of them in seconds"],
} as const;
const QUEUE = statement(
  "select name, waiting::float8 as waiting, oldest_seconds, dead::float8 as dead from jobs.queue_backlog()",
);
/** Gauges of the queue of all nodes, by job. */
const OF_QUEUE = {
  waiting: ["kantoor.jobs.waiting", "Jobs of all nodes that are due and that no node runs yet"],
  oldest_seconds: ["kantoor.jobs.waiting.age.seconds", "Age of the oldest of them in seconds"],
  dead: ["kantoor.jobs.dead", "Jobs of all nodes that failed for good"],
} as const;

interface Backlog {
  name: string;
  waiting: number;
  oldest_seconds: number;
  dead: number;
}

/** Updates the gauges of the pool and the outbox if metrics are on. */
export function databaseFiguresMiddleware(): Middleware {
  let timer: NodeJS.Timeout | undefined;
  return {
    name: "DatabaseFigures",
    async started(broker) {
      if (!broker.isMetricsEnabled()) return;
      const { metrics } = broker;
      for (const [name, description] of Object.values(GAUGES))
        metrics.register({ type: "gauge", name, description, labelNames: name === GAUGES.connections[0] ? ["state"] : [] });
      for (const [name, description] of Object.values(OF_QUEUE))
        metrics.register({ type: "gauge", name, description, labelNames: ["job"] });
      const known = new Set<string>();
      const logger = broker.getLogger("database");
      const set = async () => {
        if (!databaseIsOpen()) return;
        const { idle, busy, waiting } = poolFigures();
        metrics.set(GAUGES.connections[0], idle, { state: "idle" });
        metrics.set(GAUGES.connections[0], busy, { state: "busy" });
        metrics.set(GAUGES.waiting[0], waiting);
        const [backlog] = await queryUnbound<{ waiting: number; oldest_seconds: number }>(BACKLOG);
        metrics.set(GAUGES.outbox[0], backlog?.waiting ?? 0);
        metrics.set(GAUGES.age[0], backlog?.oldest_seconds ?? 0);
        const queue = new Map((await queryUnbound<Backlog>(QUEUE)).map((row) => [row.name, row]));
        // A job that has nothing in the queue any more stays at 0.
        for (const job of new Set([...known, ...queue.keys()])) {
          known.add(job);
          for (const [column, [name]] of Object.entries(OF_QUEUE) as [keyof typeof OF_QUEUE, readonly [string, string]][])
            metrics.set(name, queue.get(job)?.[column] ?? 0, { job });
        }
      };
      const measure = () =>
        set().catch((error: Error) =>
          logger.warn({ event: "database.outbox_not_measured", reason: error.message }, "the outbox was not measured"),
        );
      timer = setInterval(measure, EVERY).unref();
      await measure();
    },
    async stopping() {
      clearInterval(timer);
    },
  };
}
