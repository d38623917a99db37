import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger, ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import { RateLimiter } from "../../core/http/rate-limit.ts";
import { grantCookie, sessionCookie } from "../../core/http/session-cookie.ts";
import { counted, type Tally } from "../../core/request/statement-count.ts";
import { tracing } from "../../core/tracing/tracing.ts";
import { meterOf } from "../../mixins/ops/node-figures.ts";
import { ActionCalls } from "./action-calls.ts";
import { describe, type Headers, reasonOf } from "./http/answers.ts";
import { Cors } from "./http/cors.ts";
import { credentialReader } from "./http/credentials.ts";
import { type Callers, readCallers, requireOneHost } from "./http/hosts.ts";
import { PROBES, RequestReport } from "./http/request-report.ts";
import { inRequestSpan } from "./http/request-span.ts";
import { strictTransport } from "./http/strict-transport.ts";
import { refuseUnparsed } from "./http/unparsed.ts";
import { InstanceCalls } from "./instance-calls.ts";
import { McpEndpoint } from "./mcp/endpoint.ts";
import { Principals } from "./principals.ts";
import { Requests, type WebRequest } from "./requests.ts";
import { type Route, Routes } from "./routes.ts";
import { Sending } from "./streams/sending.ts";
import { SystemRoutes } from "./system-routes.ts";
import type { Trace } from "./trace.ts";
import { UseStamps } from "./use-stamps.ts";

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** How often a starting node looks whether its actors run, in milliseconds. */
const ACTORS_AWAITED = 20;
const HOUSEKEEPING = 300_000;
/** Grace period for an accepted connection to send its request, in milliseconds. */
const ON_ITS_WAY = 100;
/** Longest wait for running requests at shutdown, in milliseconds. */
const DRAIN = 10_000;

/** The gateway of a node from start to stop: its routes, its connections, and what precedes and follows each request. */
export class Gateway {
  readonly requests: Requests;
  readonly #broker: ServiceBroker;
  readonly #logger: Logger;
  readonly #principals = new Principals();
  readonly #routing = new Routes();
  readonly #stamps: UseStamps;
  readonly #systemRoutes: SystemRoutes;
  readonly #sending: Sending;
  readonly #timer: NodeJS.Timeout;
  readonly #report: RequestReport;
  readonly #cors = new Cors(runtime().config.corsOrigins ?? []);
  /** Unfinished answers. */
  readonly #unfinished = new Set<ServerResponse>();
  readonly #strictTransport = strictTransport(runtime().scheme);
  /** The last request of each connection. */
  readonly #heard = new WeakMap<Socket, IncomingMessage>();
  readonly #offer: (routes: readonly Route[]) => void;
  #callers!: Callers;
  #server: Server | null = null;
  #draining = false;
  #stopped = false;
  #hasChanged = false;
  #refreshing: Promise<void> | null = null;

