import { globSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BrokerOptions, Middleware, ServiceSchema } from "moleculer";
import * as moleculer from "moleculer";
import { type Config, ConfigurationError, isEmbedded } from "../core/config/config.ts";
import { catalogue } from "../core/declare/catalogue/catalogue.ts";
import { hasCluster } from "../core/embedded/placement.ts";
import { missingParts, readinessOf } from "../core/health/readiness.ts";
import { importFound } from "../core/values/found-files.ts";
import { countersMiddleware } from "../mixins/figures/counters.ts";
import { databaseFiguresMiddleware } from "../mixins/figures/database-figures.ts";
import { processFiguresMiddleware } from "../mixins/figures/process-figures.ts";
import { sharedFiguresMiddleware } from "../mixins/figures/shared-figures.ts";
import { jobsMiddleware } from "../mixins/jobs.ts";
import { nodeFiguresMiddleware, nodeService } from "../mixins/ops/node-figures.ts";
import { outboundMiddleware } from "../mixins/outbound.ts";
import { requestMiddleware } from "../mixins/request/request.ts";
import { statementCountMiddleware } from "../mixins/request/statement-count.ts";
import { streamsMiddleware } from "../mixins/streams.ts";
import { tracingMiddleware } from "../mixins/tracing.ts";
import { selectActors } from "./actor-patterns.ts";
import { type Booted, type BootLog, boot, prepareRuntime } from "./boot.ts";
import { serveProbes } from "./health-server.ts";
import { answerUnready } from "./lost-database.ts";
import { moleculerExporters, moleculerMiddlewares } from "./moleculer-exporters.ts";
import { announcementMiddleware } from "./packets/announcements.ts";
import { packetMiddleware } from "./packets/packets.ts";
import { startTraces } from "./traces/traces.ts";
import { watchTransport } from "./transport.ts";
import { transporterOf } from "./transporter.ts";

const ROOT = path.join(import.meta.dirname, "..");
type MakeMiddleware = (broker: moleculer.ServiceBroker) => Middleware;

const { Timeout, ErrorHandler, ContextTracker } = (
  moleculer as unknown as { Middlewares: { Timeout: Middleware; ErrorHandler: Middleware; ContextTracker: MakeMiddleware } }
).Middlewares;

/** A node of the service: its broker and, once started, its databases. */
export interface ServiceNode {
  broker: moleculer.ServiceBroker;
  /** Set between `start` and `stop`. */
  booted: Booted | null;
  /** Port of the gateway, if this node has one and is started. */
  port(): number | undefined;
  start(): Promise<void>;
  /** Drains and stops: rejects new connections, lets running requests finish, then stops actors and databases. Can be called again. */
  stop(): Promise<void>;
}

type ApiActor = { server: { address(): { port: number } | null }; gateway: { drain(): Promise<void> } };

/** Moleculer's loggers take a text and then details; pino logs details only if they come first. */
function detailsFirst(this: unknown, given: unknown[], log: (...ordered: unknown[]) => void): void {
  const [text, details] = given;
  if (typeof text === "string" && typeof details === "object" && details !== null) log.call(this, details, text);
  else log.apply(this, given);
}

/**
 * Moleculer's tracking of calls in its two parts: at a stop it waits for them in the place that it has among the other middlewares, and it
 * counts a call from the outermost place. From within, a call that is being checked, is committing or has timed out would not be what it is
 * to its caller.
 */
const callsAwaited: MakeMiddleware = (broker) => {
  const { created, serviceStarting, serviceStopping, stopping } = ContextTracker(broker);
  return { name: "CallsAwaited", created, serviceStarting, serviceStopping, stopping } as Middleware;
};
const callsTracked: MakeMiddleware = (broker) => {
  const { localAction, remoteAction, localEvent } = ContextTracker(broker);
  return { name: "CallsTracked", localAction, remoteAction, localEvent } as Middleware;
};

/** Callbacks of a node while it runs. */
interface Attendant {
  /** Receives the booted databases, and null after they are closed. */
  keep?(booted: Booted | null): void;
  /** Receives a sentence that says why the node cannot continue. */
  onEnd?(reason: string): void;
  /** Cancels the start. */
  signal?: AbortSignal;
  /** See `createNode`. */
  standIns?: readonly string[];
}

