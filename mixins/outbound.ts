import type { Middleware, ServiceBroker } from "moleculer";
import { closeProviders } from "../core/outbound/provider/provider.ts";
import { type CallTrace, onCall } from "../core/outbound/trace.ts";

/** Bounds of the buckets of a call's duration, in seconds. */
const BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const DURATION = "kantoor.provider.duration.seconds";

/** Reports each provider call as a log line at `debug`, a metric and a span, with names, numbers and statuses only. */
function report(broker: ServiceBroker): (trace: CallTrace) => void {
  const logger = broker.getLogger("outbound");
  if (broker.isMetricsEnabled())
    broker.metrics.register({
      type: "histogram",
      name: DURATION,
      description: "Seconds of a provider call",
      unit: "second",
      labelNames: ["provider", "operation", "outcome"],
      buckets: BUCKETS,
      quantiles: true,
    });
  return ({ began, ...trace }) => {
    const { provider, operation, milliseconds, failure, status } = trace;
    logger.debug(`${provider} ${operation}`, trace);
    if (broker.isMetricsEnabled())
      broker.metrics.observe(DURATION, milliseconds / 1000, { provider, operation, outcome: failure ?? String(status) });
    if (broker.isTracingEnabled())
      broker.tracer
        .startSpan(`provider ${provider}`, { tags: trace })
        .start(began)
        .finish(began + milliseconds);
  };
}

/** Reports a node's provider calls, and closes its provider connections at stop. */
export function outboundMiddleware(): Middleware {
  let stop = () => {};
  return {
    name: "Outbound",
    created(broker) {
      stop = onCall(report(broker));
    },
    async stopped() {
      stop();
      await closeProviders();
    },
  };
}