  /** @param offer serves these routes instead of those before */
  constructor(broker: ServiceBroker, logger: Logger, offer: (routes: readonly Route[]) => void) {
    const { config, scheme } = runtime();
    this.#broker = broker;
    this.#logger = logger;
    this.#offer = offer;
    this.#stamps = new UseStamps((error) =>
      logger.warn({ event: "api.use_not_stamped", error: describe(error) }, "last use could not be stamped"),
    );
    const cookies = { session: sessionCookie(scheme), grant: grantCookie(scheme) };
    const readCredential = credentialReader(config.keyPrefix, cookies);
    const routing = this.#routing;
    const callers = () => this.#callers;
    const instance = new InstanceCalls({ broker, logger, callers, readCredential });
    const shared = { broker, logger, principals: this.#principals, callers, readCredential, routing, instance };
    const calls = new ActionCalls({ ...shared, stamps: this.#stamps });
    this.#systemRoutes = new SystemRoutes(shared);
    this.#report = new RequestReport(broker, logger);
    this.#sending = new Sending(broker, logger, (host, { meta }) => this.#principals.forget(host, meta.organisation, null));
    this.requests = new Requests({
      ...shared,
      calls,
      mcp: new McpEndpoint({ ...shared, calls }),
      systemRoutes: this.#systemRoutes,
      sending: this.#sending,
      isDraining: () => this.#draining,
    });
    this.#timer = setInterval(() => void this.#housekeep(), HOUSEKEEPING).unref();
  }

  /**
   * Waits for the node's other actors and reads the routes. The server listens only then, so that no call gets a 404 for an endpoint that is
   * there.
   * @throws Error if the node stops first
   */
  async prepare(): Promise<void> {
    const others = this.#broker.services.map(({ fullName }) => fullName).filter((name) => name !== "api");
    while (!others.every((name) => this.#broker.registry.hasService(name, this.#broker.nodeID))) {
      if (this.#stopped) throw new Error("the node stopped before its actors had started");
      await delay(ACTORS_AWAITED);
    }
    await this.#routing.load(runtime().config.transporter === undefined);
    await this.refresh();
  }

  /** Begins to serve, once the server listens and its port is known. */
  async start(server: Server): Promise<void> {
    const { config, scheme } = runtime();
    const { port } = server.address() as AddressInfo;
    const embeddedHttp = scheme === "http" && config.databaseUrl === undefined;
    runtime().publicPort = config.publicPort ?? (embeddedHttp ? port : undefined);
    this.#callers = readCallers(config, scheme, runtime().publicPort);
    server.keepAliveTimeout = 65_000;
    server.on("clientError", (error, socket) => refuseUnparsed(error, socket as Socket, this.#heard, this.#strictTransport));
    this.#server = server;
    await this.refresh();
  }

  /**
   * Reports this node as not ready for `SERVICE_SHUTDOWN_DELAY_MS` while it still serves. Then it refuses new connections and waits at most
   * `DRAIN` ms for running requests; it cuts off longer ones.
   */
  async drain(): Promise<void> {
    const server = this.#server;
    if (!server?.listening) return;
    this.#draining = true;
    meterOf(this.#broker).isDraining = true;
    for (const response of this.#unfinished) endConnection(response);
    await delay(runtime().config.shutdownDelay);
    this.#sending.drain();
    // http's own close would cut off connections whose first request is still in transit.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    await delay(ON_ITS_WAY);
    server.closeIdleConnections();
    const late = setTimeout(() => server.closeAllConnections(), DRAIN);
    await closed;
    clearTimeout(late);
    // net's close leaves http's timer over the connections running, and it would keep this node in memory.
    server.close(() => {});
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#report.stop();
    await this.#stamps.flush();
  }

  /** Rebuilds the routes after a registry change. Changes during a rebuild share one further round, however many actors there are. */
  refresh(): Promise<void> {
    this.#hasChanged = true;
    this.#refreshing ??= this.#follow().finally(() => (this.#refreshing = null));
    return this.#refreshing;
  }

  async #follow(): Promise<void> {
    while (this.#hasChanged) {
      this.#hasChanged = false;
      if (!this.#routing.rebuild(this.#broker)) continue;
      this.#offer(this.#routing.all);
      this.#systemRoutes.forgetDocument();
      await this.#remember();
    }
  }

  /** Stores the routes. Without the database the gateway still serves them and retries later. */
  async #remember(): Promise<void> {
    const failed = (error: unknown) =>
      this.#logger.warn({ event: "api.routes_not_stored", reason: reasonOf(error) }, "the routes could not be remembered");
    await this.#routing.save().catch(failed);
  }

  async #housekeep(): Promise<void> {
    await Promise.all([this.#stamps.flush(), this.#remember()]);
    await RateLimiter.sweep().catch((error: unknown) =>
      this.#logger.warn({ event: "api.rate_windows_not_deleted", error: describe(error) }, "old rate windows stay"),
    );
  }

  /**
   * Serves an HTTP request: what precedes and follows its routes.
   * @param route takes the request through moleculer-web's routes
   */
  async serveHttp(request: IncomingMessage, response: ServerResponse, route: () => Promise<void>): Promise<void> {
    const given = request.headers["x-request-id"];
    const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
    const headers: Headers = { "X-Request-Id": requestId };
    const trace: Trace = { requestId, path: request.url?.split("?")[0] ?? "/", organisation: null, caller: null, headers };
    const began = performance.now();
    const tally: Tally = { statements: 0, request: trace };
    const served = request as WebRequest;
    served.trace = trace;
    served.tally = tally;
    this.#track(request, response);
    // Set on the response, so that every writer (page, file, stream, reference) sends it.
    if (this.#strictTransport) response.setHeader(...this.#strictTransport);
    try {
      requireOneHost(request);
      if (this.#cors.answers(request, response)) return;
      const serve = async () => {
        await counted(tally, route);
        await served.served;
      };
      if (tracing && !PROBES.has(trace.path)) await inRequestSpan(tracing, request, response, trace, serve);
      else await serve();
    } catch (error) {
      this.requests.refuse(served, response, error);
    }
    this.#report.note(request, response, trace, tally.statements, performance.now() - began);
  }

  /** Remembers the request by its connection, and its answer until it is finished. */
  #track(request: IncomingMessage, response: ServerResponse): void {
    this.#heard.set(request.socket, request);
    this.#unfinished.add(response);
    if (this.#draining) endConnection(response);
    response.once("close", () => {
      this.#unfinished.delete(response);
      // An answer that began before the drain could not announce that its connection ends.
      if (this.#draining && !this.#server?.listening) this.#server?.closeIdleConnections();
    });
  }
}

/** Closes the connection after its answer, unless the head is already sent. */
function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}
