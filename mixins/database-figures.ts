import type { Middleware } from "moleculer";
import { databaseIsOpen, poolFigures, queryUnbound } from "../core/database/connection/database.ts";
import { statement } from "../core/sql/statement.ts";

/** Interval between two updates of the gauges, in milliseconds: shorter than a scraper's interval. */
const EVERY = 10_000;
const BACKLOG = statement("select waiting::float8 as waiting, oldest_seconds from jobs.outbox_backlog()");
const GAUGES = {
  connections: ["kantoor.database.connections", "Connections of this node's pool, by state"],
  waiting: ["kantoor.database.waiting", "Requests of this node that wait for a connection"],
  outbox: ["kantoor.outbox.waiting", "Outbox rows of all nodes that are not in the queue yet"],
  age: ["kantoor.outbox.age", "Age of the oldest of them in seconds"],
} as const;

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
