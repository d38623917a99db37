import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger, ServiceBroker } from "moleculer";
import type { HttpAnswer, HttpParams, Meta } from "../../core/context.ts";
import { digest } from "../../core/crypto.ts";
import { StaleAccess } from "../../core/database.ts";
import { type ApiError, isApiError, notFound, refusal, unauthorized } from "../../core/errors.ts";
import { runtime } from "../../core/runtime.ts";
import { sessionCookie } from "../../core/session-cookie.ts";
import { isStorable, readBody } from "./body.ts";
import { type Credential, credentialReader, requireSameOrigin } from "./credentials.ts";
import { docsHandler } from "./docs.ts";
import { type Callers, readCallers } from "./hosts.ts";
import { openApiDocument } from "./openapi.ts";
import { type Known, Principals } from "./principals.ts";
import { type Budget, budgetHeaders, RateLimiter } from "./rate-limit.ts";
import { type Found, Routes } from "./routes.ts";
import { UseStamps } from "./use-stamps.ts";

const MOST_RELOADS = 4;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const SIGN_IN = "POST /auth/login";
const REFERENCE = /^\/api\/(docs|redoc|openapi\.json)(\/|$)/;
const HOUSEKEEPING = 300_000;
/** Longest wait for running requests when the service stops, in milliseconds. */
const DRAIN = 10_000;

type Headers = Record<string, string | string[]>;

/** The road of a request (DESIGN): host to organisation, credential to principal, route to action, answer to socket. */
export class Gateway {
  readonly #broker: ServiceBroker;
  readonly #logger: Logger;
  readonly #principals = new Principals(runtime().config.posture);
  readonly #routing = new Routes();
  readonly #perKey: RateLimiter;
  readonly #signIns: RateLimiter;
  readonly #stamps: UseStamps;
  readonly #readCredential: (request: IncomingMessage) => Credential | null;
  readonly #docs = docsHandler({ document: () => this.#documentText(), title: "Kantoor API" });
  readonly #timer: NodeJS.Timeout;
  #callers!: Callers;
  #server: Server | null = null;
  #draining = false;
  #document: string | null = null;
  #lastDocument: string | null = null;

  constructor(broker: ServiceBroker, logger: Logger) {
    const { config, scheme } = runtime();
    this.#broker = broker;
    this.#logger = logger;
    const failed = (error: unknown) => logger.error("the rate limit store failed", describe(error));
    this.#perKey = new RateLimiter(config.rateLimitPerKey, failed);
    this.#signIns = new RateLimiter(config.rateLimitSignIn, failed);
    this.#stamps = new UseStamps((error) => logger.warn("last use could not be stamped", describe(error)));
    this.#readCredential = credentialReader(config.keyPrefix, sessionCookie(scheme));
    this.#timer = setInterval(() => void this.#housekeep(), HOUSEKEEPING).unref();
  }

  /** Ready to serve once the server listens: from then on the public port is known. */
  async start(server: Server): Promise<void> {
    const { config, scheme } = runtime();
    const { port } = server.address() as AddressInfo;
    const embeddedHttp = scheme === "http" && config.databaseUrl === undefined;
    this.#callers = readCallers(config, scheme, config.publicPort ?? (embeddedHttp ? port : undefined));
    server.keepAliveTimeout = 65_000;
    this.#server = server;
    await this.#routing.load(config.transporter === undefined);
    await this.refresh();
  }

  /** Takes no new connection and waits for running requests, at most `DRAIN` ms; what runs longer is cut off. */
  async drain(): Promise<void> {
    const server = this.#server;
    if (!server?.listening) return;
    this.#draining = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const late = setTimeout(() => server.closeAllConnections(), DRAIN);
    await closed;
    clearTimeout(late);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#stamps.flush();
  }

