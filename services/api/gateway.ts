import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger, ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import { notFound, type RefusalParts, refusal } from "../../core/errors/errors.ts";
import { RateLimiter } from "../../core/http/rate-limit.ts";
import { grantCookie, sessionCookie } from "../../core/http/session-cookie.ts";
import type { HttpAnswer } from "../../core/request/context.ts";
import { counted, type Tally } from "../../core/request/statement-count.ts";
import { bearerChallenge } from "../../core/security/oauth-resource.ts";
import { ActionCalls, type Trace } from "./action-calls.ts";
import { asApiError, describe, type Headers, reasonOf, refusalBody, write } from "./http/answers.ts";
import { Cors } from "./http/cors.ts";
import { type Credential, credentialReader } from "./http/credentials.ts";
import { sendFile } from "./http/file-sending.ts";
import { type Callers, readCallers, requireOneHost } from "./http/hosts.ts";
import { decodable, splitUrl } from "./http/input.ts";
import { CallerGone } from "./http/receiving.ts";
import { RequestReport } from "./http/request-report.ts";
import { strictTransport } from "./http/strict-transport.ts";
import { refuseUnparsed } from "./http/unparsed.ts";
import { wellKnown } from "./http/well-known.ts";
import { MCP_PATH, McpEndpoint } from "./mcp/endpoint.ts";
import type { DeclaredPage } from "./pages/declared.ts";
import { Principals } from "./principals.ts";
import { Routes } from "./routes.ts";
import { Sending } from "./streams/sending.ts";
import { SystemRoutes } from "./system-routes.ts";
import { UseStamps } from "./use-stamps.ts";

const API = "/api/";
/** Where the routes of actions begin. */
const ACTIONS = "/api/v1/";
const READY = new Set(["/health/ready", "/api/v1/health/ready"]);
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** How often a starting node looks whether its actors run, in milliseconds. */
const ACTORS_AWAITED = 20;
const HOUSEKEEPING = 300_000;
/** Grace period for an accepted connection to send its request, in milliseconds. */
const ON_ITS_WAY = 100;
/** Longest wait for running requests at shutdown, in milliseconds. */
const DRAIN = 10_000;

/** Handles a request end to end: host to organisation, credential to principal, route to action, answer to socket. */
export class Gateway {
  readonly #broker: ServiceBroker;
  readonly #logger: Logger;
  readonly #principals = new Principals();
  readonly #routing = new Routes();
  readonly #stamps: UseStamps;
  readonly #calls: ActionCalls;
  readonly #systemRoutes: SystemRoutes;
  readonly #mcp: McpEndpoint;
  readonly #sending: Sending;
  readonly #timer: NodeJS.Timeout;
  readonly #readCredential: (request: IncomingMessage) => Credential | null;
  readonly #report: RequestReport;
  readonly #cors = new Cors(runtime().config.corsOrigins ?? []);
  /** Unfinished answers. */
  readonly #unfinished = new Set<ServerResponse>();
  readonly #strictTransport = strictTransport(runtime().scheme);
  /** The last request of each connection. */
  readonly #heard = new WeakMap<Socket, IncomingMessage>();
  #callers!: Callers;
  #server: Server | null = null;
  #draining = false;
  #stopped = false;
  #hasChanged = false;
  #refreshing: Promise<void> | null = null;

