import { globSync } from "node:fs";
import path from "node:path";
import type { BrokerOptions, Middleware, ServiceSchema } from "moleculer";
import * as moleculer from "moleculer";
import type { Config } from "../core/config.ts";
import { requestMiddleware } from "../mixins/request.ts";
import { type Booted, boot, prepareRuntime } from "./boot.ts";

const ROOT = path.join(import.meta.dirname, "..");
const { Timeout, Retry, ErrorHandler, ContextTracker } = (moleculer as unknown as { Middlewares: Record<string, Middleware> })
  .Middlewares;

/** A node of the service: its broker, and the databases once it has started. */
export interface ServiceNode {
  broker: moleculer.ServiceBroker;
  /** Set from `start` to `stop`. */
  booted: Booted | null;
  /** Port of the gateway, if this node has one and has started. */
  port(): number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * What a broker of this service is made with. PostgreSQL, schema and pool come up before any actor starts, and go down after the last
 * has stopped.
 * @param keep is told what was booted
 */
export function brokerOptions(config: Config, keep: (booted: Booted | null) => void = () => {}): BrokerOptions {
  prepareRuntime(config);
  let running: Booted | null = null;
  const foundation: Middleware = {
    name: "Foundation",
    async starting(broker) {
      const logger = broker.getLogger("database");
      running = await boot(config, (line) => logger.info(line));
      keep(running);
    },
    async stopped() {
      await running?.shutdown();
      running = null;
      keep(null);
    },
  };
  // At `info` the log holds what the service says, not what the framework says about itself.
  const level = config.logLevel === "info" ? { API: "info", DATABASE: "info", "**": "warn" } : config.logLevel;
  return {
    namespace: "kantoor",
    nodeID: config.nodeId ?? null,
    transporter: (config.transporter ?? null) as "NATS" | null,
    logger:
      config.logLevel === "silent" ? false : { type: "Pino", options: { level, pino: { options: { level: config.logLevel } } } },
    // The order is ours: permission and licence come before validation, so Moleculer's own validator must not run first.
    internalMiddlewares: false,
    middlewares: [foundation, ContextTracker, Timeout, Retry, ErrorHandler, requestMiddleware] as Middleware[],
    requestTimeout: config.requestTimeout,
    heartbeatInterval: 1,
    heartbeatTimeout: 3,
    retryPolicy: {
      enabled: true,
      retries: 0,
      delay: 50,
      maxDelay: 500,
      factor: 2,
      check: (error: Error) => (error as { retryable?: boolean }).retryable === true,
    },
    tracking: { enabled: true, shutdownTimeout: 10_000 },
  };
}

/** Files of the actors whose service name matches one of the patterns (`companies`, `companies.*`, `api`), or of all of them. */
async function actorFiles(patterns: readonly string[]): Promise<string[]> {
  const files = globSync("{services,integrations}/**/*.service.ts", { cwd: ROOT }).sort();
  if (patterns.length === 0) return files;
  const tests = patterns.map((pattern) => new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`));
  const named = await Promise.all(files.map(async (file) => ({ file, name: (await schemaOf(file)).name })));
  return named.filter(({ name }) => tests.some((test) => test.test(name))).map(({ file }) => file);
}

const schemaOf = async (file: string): Promise<ServiceSchema> => (await import(path.join(ROOT, file))).default;

/**
 * Makes a node with the actors that match the patterns, all of them by default.
 * @param extra actors beside the service's own, for tests
 */
export async function createNode(
  config: Config,
  patterns: readonly string[] = [],
  extra: readonly ServiceSchema[] = [],
): Promise<ServiceNode> {
  const broker = new moleculer.ServiceBroker(brokerOptions(config, (booted) => (node.booted = booted)));
  const node: ServiceNode = {
    broker,
    booted: null,
    port() {
      const gateway = broker.getLocalService("api") as unknown as { server: { address(): { port: number } | null } } | undefined;
      return gateway?.server.address()?.port;
    },
    start: () => broker.start(),
    stop: () => broker.stop(),
  };
  for (const file of await actorFiles(patterns)) broker.createService(await schemaOf(file));
  for (const schema of extra) broker.createService(schema);
  return node;
}
