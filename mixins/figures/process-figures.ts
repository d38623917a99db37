import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { Middleware, ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import { openStreamCount } from "../streams.ts";

const DELAY = "kantoor.eventloop.delay.seconds";
/** Quantiles of the event loop's delay that are exported; 1 is the longest. */
const QUANTILES = [0.5, 0.99, 1];
/** How often the figures are read and begin again, in milliseconds: shorter than a scraper's interval. */
const EVERY = 10_000;
/** How often the event loop is looked at, in milliseconds; Node measures how much later it comes. */
const RESOLUTION = 20;

const COLLECTED = "nodejs.gc.duration.seconds";
/** Bounds of the buckets of a collection's duration, in seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const KINDS = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/** What Node reports of a garbage collection. */
type CollectionEntry = PerformanceEntry & { detail: { kind: number } };

const STARTED = Date.now() / 1000 - process.uptime();
const BUILD = "kantoor.build.info";
const PROCESSOR = "process.cpu.seconds.total";
/** Gauges of the process by name, under the names that Prometheus' clients for Node use, with what reads them. */
const GAUGES: Record<string, readonly [description: string, read: () => number]> = {
  "process.resident.memory.bytes": ["Resident memory of the process in bytes", () => process.memoryUsage.rss()],
  "process.start.time.seconds": ["Start of the process in seconds since 1970", () => STARTED],
  "nodejs.heap.size.used.bytes": ["Used heap in bytes", () => process.memoryUsage().heapUsed],
  "nodejs.heap.size.total.bytes": ["Reserved heap in bytes", () => process.memoryUsage().heapTotal],
  "nodejs.heap.size.limit.bytes": ["Largest heap that the process may have, in bytes", () => getHeapStatistics().heap_size_limit],
  "nodejs.external.memory.bytes": ["Memory of buffers outside of the heap in bytes", () => process.memoryUsage().external],
  "kantoor.streams.open": ["Streams that this node writes", openStreamCount],
};

function registerAll({ metrics }: ServiceBroker): void {
  metrics.register({ type: "gauge", name: DELAY, description: "Delay of the event loop in seconds", labelNames: ["quantile"] });
  for (const [name, [description]] of Object.entries(GAUGES)) metrics.register({ type: "gauge", name, description });
  metrics.register({ type: "counter", name: PROCESSOR, description: "Processor time of the process in seconds" });
  metrics.register({
    type: "histogram",
    name: COLLECTED,
    description: "Seconds of a garbage collection",
    unit: "second",
    labelNames: ["kind"],
    buckets: BUCKETS,
    quantiles: true,
  });
  const labelNames = ["version", "revision"];
  metrics.register({ type: "gauge", name: BUILD, description: "1 for each running node, by its version and commit", labelNames });
  const { version, gitSha: revision } = runtime();
  metrics.set(BUILD, 1, { version, revision });
}

/** Exports what a node's process uses, and how long its event loop keeps others waiting, over the last ten seconds, if metrics are on. */
export function processFiguresMiddleware(): Middleware {
  let timer: NodeJS.Timeout | undefined;
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;
  let observer: PerformanceObserver | undefined;
  return {
    name: "ProcessFigures",
    async started(broker) {
      if (!broker.isMetricsEnabled()) return;
      const { metrics } = broker;
      registerAll(broker);
      const measured = monitorEventLoopDelay({ resolution: RESOLUTION });
      histogram = measured;
      measured.enable();
      observer = new PerformanceObserver((list) => {
        for (const { duration, detail } of list.getEntries() as CollectionEntry[]) {
          const kind = KINDS.get(detail.kind) ?? "other";
          metrics.observe(COLLECTED, duration / 1000, { kind });
        }
      });
      observer.observe({ entryTypes: ["gc"] });
      const set = () => {
        for (const quantile of QUANTILES) {
          const nanoseconds = measured.count === 0 ? 0 : measured.percentile(quantile * 100);
          metrics.set(DELAY, Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1000), { quantile: String(quantile) });
        }
        measured.reset();
        for (const [name, [, read]] of Object.entries(GAUGES)) metrics.set(name, read());
        const { user, system } = process.cpuUsage();
        metrics.set(PROCESSOR, (user + system) / 1e6);
      };
      set();
      timer = setInterval(set, EVERY).unref();
    },
    async stopping() {
      clearInterval(timer);
      histogram?.disable();
      observer?.disconnect();
    },
  };
}