  /** Follows a change of the registry. */
  async refresh(): Promise<void> {
    if (await this.#routing.rebuild(this.#broker)) this.#document = null;
  }

  async #housekeep(): Promise<void> {
    await this.#stamps.flush();
    await RateLimiter.sweep().catch((error: unknown) => this.#logger.warn("old rate windows stay", describe(error)));
  }

  /** The OpenAPI document as text, built once per state of the registry. */
  #documentText(): string {
    const { config, scheme, version } = runtime();
    const info = { version, serverUrl: "/api/v1", keyPrefix: config.keyPrefix, sessionCookie: sessionCookie(scheme) };
    try {
      this.#document ??= JSON.stringify(openApiDocument(this.#routing.declarations, info));
      this.#lastDocument = this.#document;
    } catch (error) {
      // Two versions of one schema while nodes are being replaced: the last document that was whole stays.
      if (this.#lastDocument === null) throw error;
      this.#logger.warn("the API document was not renewed", describe(error));
    }
    return this.#document ?? (this.#lastDocument as string);
  }

  /** Entry of every HTTP request; replaces moleculer-web's. */
  async serveHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = request.headers["x-request-id"];
    const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
    const headers: Headers = { "X-Request-Id": requestId, ...(this.#draining && { Connection: "close" }) };
    try {
      const answer = await this.#handle(request, response, requestId, headers);
      if (answer) write(request, response, answer.status, { ...headers, ...answer.headers }, answer.body);
    } catch (error) {
      this.#refuse(request, response, headers, error);
    }
  }

  /** Everything from the request line to the answer. Gives null when the answer was written already. */
  async #handle(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    headers: Headers,
  ): Promise<HttpAnswer | null> {
    const [rawPath = "/", rawQuery = ""] = splitUrl(request.url ?? "/");
    const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
    if (rawPath === "/" && method === "GET" && runtime().config.apiDocsEnabled)
      return { status: 302, headers: { Location: "/api/docs" }, body: null };
    if (REFERENCE.test(rawPath) && (await this.#reference(rawPath, request, response))) return null;

    const path = decodable(rawPath);
    const found = path === null ? null : this.#routing.find(method, path === "/health/ready" ? "/api/v1/health/ready" : path);
    if (!found) {
      const known = path === null ? [] : this.#routing.methodsOf(path);
      throw known.length > 0 ? refusal("method_not_allowed", undefined, { headers: { Allow: known.join(", ") } }) : notFound();
    }
    const { declaration, available } = found.route;
    if (!available) throw refusal("unavailable", undefined, { headers: { "Retry-After": "5" } });
    if (declaration.untenanted) return this.#plainCall(declaration.name);
    return this.#serve(request, requestId, headers, found, new URLSearchParams(rawQuery));
  }

  /** Steps 1 to 5 of conventions §3.3, then the action; repeated with a fresh principal when access has moved on. */
  async #serve(
    request: IncomingMessage,
    requestId: string,
    headers: Headers,
    found: Found,
    query: URLSearchParams,
  ): Promise<HttpAnswer> {
    const { declaration } = found.route;
    const host = this.#callers.host(request);
    const address = this.#callers.address(request);
    const origin = this.#callers.origin(host);
    const signsIn = `${declaration.method} ${declaration.urlPath}` === SIGN_IN;
    const presented = this.#readCredential(request);
    const presentsKey = presented?.kind === "key";
    const credential = declaration.needs === "nothing" ? null : presented;
    const http = await httpParams(request, found, query);
    let budget: Budget | null | undefined;

    for (let reload = 1; ; reload++) {
      const { organisation, known } = await this.#principals.resolve(host, this.#callers.slug(host), credential, presentsKey);
      if (signsIn) budget ??= await this.#signIns.take(`sign-in:${host}:${address}`);
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
          if (declaration.needs !== "nothing" && !known) throw unauthorized();
          if (known && credential?.kind === "session") requireSameOrigin(request, origin);
          if (budget) spend(budget, headers);
        });
        if (refused) {
          await this.#principals.confirm(organisation);
          throw refused;
        }
        const retries = declaration.method === "GET" || http.$http.idempotency !== undefined ? 3 : 0;
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

  async #plainCall(name: string): Promise<HttpAnswer> {
    const { status, body } = await this.#broker.call<{ status: number; body: object }>(name);
    return { status, headers: {}, body: JSON.stringify(body) };
  }

  /** The API reference (conventions §21). Gives false when the path is none of its own. */
  async #reference(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { config } = runtime();
    if (!config.apiDocsEnabled) return false;
    if (config.apiDocsAccess === "staff") {
      const known = await this.#reader(request);
      if (!known) throw unauthorized();
      if (known.principal.isClientLogin) throw refusal("forbidden", "errors.forbidden");
    }
    return this.#docs(path, request, response);
  }

