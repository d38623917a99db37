import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger, ServiceBroker } from "moleculer";
import type { Trace } from "../action-calls.ts";

const REQUESTS = "kantoor.http.requests";
const DURATION = "kantoor.http.duration";
/** Histogram bucket bounds, in milliseconds. */
const BUCKETS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];
/** Paths that proxies and orchestrators probe every few seconds: logged at `debug`. */
const PROBES = new Set(["/health/ready", "/health/live", "/api/v1/health/ready"]);

/** Reports each answered request: one log line, and metrics if they are on. */
export class RequestReport {
  readonly #logger: Logger;
  readonly #metrics: ServiceBroker["metrics"] | null;

  constructor(broker: Pick<ServiceBroker, "metrics" | "isMetricsEnabled">, logger: Logger) {
    this.#logger = logger;
    this.#metrics = broker.isMetricsEnabled() ? broker.metrics : null;
    const labelNames = ["action", "method", "status"];
    this.#metrics?.register({ type: "counter", name: REQUESTS, labelNames, description: "HTTP requests answered" });
    this.#metrics?.register({
      type: "histogram",
      name: DURATION,
      labelNames: ["action"],
      unit: "millisecond",
      buckets: BUCKETS,
      description: "Time from a request's head to its answer, in milliseconds",
    });
  }

  /**
   * @param statements SQL statements the request ran on this node
   * @param duration milliseconds from the request's head to its answer
   */
  note(request: IncomingMessage, response: ServerResponse, trace: Trace, statements: number, duration: number): void {
    const { requestId, organisation, path } = trace;
    const { method = "GET" } = request;
    const status = response.headersSent ? response.statusCode : null;
    const action = trace.action ?? null;
    const label = action ?? "none";
    this.#metrics?.increment(REQUESTS, { action: label, method, status: status ?? "aborted" });
    this.#metrics?.observe(DURATION, duration, { action: label });
    const line = {
      event: "api.request",
      requestId,
      action,
      organisation,
      status,
      ms: Math.round(duration * 10) / 10,
      statements,
    };
    if (PROBES.has(path)) this.#logger.debug(line, `${method} ${path}`);
    else this.#logger.info(line, `${method} ${path}`);
  }
}