/** Ends the process if no caller handles the failure. */
function endProcess(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

/**
 * Broker options of this service. PostgreSQL, schema and pool start before any actor, and stop after the last.
 * @throws DeclarationRefused if the modules' declarations contradict each other
 */
export function brokerOptions(
  config: Config,
  { keep = () => {}, onEnd = endProcess, signal, standIns = [] }: Attendant = {},
): BrokerOptions {
  catalogue();
  prepareRuntime(config);
  let running: Booted | null = null;
  let endTraces = async () => {};
  const foundation: Middleware = {
    name: "Foundation",
    async starting(broker) {
      const logger = broker.getLogger("database");
      const supervision = {
        onRestart: (sentence: string) => logger.warn({ event: "database.server_restarted" }, sentence),
        onEnd,
      };
      if (isEmbedded(config) && !hasCluster(config.dataDir))
        logger.info({ event: "database.creation_started" }, `Creating a database in ${config.dataDir}; this takes some seconds.`);
      const log: BootLog = {
        progress: (line) => logger.info({ event: "database.progress_reported" }, line),
        schemaAwaited: (line) => logger.info({ event: "database.schema_awaited" }, line),
        replicaChanged: (replica, reason) =>
          reason === null
            ? logger.info({ event: "database.replica_used", replica }, "This replica answers lists, exports and reports.")
            : logger.warn(
                { event: "database.replica_not_used", replica, reason },
                "This replica answers nothing; the primary does.",
              ),
        connectionLost: (line) => logger.info({ event: "database.connection_lost" }, line),
        slowStatements: ({ action, requestId, ms, statements, sql }) =>
          logger.warn(
            { event: "database.statement_was_slow", action, requestId, ms, statements, sql },
            "SQL statements took longer than SERVICE_SLOW_STATEMENT_MS",
          ),
      };
      endTraces = await startTraces(config, broker);
      running = await boot(config, log, { supervision, signal }).catch(async (error: unknown) => {
        await endTraces();
        throw error;
      });
      if (running.migrated.length > 0)
        logger.info(
          { event: "database.schema_migrated" },
          `Steps that brought the schema to this version: ${running.migrated.length}.`,
        );
      keep(running);
    },
    async stopped() {
      await endTraces();
      await running?.shutdown();
      running = null;
      keep(null);
    },
  };
  // At `info`, log the service's messages but not the framework's.
  const level = config.logLevel === "info" ? { API: "info", DATABASE: "info", "**": "warn" } : config.logLevel;
  return {
    namespace: "kantoor",
    nodeID: config.nodeId ?? null,
    transporter: transporterOf(config),
    logger:
      config.logLevel === "silent"
        ? false
        : { type: "Pino", options: { level, pino: { options: { level: config.logLevel, hooks: { logMethod: detailsFirst } } } } },
    // This service sets the order: permission and licence come before validation, so Moleculer's own validator must not run first.
    internalMiddlewares: false,
    internalServices: { $node: nodeService() } as never,
    middlewares: [
      foundation,
      callsAwaited,
      Timeout,
      ErrorHandler,
      requestMiddleware(standIns),
      ...(config.countStatements ? [statementCountMiddleware()] : []),
      outboundMiddleware(),
      databaseFiguresMiddleware(),
      sharedFiguresMiddleware(),
      countersMiddleware(),
      processFiguresMiddleware(),
      jobsMiddleware(standIns),
      nodeFiguresMiddleware(),
      streamsMiddleware(),
      announcementMiddleware(),
      packetMiddleware(),
      callsTracked,
      // The last is the outermost. Without traces nothing wraps an action for them.
      ...(config.tracesEndpoint === undefined ? [] : [tracingMiddleware()]),
      ...moleculerMiddlewares(config),
    ] as Middleware[],
    requestTimeout: config.requestTimeout,
    heartbeatInterval: 1,
    heartbeatTimeout: 3,
    tracking: { enabled: true, shutdownTimeout: 10_000 },
    ...moleculerExporters(config),
  };
}

/** How long a stop waits for a cancelled start, in milliseconds. */
const LONGEST_START = 10_000;

/** Checks the API's port before a database is started for nothing. @throws ConfigurationError if the port is in use */
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

/**
 * Opens the probes of a node without a gateway, before it boots. Such a node serves other nodes alone: without the transport it is not ready.
 * @returns closes them
 * @throws ConfigurationError if the port is in use
 */
async function openProbes(
  { healthPort: port, healthAddress: host }: Config,
  { logger }: moleculer.ServiceBroker,
  { isServing, isJoined }: { isServing(): boolean; isJoined(): boolean },
): Promise<() => Promise<void>> {
  if (port === undefined) return async () => {};
  const ready = async () => {
    const missing = await missingParts(logger);
    if (!isJoined()) missing.push("transport");
    return readinessOf(missing, isServing());
  };
  return serveProbes({ port, host }, ready).catch((error: NodeJS.ErrnoException) => {
    const sentence = `Port ${port} on ${host} cannot be used (${error.code}); set SERVICE_HEALTH_PORT to a free one.`;
    throw new ConfigurationError(sentence);
  });
}

/** Actors that work as the owner of the tables. */
const OWNERS_ACTORS = "operator/**/*.service.ts";

/**
 * Files of the actors that match the patterns (operator/actor-patterns.ts). A node without the owner's address has none that need it.
 * @throws ConfigurationError if a pattern matches none
 */
async function actorFiles(config: Config, patterns: readonly string[]): Promise<string[]> {
  const isOwner = isEmbedded(config) || config.migrationUrl !== undefined;
  const globs = ["{services,integrations}/**/*.service.ts", ...(isOwner ? [OWNERS_ACTORS] : [])];
  const files = globSync(globs, { cwd: ROOT }).sort();
  if (patterns.length === 0) return files;
  const named = await Promise.all(files.map(async (file) => ({ file, name: (await schemaOf(file)).name })));
  return selectActors(patterns, named).map(({ file }) => file);
}

const schemaOf = async (file: string): Promise<ServiceSchema> =>
  (await importFound<{ default: ServiceSchema }>(path.join(ROOT, file))).default;

/** Suppresses the broker's log of a failed start: the caller reports it once, in a sentence if possible. */
function leaveFailureToCaller({ logger }: moleculer.ServiceBroker): void {
  const log = logger.error.bind(logger);
  logger.error = (...values: unknown[]) => (values[0] === "Unable to start all services." ? undefined : log(...values));
}

/**
 * Creates a node with the actors that match the patterns, by default all.
 * @param extra more actors, for tests
 * @param standIns planned modules whose permissions those actors require, only for tests
 * @param onEnd receives a sentence that says why the node cannot continue; by default the process ends
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
  let isServing = false;
  /** Whether other nodes reach this one; a single node has no others. */
  let isJoined = () => true;
  let closeProbes = async () => {};
  const node: ServiceNode = {
    broker,
    booted: null,
    port: () => gateway()?.server.address()?.port,
    async start() {
      if (gateway()) await requireFreePort(config);
      else closeProbes = await openProbes(config, broker, { isServing: () => isServing, isJoined: () => isJoined() });
      try {
        signal.throwIfAborted();
        starting = broker.start();
        await starting;
        isServing = !signal.aborted;
      } catch (error) {
        await node.stop();
        throw error;
      }
    },
    stop() {
      stopping ??= (async () => {
        calling.abort();
        isServing = false;
        // Let the start finish first: a half-started actor cannot be stopped.
        await Promise.race([starting?.catch(() => {}), delay(LONGEST_START, undefined, { ref: false })]);
        // If nothing was booted, no actor has started.
        if (node.booted) {
          await gateway()?.gateway.drain();
          await broker.stop();
        }
        await closeProbes();
      })();
      return stopping;
    },
  };
  if (config.transporter !== undefined) {
    // A node without a gateway has its probes already.
    const awaits = async () => (gateway() ? answerUnready(config, true, "transport") : async () => {});
    isJoined = watchTransport(broker, config.transporter, { onEnd, awaits, signal });
  }
  for (const file of await actorFiles(config, patterns)) broker.createService(await schemaOf(file));
  for (const schema of extra) broker.createService(schema);
  return node;
}
