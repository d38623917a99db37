import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger, ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import type { Action } from "../../core/declare/action.ts";
import { notFound, refusal, unauthorized } from "../../core/declare/errors.ts";
import { type Budget, RateLimiter } from "../../core/http/rate-limit.ts";
import { sessionCookie } from "../../core/http/session-cookie.ts";
import type { HttpAnswer, HttpParams, Meta } from "../../core/request/context.ts";
import { counted, type Tally } from "../../core/request/statement-count.ts";
import { asApiError, describe, type Headers, reasonOf, spend, write } from "./http/answers.ts";
import { type Credential, credentialReader, requireSameOrigin } from "./http/credentials.ts";
import { sendFile } from "./http/file-sending.ts";
import { type Callers, readCallers, requireOneHost } from "./http/hosts.ts";
import { decodable, httpParams, splitUrl, untenantedCall } from "./http/input.ts";
import { CallerGone } from "./http/receiving.ts";
import { refuseUnparsed } from "./http/unparsed.ts";
import type { DeclaredPage } from "./pages/declared.ts";
import { Principals } from "./principals.ts";
import { type Found, Routes } from "./routes.ts";
import { SystemRoutes } from "./system-routes.ts";
import { UseStamps } from "./use-stamps.ts";

const API = "/api/";
const MOST_RELOADS = 4;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const HOUSEKEEPING = 300_000;
/** What an accepted connection gets to send its request, in milliseconds. */
const ON_ITS_WAY = 100;
/** Longest wait for running requests when the service stops, in milliseconds. */
const DRAIN = 10_000;

/** What is known of a request while it is served: its name in the log, and the headers its answer will have. */
interface Trace {
  requestId: string;
  /** The path as the log may have it: without the token of a public address. */
  path: string;
  organisation: string | null;
  headers: Headers;
}

/** The road of a request (DESIGN): host to organisation, credential to principal, route to action, answer to socket. */
export class Gateway {
  readonly #broker: ServiceBroker;
  readonly #logger: Logger;
  readonly #principals = new Principals(runtime().config.posture);
  readonly #routing = new Routes();
  readonly #perKey: RateLimiter;
  readonly #attempts: Record<NonNullable<Action["limit"]>, RateLimiter>;
  readonly #stamps: UseStamps;
  readonly #readCredential: (request: IncomingMessage) => Credential | null;
  readonly #systemRoutes: SystemRoutes;
  readonly #timer: NodeJS.Timeout;
  readonly #logsRequests = ["debug", "trace"].includes(runtime().config.logLevel);
  /** The last request of each connection. */
  readonly #heard = new WeakMap<Socket, IncomingMessage>();
  #callers!: Callers;
  #server: Server | null = null;
  #draining = false;
  #hasChanged = false;
  #refreshing: Promise<void> | null = null;

