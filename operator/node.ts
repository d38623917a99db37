import { globSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import type { BrokerOptions, Middleware, ServiceSchema } from "moleculer";
import * as moleculer from "moleculer";
import { type Config, ConfigurationError } from "../core/config/config.ts";
import { catalogue } from "../core/declare/catalogue/catalogue.ts";
import { jobsMiddleware } from "../mixins/jobs.ts";
import { outboundMiddleware } from "../mixins/outbound.ts";
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
  /** Drains and stops: no new connections, running requests finish, then actors and databases go. May be called again. */
  stop(): Promise<void>;
}

type ApiActor = { server: { address(): { port: number } | null }; gateway: { drain(): Promise<void> } };

/** Moleculer's loggers take a text and then details; pino keeps details only when they come first. */
function detailsFirst(this: unknown, given: unknown[], log: (...ordered: unknown[]) => void): void {
  const [text, details] = given;
  if (typeof text === "string" && typeof details === "object" && details !== null) log.call(this, details, text);
  else log.apply(this, given);
}

/**
 * What a broker of this service is made with. PostgreSQL, schema and pool come up before any actor starts, and go down after the last
 * has stopped.
 * @param keep is told what was booted
 * @param standIns see `createNode`
 * @throws DeclarationRefused when what the modules declare does not fit together
 */
export function brokerOptions(
  config: Config,
  keep: (booted: Booted | null) => void = () => {},
  standIns: readonly string[] = [],
): BrokerOptions {
  catalogue();
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
      config.logLevel === "silent"
        ? false
        : { type: "Pino", options: { level, pino: { options: { level: config.logLevel, hooks: { logMethod: detailsFirst } } } } },
    // The order is ours: permission and licence come before validation, so Moleculer's own validator must not run first.
    internalMiddlewares: false,
    middlewares: [
      foundation,
      ContextTracker,
      Timeout,
      Retry,
      ErrorHandler,
      requestMiddleware(standIns),
      outboundMiddleware(),
      jobsMiddleware(standIns),
    ] as Middleware[],
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
    metrics: config.metricsPort === undefined ? false : { enabled: true, reporter: [prometheus(config.metricsPort)] },
  };
}

const prometheus = (port: number) => ({
  type: "Prometheus" as const,
  options: { port, path: "/metrics", includes: ["kantoor.**", "process.**"] },
});

/** @throws ConfigurationError when the API's port is taken, before a database is started for nothing */
async function requireFreePort({ httpPort, httpAddress }: Config): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new ConfigurationError(
          `Port ${httpPort} on ${httpAddress} cannot be used (${error.code}); set SERVICE_HTTP_PORT to a free one.`,
        ),
      ),
    );
    probe.listen(httpPort, httpAddress, () => probe.close(() => resolve()));
  });
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
 * @param standIns modules that are not built and whose permissions those actors stand on, for tests alone
 */
export async function createNode(
  config: Config,
  patterns: readonly string[] = [],
  extra: readonly ServiceSchema[] = [],
  standIns: readonly string[] = [],
): Promise<ServiceNode> {
  const options = brokerOptions(config, (booted) => (node.booted = booted), standIns);
  const broker = new moleculer.ServiceBroker({ ...options, skipProcessEventRegistration: true });
  const gateway = () => broker.getLocalService("api") as unknown as ApiActor | undefined;
  let stopping: Promise<void> | null = null;
  const node: ServiceNode = {
    broker,
    booted: null,
    port: () => gateway()?.server.address()?.port,
    async start() {
      if (gateway()) await requireFreePort(config);
      await broker.start();
    },
    stop() {
      stopping ??= (async () => {
        await gateway()?.gateway.drain();
        await broker.stop();
      })();
      return stopping;
    },
  };
  for (const file of await actorFiles(patterns)) broker.createService(await schemaOf(file));
  for (const schema of extra) broker.createService(schema);
  return node;
}