  constructor(broker: ServiceBroker, logger: Logger) {
    const { config, scheme } = runtime();
    this.#broker = broker;
    this.#logger = logger;
    this.#stamps = new UseStamps((error) =>
      logger.warn({ event: "api.use_not_stamped", error: describe(error) }, "last use could not be stamped"),
    );
    const cookies = { session: sessionCookie(scheme), grant: grantCookie(scheme) };
    const readCredential = credentialReader(config.keyPrefix, cookies);
    this.#readCredential = readCredential;
    const shared = { broker, logger, principals: this.#principals, callers: () => this.#callers, readCredential };
    this.#calls = new ActionCalls({ ...shared, stamps: this.#stamps });
    this.#systemRoutes = new SystemRoutes({ ...shared, routing: this.#routing });
    this.#mcp = new McpEndpoint({ ...shared, calls: this.#calls, routing: this.#routing });
    this.#report = new RequestReport(broker, logger);
    this.#sending = new Sending(broker, logger, (host, { meta }) => this.#principals.forget(host, meta.organisation, null));
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

  /** Handles every HTTP request; replaces moleculer-web's handler. */
  async serveHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = request.headers["x-request-id"];
    const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
    const headers: Headers = { "X-Request-Id": requestId };
    const trace: Trace = { requestId, path: request.url?.split("?")[0] ?? "/", organisation: null, headers };
    const began = performance.now();
    const tally: Tally = { statements: 0 };
    this.#track(request, response);
    // Set on the response, so that every writer (page, file, stream, reference) sends it.
    if (this.#strictTransport) response.setHeader(...this.#strictTransport);
    try {
      requireOneHost(request);
      if (this.#cors.answers(request, response)) return;
      const answer = await this.#counted(tally, headers, () => this.#handle(request, response, trace));
      if (answer?.stream && trace.holder)
        await this.#sending.send(request, response, { ...headers, ...answer.headers }, answer.stream, trace.holder);
      else if (answer?.file) await sendFile(request, response, { ...headers, ...answer.headers }, answer.file);
      else if (answer) write(request, response, answer.status, { ...headers, ...answer.headers }, answer.body);
    } catch (error) {
      if (!(error instanceof CallerGone)) this.#refuse(request, response, trace, error);
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

  /** Counts a request's SQL statements, and reports them in a header if `SERVICE_COUNT_STATEMENTS` is on. */
  async #counted<T>(tally: Tally, headers: Headers, handle: () => Promise<T>): Promise<T> {
    try {
      return await counted(tally, handle);
    } finally {
      if (runtime().config.countStatements) headers["X-Statements"] = String(tally.statements);
    }
  }

  /** Handles everything from the request line to the answer. Returns null if the answer is already written. */
  #handle(request: IncomingMessage, response: ServerResponse, trace: Trace): Promise<HttpAnswer | null> {
    const [path = "/", query = ""] = splitUrl(request.url ?? "/");
    if (this.#draining && READY.has(path)) throw refusal("unavailable");
    if (path.startsWith(ACTIONS)) return this.#act(request, trace, path, query);
    if (path === MCP_PATH || path === `${MCP_PATH}/`) return this.#mcp.serve(request, response, trace);
    return this.#visit(request, response, trace, path, query);
  }

  /** Serves what is outside the API: its reference, pages, and the documents that the root of the host shows too. */
  async #visit(
    request: IncomingMessage,
    response: ServerResponse,
    trace: Trace,
    path: string,
    query: string,
  ): Promise<HttpAnswer | null> {
    const api = async (inner: IncomingMessage) => (await this.#handle(inner, response, trace)) as HttpAnswer;
    const renewed = () => [trace.headers["Set-Cookie"] ?? []].flat();
    const page = this.#declaredPage(request, trace, path, query);
    if (await this.#systemRoutes.serve({ path, request, response, requestId: trace.requestId, api, page, renewed })) return null;
    const elsewhere = wellKnown(path);
    if (elsewhere) return this.#act(request, trace, elsewhere.path, elsewhere.query);
    return this.#act(request, trace, path === "/health/ready" ? "/api/v1/health/ready" : path, query);
  }

  /** Calls the action of a path. @throws 404, 405, 503 while its actor is down */
  async #act(request: IncomingMessage, trace: Trace, rawPath: string, query: string): Promise<HttpAnswer | null> {
    const path = decodable(rawPath);
    const found = path === null ? null : this.#routing.find(methodOf(request), path);
    if (!found) {
      const known = path === null ? [] : this.#routing.methodsOf(path);
      throw known.length > 0 ? refusal("method_not_allowed", undefined, { headers: { Allow: known.join(", ") } }) : notFound();
    }
    const { declaration, available } = found.route;
    if (found.parameters["token"] !== undefined) trace.path = declaration.urlPath;
    trace.oauth = declaration.oauth;
    trace.action = declaration.name;
    if (declaration.untenanted && !declaration.returns) return this.#calls.bare(request, found, trace);
    if (!available) throw refusal("unavailable");
    if (READY.has(rawPath)) return this.#calls.ready(request, found);
    if (declaration.untenanted) return this.#calls.plain(request, found);
    return this.#calls.serve(request, trace, found, new URLSearchParams(query));
  }

  /** Finds the page an actor declares for this path, and how to call it. An undecodable path gets the not-found page. */
  #declaredPage(request: IncomingMessage, trace: Trace, rawPath: string, rawQuery: string): DeclaredPage | null {
    if (rawPath.startsWith(API)) return null;
    const page = this.#routing.page(methodOf(request), decodable(rawPath) ?? rawPath.replaceAll("%", "."));
    if (!page) return null;
    const { found } = page;
    if (!found) return { call: null };
    const { declaration, available } = found.route;
    if (found.parameters["token"] !== undefined) trace.path = declaration.urlPath;
    if (!available) return { call: () => Promise.reject(refusal("unavailable")) };
    return { call: () => this.#calls.serve(request, trace, found, new URLSearchParams(rawQuery)) };
  }

  /** The only code that turns an error into HTTP (conventions §8). */
  #refuse(request: IncomingMessage, response: ServerResponse, trace: Trace, error: unknown): void {
    const { requestId, path, organisation, headers } = trace;
    const known = asApiError(error);
    // A stopping node is meant to fail its health checks: proxies send their requests elsewhere.
    const isPlanned = this.#draining && READY.has(path);
    if (known.code >= 500 && !isPlanned)
      this.#logger.error(
        { event: "api.request_failed", requestId, organisation, error: describe(error) },
        `${request.method} ${path} failed`,
      );
    const { headers: extra } = (known.data ?? {}) as RefusalParts;
    if (known.code === 413 || known.code === 408) headers["Connection"] = "close";
    if (trace.oauth) headers["Cache-Control"] = "no-store";
    if (known.type === "unauthorized" && this.#readCredential(request) === null)
      headers["WWW-Authenticate"] = bearerChallenge(this.#callers.origin(this.#callers.host(request)));
    write(request, response, known.code, { ...headers, ...extra }, JSON.stringify(refusalBody(known, trace.oauth)));
  }
}

/** Closes the connection after its answer, unless the head is already sent. */
function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}

/** The method that a request is routed by: HEAD is a GET without its body. */
const methodOf = ({ method = "GET" }: IncomingMessage): string => (method === "HEAD" ? "GET" : method);