  /** Whoever asks for the reference, proved current by a statement of its own: no action does it here. */
  async #reader(request: IncomingMessage): Promise<Known | null> {
    const host = this.#callers.host(request);
    const credential = this.#readCredential(request);
    for (;;) {
      const { organisation, known } = await this.#principals.resolve(
        host,
        this.#callers.slug(host),
        credential,
        credential?.kind === "key",
      );
      try {
        await this.#principals.confirm(organisation);
        return known;
      } catch (error) {
        if (!(error instanceof StaleAccess)) throw error;
        this.#principals.forget(host, organisation, credential);
      }
    }
  }

  /** The only place where an error becomes HTTP (conventions §8). */
  #refuse(request: IncomingMessage, response: ServerResponse, headers: Headers, error: unknown): void {
    const known = asApiError(error);
    if (known.code >= 500)
      this.#logger.error(`${request.method} ${request.url?.split("?")[0]} failed`, {
        requestId: headers["X-Request-Id"],
        error: describe(error),
      });
    const { fields, details, headers: extra } = (known.data ?? {}) as { fields?: object; details?: object; headers?: Headers };
    const envelope = {
      error: { code: known.type, message: known.message, ...(fields && { fields }), ...(details && { details }) },
    };
    if (known.code === 413) headers["Connection"] = "close";
    write(request, response, known.code, { ...headers, ...extra }, JSON.stringify(envelope));
  }
}

/** Path and query of a request target; an absolute-form target (RFC 9112 §3.2.2) loses its origin. */
function splitUrl(target: string): [string, string] {
  const url = target.startsWith("/") ? target : target.replace(/^[a-z]+:\/\/[^/?]*/i, "") || "/";
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

/** The path when every escape in it is UTF-8 that can be stored, else null: such a path names nothing. */
function decodable(path: string): string | null {
  if (!path.includes("%")) return path;
  try {
    return isStorable(decodeURIComponent(path)) ? path : null;
  } catch {
    return null;
  }
}

async function httpParams(request: IncomingMessage, { route, parameters }: Found, query: URLSearchParams): Promise<HttpParams> {
  const { declaration } = route;
  const all = { ...Object.fromEntries(query), ...parameters };
  const bad = Object.keys(all).find((name) => !isStorable(all[name] as string));
  const read =
    declaration.body && request.method !== "GET"
      ? await readBody(request, declaration.bodyType ?? "application/json", runtime().config.bodyLimit)
      : {};
  const { "idempotency-key": key, "if-match": ifMatch } = request.headers;
  const http: HttpParams["$http"] = { path: (request.url ?? "").split("?")[0] as string, parameters: all, body: read.body };
  if (bad !== undefined)
    http.unreadable = { code: "validation", message: "errors.validation", fields: { [bad]: "errors.validation" } };
  else if (read.unreadable) http.unreadable = read.unreadable;
  if (typeof key === "string" && request.method === "POST")
    http.idempotency = { key, bodyHash: digest(JSON.stringify(read.body ?? null)).toString("hex") };
  if (ifMatch !== undefined) http.ifMatch = ifMatch;
  return { $http: http };
}

function thrownBy(checks: () => void): unknown {
  try {
    checks();
    return null;
  } catch (error) {
    return error;
  }
}

/** Notes a budget in the answer's headers. @throws 429 when it is used up */
function spend(budget: Budget, headers: Headers): void {
  Object.assign(headers, budgetHeaders(budget));
  if (!budget.allowed) throw refusal("rate_limited", "errors.rate_limited", { headers: { "Retry-After": String(budget.reset) } });
}

/** What an error means to a caller: our own as it is, a missing or slow actor as 503, anything else as 500 without a word more. */
function asApiError(error: unknown): ApiError {
  if (isApiError(error)) return error;
  const name = error instanceof Error ? error.name : "";
  if (
    error instanceof StaleAccess ||
    ["ServiceNotFoundError", "ServiceNotAvailableError", "RequestTimeoutError", "RequestRejectedError"].includes(name)
  )
    return refusal("unavailable", undefined, { headers: { "Retry-After": "1" } });
  return refusal("server_error", "errors.server");
}

const describe = (error: unknown): unknown =>
  error instanceof Error ? { name: error.name, message: error.message, stack: error.stack } : error;

function write(request: IncomingMessage, response: ServerResponse, status: number, headers: Headers, body: string | null): void {
  if (response.headersSent) return void response.end();
  const bytes = body === null ? null : Buffer.from(body);
  if (bytes) {
    headers["Content-Type"] = "application/json; charset=utf-8";
    headers["X-Content-Type-Options"] = "nosniff";
  }
  if (status !== 204) headers["Content-Length"] = String(bytes?.length ?? 0);
  response.writeHead(status, headers);
  response.end(request.method === "HEAD" || !bytes ? undefined : bytes);
  if (!request.complete) request.resume();
}
