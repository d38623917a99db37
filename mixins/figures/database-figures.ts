import type { Middleware } from "moleculer";
import { onWaited, poolFigures } from "../../core/database/connection/database.ts";

/** Interval between two updates of the gauges, in milliseconds: shorter than a scraper's interval. */
const EVERY = 10_000;
const CONNECTIONS = "kantoor.database.connections";
const WAITING = "kantoor.database.waiting";
const WAITED = "kantoor.database.wait.seconds";
/** Bounds of the buckets of the wait for a connection, in seconds; an idle one is there at once. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Exports the connections of this node's pool, and how long work waits for one, if metrics are on. */
export function databaseFiguresMiddleware(): Middleware {
  let timer: NodeJS.Timeout | undefined;
  return {
    name: "DatabaseFigures",
    async started(broker) {
      if (!broker.isMetricsEnabled()) return;
      const { metrics } = broker;
      const labelNames = ["state"];
      metrics.register({
        type: "gauge",
        name: CONNECTIONS,
        description: "Connections of this node's pool, by state",
        labelNames,
      });
      metrics.register({ type: "gauge", name: WAITING, description: "Requests of this node that wait for a connection" });
      metrics.register({
        type: "histogram",
        name: WAITED,
        description: "Seconds that work waited for a connection of the pool",
        unit: "second",
        buckets: BUCKETS,
        quantiles: true,
      });
      onWaited((milliseconds) => metrics.observe(WAITED, milliseconds / 1000));
      const set = () => {
        const { idle, busy, waiting } = poolFigures();
        metrics.set(CONNECTIONS, idle, { state: "idle" });
        metrics.set(CONNECTIONS, busy, { state: "busy" });
        metrics.set(WAITING, waiting);
      };
      set();
      timer = setInterval(set, EVERY).unref();
    },
    async stopping() {
      clearInterval(timer);
      onWaited(null);
    },
  };
}
