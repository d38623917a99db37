import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Middleware } from "moleculer";

const DELAY = "kantoor.eventloop.delay.seconds";
/** Quantiles of the event loop's delay that are exported; 1 is the longest. */
const QUANTILES = [0.5, 0.99, 1];
/** How often the figures are read and begin again, in milliseconds: shorter than a scraper's interval. */
const EVERY = 10_000;
/** How often the event loop is looked at, in milliseconds; Node measures how much later it comes. */
const RESOLUTION = 20;

/** Exports how long a node's event loop keeps others waiting, over the last ten seconds, if metrics are on. */
export function processFiguresMiddleware(): Middleware {
  let timer: NodeJS.Timeout | undefined;
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return {
    name: "ProcessFigures",
    async started(broker) {
      if (!broker.isMetricsEnabled()) return;
      const { metrics } = broker;
      metrics.register({
        type: "gauge",
        name: DELAY,
        description: "Delay of the event loop in seconds",
        labelNames: ["quantile"],
      });
      const measured = monitorEventLoopDelay({ resolution: RESOLUTION });
      histogram = measured;
      measured.enable();
      const set = () => {
        for (const quantile of QUANTILES) {
          const nanoseconds = measured.count === 0 ? 0 : measured.percentile(quantile * 100);
          metrics.set(DELAY, Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1000), { quantile: String(quantile) });
        }
        measured.reset();
      };
      set();
      timer = setInterval(set, EVERY).unref();
    },
    async stopping() {
      clearInterval(timer);
      histogram?.disable();
    },
  };
}
