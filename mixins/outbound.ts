import type { Middleware, ServiceBroker } from "moleculer";
import { closeProviders } from "../core/outbound/provider/provider.ts";
import { type CallTrace, onCall } from "../core/outbound/trace.ts";

const DURATION = "kantoor.provider.duration";

/** Reports each provider call as a log line at `debug`, a metric and a span, with names, numbers and statuses only. */
function report(broker: ServiceBroker): (trace: CallTrace) => void {
  const logger = broker.getLogger("outbound");
  if (broker.isMetricsEnabled())
    broker.metrics.register({
      type: "histogram",
      name: DURATION,
      description: "Provider calls in milliseconds",
      unit: "millisecond",
      labelNames: ["provider", "operation", "outcome"],
      quantiles: true,
      buckets: true,
    });
  return ({ began, ...trace }) => {
    const { provider, operation, milliseconds, failure, status } = trace;
    logger.debug(`${provider} ${operation}`, trace);
    if (broker.isMetricsEnabled())
      broker.metrics.observe(DURATION, milliseconds, { provider, operation, outcome: failure ?? String(status) });
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
