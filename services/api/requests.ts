import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, Logger } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import { notFound, type RefusalParts, refusal } from "../../core/errors/errors.ts";
import { LIVE, READY, readinessOf } from "../../core/health/readiness.ts";
import type { HttpAnswer } from "../../core/request/context.ts";
import type { Tally } from "../../core/request/statement-count.ts";
import { bearerChallenge } from "../../core/security/oauth-resource.ts";
import type { ActionCall } from "./action-call.ts";
import type { ActionCalls } from "./action-calls.ts";
import { asApiError, describe, type Headers, refusalBody, write } from "./http/answers.ts";
import type { Credential } from "./http/credentials.ts";
import { sendFile } from "./http/file-sending.ts";
import type { Callers } from "./http/hosts.ts";
import { decodable, splitUrl } from "./http/input.ts";
import { CallerGone } from "./http/receiving.ts";
import { wellKnown } from "./http/well-known.ts";
import type { InstanceCalls } from "./instance-calls.ts";
import type { McpEndpoint } from "./mcp/endpoint.ts";
import { servedPath } from "./mcp/served-paths.ts";
import type { DeclaredPage } from "./pages/declared.ts";
import type { FoundRoute, Routes, ServedAlias } from "./routes.ts";
import type { Sending } from "./streams/sending.ts";
import type { SystemRoutes } from "./system-routes.ts";
import type { Trace } from "./trace.ts";

/** Where the routes of actions begin. */
export const ACTIONS = "/api/v1";
/** Paths of the probe that a node which shuts down fails. */
const PROBED = new Set([READY, ACTIONS + READY]);

/** A request on its way through moleculer-web, with what this service adds to it. */
export interface WebRequest extends IncomingMessage {
  /** The request's target as sent; moleculer-web removes the path of the route from `url`. */
  originalUrl: string;
  /** The path that the request is routed by. */
  parsedUrl: string;
  query: URLSearchParams;
  $ctx: Context;
  $route: unknown;
  /** The action on the node that the balancer has chosen. */
  $endpoint: object;
  trace: Trace;
  tally: Tally;
  found: FoundRoute;
  /** The call; null for an action without an organisation. */
  call: ActionCall | null;
  /** Settles when the request is answered, or abandoned by its caller. */
  served?: Promise<unknown>;
}

interface RequestParts {
  logger: Logger;
  routing: Routes;
  calls: ActionCalls;
  instance: InstanceCalls;
  mcp: McpEndpoint;
  systemRoutes: SystemRoutes;
  sending: Sending;
  callers(): Callers;
  readCredential(request: IncomingMessage): Credential | null;
  isDraining(): boolean;
}

