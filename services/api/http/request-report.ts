import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger, ServiceBroker } from "moleculer";
import { LIVE, READY } from "../../../core/health/readiness.ts";
import { meterOf } from "../../../mixins/ops/node-figures.ts";
import type { RecentRequests } from "../../../mixins/ops/recent-requests.ts";
import type { Trace } from "../trace.ts";
import { OrganisationLoad } from "./organisation-load.ts";

const REQUESTS = "kantoor.http.requests.total";
const RESPONSES = "kantoor.http.responses.total";
const CLASSES = ["2xx", "3xx", "4xx", "5xx", "aborted"];
const DURATION = "kantoor.http.duration.seconds";
/** Bounds of the histogram's buckets, in seconds. */
const BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Paths that proxies and orchestrators probe every few seconds: logged at `debug`, in no trace. */
export const PROBES: ReadonlySet<string> = new Set([READY, LIVE, `/api/v1${READY}`]);

/** Reports each answered request: one log line, the figures of `/ops`, and metrics if they are on. */
export class RequestReport {
  readonly #logger: Logger;
  readonly #metrics: ServiceBroker["metrics"] | null;
  readonly #load: OrganisationLoad | null;
  readonly #recent: RecentRequests;

  constructor(broker: ServiceBroker, logger: Logger) {
    this.#logger = logger;
    this.#recent = meterOf(broker).requests;
    this.#metrics = broker.isMetricsEnabled() ? broker.metrics : null;
    this.#load = this.#metrics && new OrganisationLoad(this.#metrics);
    this.#metrics?.register({
      type: "counter",
      name: RESPONSES,
      labelNames: ["class"],
      description: "HTTP requests answered, by class of status; aborted by the caller",
    });
    for (const one of CLASSES) this.#metrics?.increment(RESPONSES, { class: one }, 0);
    const labelNames = ["action", "method", "status"];
    this.#metrics?.register({ type: "counter", name: REQUESTS, labelNames, description: "HTTP requests answered" });
    this.#metrics?.register({
      type: "histogram",
      name: DURATION,
      labelNames: ["action"],
      unit: "second",
      buckets: BUCKETS,
      quantiles: true,
      description: "Seconds from a request's head to its answer",
    });
  }

  /**
   * @param statements SQL statements the request ran on this node
   * @param duration milliseconds from the request's head to its answer
   */
  note(request: IncomingMessage, response: ServerResponse, trace: Trace, statements: number, duration: number): void {
    const { requestId, organisation, caller, path } = trace;
    const { method = "GET" } = request;
    const status = response.headersSent ? response.statusCode : null;
    const action = trace.action ?? null;
    const label = action ?? "none";
    this.#metrics?.increment(REQUESTS, { action: label, method, status: status ?? "aborted" });
    this.#metrics?.increment(RESPONSES, { class: status === null ? "aborted" : `${Math.floor(status / 100)}xx` });
    this.#metrics?.observe(DURATION, duration / 1000, { action: label });
    if (organisation !== null) this.#load?.add(organisation, duration);
    const isError = status !== null && status >= 500;
    this.#recent.note({ action: label, isError, organisation, milliseconds: trace.isStream ? null : duration });
    const line = {
      event: "api.request",
      requestId,
      action,
      organisation,
      caller,
      status,
      ms: Math.round(duration * 10) / 10,
      statements,
    };
    if (PROBES.has(path)) this.#logger.debug(line, `${method} ${path}`);
    else this.#logger.info(line, `${method} ${path}`);
  }

  /** Ends what runs next to requests. */
  stop(): void {
    this.#load?.stop();
  }
}
