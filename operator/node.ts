import { existsSync, globSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BrokerOptions, Middleware, ServiceSchema } from "moleculer";
import * as moleculer from "moleculer";
import { type Config, ConfigurationError, isEmbedded } from "../core/config/config.ts";
import { catalogue } from "../core/declare/catalogue/catalogue.ts";
import { databaseFiguresMiddleware } from "../mixins/database-figures.ts";
import { jobsMiddleware } from "../mixins/jobs.ts";
import { outboundMiddleware } from "../mixins/outbound.ts";
import { requestMiddleware } from "../mixins/request.ts";
import { streamsMiddleware } from "../mixins/streams.ts";
import { selectActors } from "./actor-patterns.ts";
import { type Booted, boot, prepareRuntime, secretFile } from "./boot.ts";
import { packetMiddleware } from "./packets.ts";
import { watchTransport } from "./transport.ts";

const ROOT = path.join(import.meta.dirname, "..");
const { Timeout, ErrorHandler, ContextTracker } = (moleculer as unknown as { Middlewares: Record<string, Middleware> })
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

/** What a node tells while it runs. */
interface Attendant {
  /** Is told what was booted, and that it is down. */
  keep?(booted: Booted | null): void;
  /** Is told, in a sentence, why the node cannot go on. */
  onEnd?(reason: string): void;
  /** Calls the start off. */
  signal?: AbortSignal;
  /** See `createNode`. */
  standIns?: readonly string[];
}

/** The end of a process that nothing else watches over. */
function endProcess(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

/**
 * What a broker of this service is made with. PostgreSQL, schema and pool come up before any actor starts, and go down after the last
 * has stopped.
 * @throws DeclarationRefused when what the modules declare does not fit together
 */
export function brokerOptions(
  config: Config,
  { keep = () => {}, onEnd = endProcess, signal, standIns = [] }: Attendant = {},
): BrokerOptions {
  catalogue();
  prepareRuntime(config);
  let running: Booted | null = null;
  const foundation: Middleware = {
    name: "Foundation",
    async starting(broker) {
      const logger = broker.getLogger("database");
      const supervision = { onRestart: (sentence: string) => logger.warn(sentence), onEnd };
      if (isEmbedded(config) && !existsSync(secretFile(config)))
        logger.info(`Making a database in ${config.dataDir}; this takes some seconds.`);
      running = await boot(config, (line) => logger.info(line), { supervision, signal });
      if (running.migrated.length > 0) logger.info(`Steps that brought the schema to this version: ${running.migrated.length}.`);
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
      ErrorHandler,
      requestMiddleware(standIns),
      outboundMiddleware(),
      databaseFiguresMiddleware(),
      jobsMiddleware(standIns),
      streamsMiddleware(),
      packetMiddleware(),
    ] as Middleware[],
    requestTimeout: config.requestTimeout,
    heartbeatInterval: 1,
    heartbeatTimeout: 3,
    tracking: { enabled: true, shutdownTimeout: 10_000 },
    metrics: config.metricsPort === undefined ? false : { enabled: true, reporter: [prometheus(config.metricsPort)] },
  };
}

/** Longest wait for a start that was called off to come to an end, in milliseconds. */
const LONGEST_START = 10_000;

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

/** Files of the actors that the patterns name (operator/actor-patterns.ts). @throws ConfigurationError for a pattern that names none */
async function actorFiles(patterns: readonly string[]): Promise<string[]> {
  const files = globSync("{services,integrations}/**/*.service.ts", { cwd: ROOT }).sort();
  if (patterns.length === 0) return files;
  const named = await Promise.all(files.map(async (file) => ({ file, name: (await schemaOf(file)).name })));
  return selectActors(patterns, named).map(({ file }) => file);
}

const schemaOf = async (file: string): Promise<ServiceSchema> => (await import(path.join(ROOT, file))).default;

/** A start that fails is told by the one who starts, so that it is told once, and in a sentence where there is one. */
function leaveFailureToCaller({ logger }: moleculer.ServiceBroker): void {
  const log = logger.error.bind(logger);
  logger.error = (...told: unknown[]) => (told[0] === "Unable to start all services." ? undefined : log(...told));
}

/**
 * Makes a node with the actors that match the patterns, all of them by default.
 * @param extra actors beside the service's own, for tests
 * @param standIns modules that are not built and whose permissions those actors stand on, for tests alone
 * @param onEnd is told, in a sentence, why the node cannot go on; by default the process ends
 */
export async function createNode(
  config: Config,
  patterns: readonly string[] = [],
  extra: readonly ServiceSchema[] = [],
  standIns: readonly string[] = [],
  onEnd: (reason: string) => void = endProcess,
): Promise<ServiceNode> {
  const calling = new AbortController();
  const { signal } = calling;
  const options = brokerOptions(config, { keep: (booted) => (node.booted = booted), onEnd, signal, standIns });
  const broker = new moleculer.ServiceBroker({ ...options, skipProcessEventRegistration: true });
  leaveFailureToCaller(broker);
  const gateway = () => broker.getLocalService("api") as unknown as ApiActor | undefined;
  let starting: Promise<void> | null = null;
  let stopping: Promise<void> | null = null;
  const node: ServiceNode = {
    broker,
    booted: null,
    port: () => gateway()?.server.address()?.port,
    async start() {
      if (gateway()) await requireFreePort(config);
      signal.throwIfAborted();
      starting = broker.start();
      try {
        await starting;
      } catch (error) {
        await node.stop();
        throw error;
      }
    },
    stop() {
      stopping ??= (async () => {
        calling.abort();
        // What has begun to start comes to its end first: half an actor cannot be stopped.
        await Promise.race([starting?.catch(() => {}), delay(LONGEST_START, undefined, { ref: false })]);
        // Where nothing was booted no actor has started either.
        if (!node.booted) return;
        await gateway()?.gateway.drain();
        await broker.stop();
      })();
      return stopping;
    },
  };
  if (config.transporter !== undefined) watchTransport(broker, config.transporter, { onEnd, signal });
  for (const file of await actorFiles(patterns)) broker.createService(await schemaOf(file));
  for (const schema of extra) broker.createService(schema);
  return node;
}