  constructor(broker: ServiceBroker, logger: Logger) {
    const { config, scheme } = runtime();
    this.#broker = broker;
    this.#logger = logger;
    const failed = (error: unknown) => logger.error({ error: describe(error) }, "the rate limit store failed");
    this.#perKey = new RateLimiter(config.rateLimitPerKey, failed);
    this.#attempts = {
      "sign-in": new RateLimiter(config.rateLimitSignIn, failed),
      account: new RateLimiter(config.rateLimitAccount, failed),
    };
    this.#stamps = new UseStamps((error) => logger.warn({ error: describe(error) }, "last use could not be stamped"));
    this.#readCredential = credentialReader(config.keyPrefix, sessionCookie(scheme));
    this.#systemRoutes = new SystemRoutes({
      broker,
      logger,
      routing: this.#routing,
      principals: this.#principals,
      callers: () => this.#callers,
      readCredential: this.#readCredential,
    });
    this.#timer = setInterval(() => void this.#housekeep(), HOUSEKEEPING).unref();
  }

  /** Ready to serve once the server listens: from then on the public port is known. */
  async start(server: Server): Promise<void> {
    const { config, scheme } = runtime();
    const { port } = server.address() as AddressInfo;
    const embeddedHttp = scheme === "http" && config.databaseUrl === undefined;
    runtime().publicPort = config.publicPort ?? (embeddedHttp ? port : undefined);
    this.#callers = readCallers(config, scheme, runtime().publicPort);
    server.keepAliveTimeout = 65_000;
    server.on("clientError", (error, socket) => refuseUnparsed(error, socket as Socket, this.#heard));
    this.#server = server;
    await this.#routing.load(config.transporter === undefined);
    await this.refresh();
  }

  /** Takes no new connection and waits for running requests, at most `DRAIN` ms; what runs longer is cut off. */
  async drain(): Promise<void> {
    const server = this.#server;
    if (!server?.listening) return;
    this.#draining = true;
    // Not http's own close: it would cut off connections whose first request is still on its way.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    await delay(ON_ITS_WAY);
    server.closeIdleConnections();
    const late = setTimeout(() => server.closeAllConnections(), DRAIN);
    await closed;
    clearTimeout(late);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#stamps.flush();
  }

  /** Follows a change of the registry. What changes while it does so is followed in one further round, however many actors there are. */
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

  /** Without the database the routes are served all the same; they are remembered when it is back. */
  async #remember(): Promise<void> {
    const failed = (error: unknown) => this.#logger.warn({ reason: reasonOf(error) }, "the routes could not be remembered");
    await this.#routing.save().catch(failed);
  }

  async #housekeep(): Promise<void> {
    await Promise.all([this.#stamps.flush(), this.#remember()]);
    await RateLimiter.sweep().catch((error: unknown) => this.#logger.warn({ error: describe(error) }, "old rate windows stay"));
  }

  /** Entry of every HTTP request; replaces moleculer-web's. */
  async serveHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = request.headers["x-request-id"];
    const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
    const headers: Headers = { "X-Request-Id": requestId, ...(this.#draining && { Connection: "close" }) };
    const trace: Trace = { requestId, path: request.url?.split("?")[0] ?? "/", organisation: null, headers };
    const began = performance.now();
    const handle = () => this.#handle(request, response, trace);
    this.#heard.set(request.socket, request);
    try {
      requireOneHost(request);
      const answer = await (runtime().config.countStatements ? counting(headers, handle) : handle());
      if (answer?.file) await sendFile(request, response, { ...headers, ...answer.headers }, answer.file);
      else if (answer) write(request, response, answer.status, { ...headers, ...answer.headers }, answer.body);
    } catch (error) {
      if (!(error instanceof CallerGone)) this.#refuse(request, response, trace, error);
    }
    if (this.#logsRequests) {
      const ms = Math.round(performance.now() - began);
      const status = response.headersSent ? response.statusCode : null;
      this.#logger.debug({ requestId, organisation: trace.organisation, status, ms }, `${request.method} ${trace.path}`);
    }
  }

  /** Everything from the request line to the answer. Gives null when the answer was written already. */
  async #handle(request: IncomingMessage, response: ServerResponse, trace: Trace): Promise<HttpAnswer | null> {
    const [rawPath = "/", rawQuery = ""] = splitUrl(request.url ?? "/");
    const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
    const api = async (inner: IncomingMessage) => (await this.#handle(inner, response, trace)) as HttpAnswer;
    const renewed = () => [trace.headers["Set-Cookie"] ?? []].flat();
    const page = this.#declaredPage(request, trace, method, rawPath, rawQuery);
    if (await this.#systemRoutes.serve({ path: rawPath, request, response, requestId: trace.requestId, api, page, renewed }))
      return null;

    const path = decodable(rawPath);
    const found = path === null ? null : this.#routing.find(method, path === "/health/ready" ? "/api/v1/health/ready" : path);
    if (!found) {
      const known = path === null ? [] : this.#routing.methodsOf(path);
      throw known.length > 0 ? refusal("method_not_allowed", undefined, { headers: { Allow: known.join(", ") } }) : notFound();
    }
    const { declaration, available } = found.route;
    if (found.parameters["token"] !== undefined) trace.path = declaration.urlPath;
    if (declaration.untenanted && !declaration.returns) return this.#bareCall(request, found, trace);
    if (!available) throw refusal("unavailable", undefined, { headers: { "Retry-After": "5" } });
    if (declaration.untenanted) return this.#plainCall(request, found);
    return this.#serve(request, trace, found, new URLSearchParams(rawQuery));
  }

  /** The page some actor declares for this path, with the way to call it. A path that is no text is the page of something that is not there. */
  #declaredPage(request: IncomingMessage, trace: Trace, method: string, rawPath: string, rawQuery: string): DeclaredPage | null {
    if (rawPath.startsWith(API)) return null;
    const page = this.#routing.page(method, decodable(rawPath) ?? rawPath.replaceAll("%", "."));
    if (!page) return null;
    const { found } = page;
    if (!found) return { call: null };
    const { declaration, available } = found.route;
    if (found.parameters["token"] !== undefined) trace.path = declaration.urlPath;
    if (!available) return { call: () => Promise.reject(refusal("unavailable")) };
    return { call: () => this.#serve(request, trace, found, new URLSearchParams(rawQuery)) };
  }

  /** Steps 1 to 5 of conventions §3.3, then the action; repeated with a fresh principal when access has moved on. */
  async #serve(request: IncomingMessage, trace: Trace, found: Found, query: URLSearchParams): Promise<HttpAnswer> {
    const { declaration } = found.route;
    const { requestId, headers } = trace;
    const host = this.#callers.host(request);
    const address = this.#callers.address(request);
    const origin = this.#callers.origin(host);
    const { limit } = declaration;
    const presented = this.#readCredential(request);
    const presentsKey = presented?.kind === "key";
    const credential = declaration.needs === "nothing" ? null : presented;
    const { upload } = found.route;
    // A body is not awaited, and a file not taken in, before its sender is known and may send it.
    let http: HttpParams | null = null;
    let budget: Budget | null | undefined;

    for (let reload = 1; ; reload++) {
      const { organisation, known } = await this.#principals.resolve(
        host,
        this.#callers.slug(host),
        credential,
        presentsKey,
        declaration.whileSuspended,
      );
      trace.organisation = organisation.slug;
      if (limit) budget ??= await this.#attempts[limit].take(`${limit}:${host}:${address}`);
      if (known && presentsKey) budget ??= await this.#perKey.take(`key:${known.principal.credential.id}`);
      const meta: Meta = {
        organisation,
        principal: known?.principal ?? null,
        requestId,
        host,
        address,
        origin,
        userAgent: request.headers["user-agent"]?.slice(0, 512) ?? null,
      };
      try {
        const refused = thrownBy(() => {
          if (budget && limit) spend(budget, headers);
          if (declaration.needs !== "nothing" && !known) throw unauthorized();
          // Also where no cookie is needed: a foreign page could sign a browser in as another person. No page can send our keys.
          if (!presentsKey) requireSameOrigin(request, origin);
          if (budget && !limit) spend(budget, headers);
          if (!http) upload?.admit(known?.principal ?? null);
        });
        if (refused) {
          await this.#principals.confirm(organisation);
          throw refused;
        }
        http ??= await httpParams(request, found, query, organisation.id);
        // The bytes of an upload are removed when its action refuses them, so it is not asked a second time.
        const retries = !upload && (declaration.method === "GET" || http.$http.idempotency !== undefined) ? 3 : 0;
        const answer = await this.#broker.call<HttpAnswer, HttpParams>(declaration.name, http, {
          meta,
          retries,
          requestID: requestId,
        });
        if (known) this.#stamps.note(organisation, known, headers, credential?.value as string);
        return answer;
      } catch (error) {
        if ((error as Error).name !== "StaleAccess" || reload === MOST_RELOADS) throw error;
        this.#principals.forget(host, organisation, credential);
      }
    }
  }

  async #plainCall(request: IncomingMessage, found: Found): Promise<HttpAnswer> {
    const call = await untenantedCall(request, found);
    const { status, body } = await this.#broker.call<{ status: number; body?: object }, object>(
      found.route.declaration.name,
      call,
    );
    return { status, headers: {}, body: body === undefined ? null : JSON.stringify(body) };
  }

  /** An answer without a body, whatever goes wrong: who calls back understands the status alone, and tries again later. */
  async #bareCall(request: IncomingMessage, found: Found, { requestId }: Trace): Promise<HttpAnswer> {
    try {
      return await this.#plainCall(request, found);
    } catch (error) {
      if (error instanceof CallerGone) throw error;
      const { name } = found.route.declaration;
      this.#logger.error({ requestId, organisation: null, error: describe(error) }, `${name} failed`);
      return { status: 503, headers: { "Retry-After": "5" }, body: null };
    }
  }

  /** The only place where an error becomes HTTP (conventions §8). */
  #refuse(request: IncomingMessage, response: ServerResponse, trace: Trace, error: unknown): void {
    const { requestId, path, organisation, headers } = trace;
    const known = asApiError(error);
    if (known.code >= 500)
      this.#logger.error({ requestId, organisation, error: describe(error) }, `${request.method} ${path} failed`);
    const { fields, details, headers: extra } = (known.data ?? {}) as { fields?: object; details?: object; headers?: Headers };
    const envelope = {
      error: { code: known.type, message: known.message, ...(fields && { fields }), ...(details && { details }) },
    };
    if (known.code === 413 || known.code === 408) headers["Connection"] = "close";
    write(request, response, known.code, { ...headers, ...extra }, JSON.stringify(envelope));
  }
}

/** Names in a header how many statements the handling of a request took, whatever came of it. */
async function counting<T>(headers: Headers, handle: () => Promise<T>): Promise<T> {
  const tally: Tally = { statements: 0 };
  try {
    return await counted(tally, handle);
  } finally {
    headers["X-Statements"] = String(tally.statements);
  }
}

function thrownBy(checks: () => void): unknown {
  try {
    checks();
    return null;
  } catch (error) {
    return error;
  }
}
