import type { BrokerOptions, Middleware } from "moleculer";
import * as moleculer from "moleculer";
import { readConfig } from "./core/config.ts";
import { requestMiddleware } from "./mixins/request.ts";
import { type Booted, boot, prepareRuntime } from "./operator/boot.ts";

const config = readConfig();
prepareRuntime(config);

/** The databases of this process, from the moment the broker starts its actors. */
export const booted: { value: Booted | null } = { value: null };

/** Brings up PostgreSQL, schema and pool before any actor starts, and takes them down after the last one has stopped. */
const foundation: Middleware = {
  name: "Foundation",
  async starting(broker) {
    const logger = broker.getLogger("database");
    booted.value ??= await boot(config, (line) => logger.info(line));
  },
  async stopped() {
    const running = booted.value;
    booted.value = null;
    await running?.shutdown();
  },
};

const { Timeout, Retry, ErrorHandler, ContextTracker } = (moleculer as unknown as { Middlewares: Record<string, Middleware> }).Middlewares;

/** At `info` the log holds what the service says, not what the framework says about itself. */
const levels = config.logLevel === "info" ? { API: "info", DATABASE: "info", "**": "warn" } : config.logLevel;

/** The broker of every node; `moleculer-runner -c moleculer.config.ts` uses it as it is. */
const options: BrokerOptions = {
  namespace: "kantoor",
  nodeID: config.nodeId ?? null,
  transporter: (config.transporter ?? null) as "NATS" | null,
  logger: { type: "Pino", options: { level: levels, pino: { options: { level: config.logLevel } } } },
  // The order is ours: permission and licence come before validation, so Moleculer's own validator must not run first.
  internalMiddlewares: false,
  middlewares: [foundation, ContextTracker, Timeout, Retry, ErrorHandler, requestMiddleware] as Middleware[],
  requestTimeout: config.requestTimeout,
  heartbeatInterval: 1,
  heartbeatTimeout: 3,
  retryPolicy: { enabled: true, retries: 0, delay: 50, maxDelay: 500, factor: 2, check: (error: Error) => Boolean(error && (error as { retryable?: boolean }).retryable) },
  tracking: { enabled: true, shutdownTimeout: 10_000 },
  metrics: false,
  tracing: false,
};

export default options;