/** The steps that moleculer-web takes a request through: host to organisation, credential to principal, action to answer, answer to socket. */
export class Requests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** The path and query that a request is routed by: some documents and the probe are at the root of the host, too. */
  target({ url: target = "/" }: IncomingMessage): { url: string; query: URLSearchParams } {
    const [path, query] = splitUrl(target);
    const elsewhere = path === READY ? { path: ACTIONS + READY, query } : wellKnown(path);
    if (elsewhere) return { url: elsewhere.path, query: new URLSearchParams(elsewhere.query) };
    return { url: path, query: new URLSearchParams(query) };
  }

  /** The alias that serves a request, with the path's parameters, or false. */
  resolve(request: IncomingMessage, rawPath: string): { alias: ServedAlias; params: Record<string, string> } | false {
    const path = decodable(rawPath);
    const { instance, routing } = this.#parts;
    const found = path === null ? null : routing.find(routed(request.method), path, instance.isHost(request));
    return found?.route.alias ? { alias: found.route.alias, params: found.parameters } : false;
  }

  /** The refusal of a request that no route serves: 405 where the path has other methods, else 404. */
  unrouted(request: IncomingMessage, rawPath: string): Error {
    const path = decodable(rawPath);
    const { instance, routing } = this.#parts;
    const known = path === null ? [] : routing.methodsOf(path, instance.isHost(request));
    return known.length > 0 ? refusal("method_not_allowed", undefined, { headers: { Allow: known.join(", ") } }) : notFound();
  }

  /**
   * Answers whether the process lives, also while it shuts down or its database is away: 200 always. Returns false for another path.
   * @throws 405 for a method other than GET and HEAD
   */
  live(request: WebRequest, response: ServerResponse, path: string): boolean {
    if (path !== LIVE) return false;
    if (routed(request.method) !== "GET") throw refusal("method_not_allowed", undefined, { headers: { Allow: "GET, HEAD" } });
    write(request, response, 200, headersOf(request), JSON.stringify({ status: "ok" }));
    return true;
  }

  /** Notes the action that serves a request. @throws 503 while its actor is down */
  enter(request: WebRequest, { served: route }: ServedAlias, parameters: Record<string, string>): void {
    request.found = { route, parameters };
    request.trace.route = ACTIONS + route.declaration.urlPath;
    note(request.trace, request.found);
    if (!route.available && !request.trace.isBare) throw refusal("unavailable");
  }

  /** Begins the call. @throws 503 for the probe while this node shuts down */
  begin(request: WebRequest): void {
    const { found, trace, query } = request;
    const { declaration } = found.route;
    if (this.#parts.isDraining() && declaration.urlPath === READY) throw refusal("unavailable");
    request.call = declaration.untenanted ? null : this.#parts.calls.begin(request, trace, found, query);
  }

  /** The action's answer. */
  answer(request: WebRequest): Promise<HttpAnswer> {
    return request.call ? request.call.answer(request.$endpoint) : this.#untenanted(request, request.found);
  }

  /** Writes an answer to the socket; a stream or file takes until its end. */
  async send(request: WebRequest, response: ServerResponse, answer: HttpAnswer): Promise<void> {
    const { holder } = request.trace;
    const headers = { ...headersOf(request), ...answer.headers };
    if (answer.stream && holder) {
      request.trace.isStream = true;
      await this.#parts.sending.send(request, response, headers, answer.stream, holder);
    } else if (answer.file) await sendFile(request, response, headers, answer.file);
    else write(request, response, answer.status, headers, answer.body);
  }

  /** Serves MCP clients. Returns false for another path. */
  async serveMcp(request: WebRequest, response: ServerResponse): Promise<boolean> {
    const [path] = splitUrl(request.originalUrl);
    const served = servedPath(path);
    if (served === null || this.#parts.instance.isHost(request)) return false;
    request.trace.route = served.path;
    const answer = await this.#parts.mcp.serve(request, response, request.trace, served);
    if (answer) await this.send(request, response, answer);
    return true;
  }

  /** Serves what is outside the API: its reference and the pages. Returns false for another path. */
  async visit(request: WebRequest, response: ServerResponse): Promise<boolean> {
    const { trace, originalUrl } = request;
    // As it came: a page's own framework would take what moleculer-web has set for its own.
    request.url = originalUrl;
    for (const own of ["query", "baseUrl"]) Reflect.deleteProperty(request, own);
    const [path, query] = splitUrl(originalUrl);
    const api = (inner: IncomingMessage) => this.#act(inner, trace);
    const renewed = () => [trace.headers["Set-Cookie"] ?? []].flat();
    const page = this.#declaredPage(request, path, query);
    return this.#parts.systemRoutes.serve({ path, request, response, requestId: trace.requestId, api, page, renewed });
  }

  /** The only code that turns an error into HTTP (conventions §8). */
  refuse(request: WebRequest, response: ServerResponse, error: unknown): void {
    if (!(error instanceof CallerGone)) this.#refuse(request, response, error);
  }

  #refuse(request: WebRequest, response: ServerResponse, error: unknown): void {
    const { trace, method } = request;
    const { requestId, path, organisation } = trace;
    const headers = headersOf(request);
    const known = asApiError(error);
    if (trace.isBare) {
      const line = { event: "api.callback_failed", requestId, organisation, error: describe(error) };
      this.#parts.logger.error(line, `${trace.action} failed`);
      // Its caller reads only the status and retries later.
      return void write(request, response, 503, { ...headers, "Retry-After": "5" }, null);
    }
    // A node that starts, stops or lacks its workers is meant to fail its probes, often several times a second.
    const isPlanned = known.type === "unavailable" && PROBED.has(path);
    if (known.code >= 500 && !isPlanned)
      this.#parts.logger.error(
        { event: "api.request_failed", requestId, organisation, error: describe(error) },
        `${method} ${path} failed`,
      );
    const { headers: extra } = (known.data ?? {}) as RefusalParts;
    if (known.code === 413 || known.code === 408) headers["Connection"] = "close";
    if (trace.oauth) headers["Cache-Control"] = "no-store";
    const { instance, readCredential } = this.#parts;
    if (known.type === "unauthorized" && readCredential(request) === null && !instance.isHost(request)) {
      const { origin, host } = this.#parts.callers();
      headers["WWW-Authenticate"] = bearerChallenge(origin(host(request)));
    }
    // No worker is there that could say what it lacks.
    const isAlone = PROBED.has(path) && known.type === "unavailable" && !this.#parts.isDraining();
    const body = isAlone ? readinessOf(["transport"]).body : refusalBody(known, trace.oauth);
    write(request, response, known.code, { ...headers, ...extra }, JSON.stringify(body));
  }

  #untenanted(request: WebRequest, found: FoundRoute): Promise<HttpAnswer> {
    const { calls, instance } = this.#parts;
    if (found.route.declaration.instance !== undefined) return instance.serve(request, request.trace, found, request.query);
    return found.route.declaration.urlPath === READY ? calls.ready(request, found) : calls.plain(request, found);
  }

  /** Calls the API for a page. @throws its refusals */
  async #act(request: IncomingMessage, trace: Trace): Promise<HttpAnswer> {
    const [path, query] = splitUrl(request.url ?? "/");
    const { instance, routing, calls } = this.#parts;
    const onInstance = instance.isHost(request);
    const found = routing.find(routed(request.method), path, onInstance);
    if (!found) throw notFound();
    note(trace, found);
    if (!found.route.available) throw refusal("unavailable");
    const served = onInstance ? instance : calls;
    return served.serve(request, trace, found, new URLSearchParams(query));
  }

  /** Finds the page an actor declares for this path, and how to call it. An undecodable path gets the not-found page. */
  #declaredPage(request: WebRequest, rawPath: string, rawQuery: string): DeclaredPage | null {
    const { routing, calls, instance } = this.#parts;
    if (rawPath.startsWith("/api/") || instance.isHost(request)) return null;
    const page = routing.page(routed(request.method), decodable(rawPath) ?? rawPath.replaceAll("%", "."));
    if (!page) return null;
    const { found } = page;
    if (!found) return { call: null };
    const { trace } = request;
    const { declaration, available } = found.route;
    trace.route = declaration.urlPath;
    if (found.parameters["token"] !== undefined) trace.path = declaration.urlPath;
    if (!available) return { call: () => Promise.reject(refusal("unavailable")) };
    return { call: () => calls.serve(request, trace, found, new URLSearchParams(rawQuery)) };
  }
}

/** The headers of an answer so far, with the statements of the request if `SERVICE_COUNT_STATEMENTS` is on. */
function headersOf({ trace, tally }: WebRequest): Headers {
  if (runtime().config.countStatements) trace.headers["X-Statements"] = String(tally.statements);
  return trace.headers;
}

/** Notes the action of a request, and how its refusals look. */
function note(trace: Trace, { route: { declaration }, parameters }: FoundRoute): void {
  if (parameters["token"] !== undefined) trace.path = declaration.urlPath;
  trace.oauth = declaration.oauth;
  trace.action = declaration.name;
  trace.isBare = declaration.untenanted === true && declaration.instance === undefined && !declaration.returns;
}

/** The method that a request is routed by: HEAD is a GET without its body. */
const routed = (method = "GET"): string => (method === "HEAD" ? "GET" : method);
