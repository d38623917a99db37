import type { IncomingMessage } from "node:http";
import { runtime } from "../../../core/config/runtime.ts";
import type { Action } from "../../../core/declare/action.ts";
import type { UntenantedCall } from "../../../core/declare/makers/untenanted.ts";
import { hostCookie } from "../../../core/http/host-cookie.ts";
import type { HttpParams } from "../../../core/request/context.ts";
import { digest } from "../../../core/security/crypto.ts";
import type { FoundRoute, Route } from "../routes.ts";
import { isStorable, type ReadBody, readBody } from "./body.ts";
import { cookieOf } from "./credentials.ts";
import { readUpload } from "./multipart.ts";
import { receiveAll } from "./receiving.ts";

/** Whether an action always answers with a redirect. */
const isRedirect = ({ status = 200 }: Pick<Action, "status">): boolean => status >= 300 && status < 400;

/** Path and query of a request target; an absolute-form target (RFC 9112 §3.2.2) loses its origin. */
export function splitUrl(target: string): [string, string] {
  const url = target.startsWith("/") ? target : target.replace(/^[a-z]+:\/\/[^/?]*/i, "") || "/";
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

/** The path if every escape in it decodes to storable UTF-8, else null: such a path matches nothing. */
export function decodable(path: string): string | null {
  if (!path.includes("%")) return path;
  try {
    return isStorable(decodeURIComponent(path)) ? path : null;
  } catch {
    return null;
  }
}

/** The path of the matched route: the same for escapes, a trailing slash and an absolute-form target. */
function pathOf({ route, parameters }: FoundRoute): string {
  const { page, urlPath } = route.declaration;
  const path = urlPath.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
  return page === undefined ? `/api/v1${path}` : path;
}

/** Reads the body as the action's schema requires: none, JSON, a form, or a multipart form with a file. */
async function bodyOf(request: IncomingMessage, { declaration, upload }: Route, organisationId: string): Promise<ReadBody> {
  if (!declaration.body || request.method === "GET") return {};
  if (upload) return readUpload(request, { ...upload, limit: runtime().config.uploadLimit }, organisationId);
  return readBody(
    request,
    declaration.bodyType ?? "application/json",
    Math.max(runtime().config.bodyLimit, declaration.mostBody ?? 0),
  );
}

/**
 * Builds an action's parameters from a request. Returns unreadable input as a problem instead of throwing: the permission check comes first
 * (conventions §3.3).
 * @param organisationId the organisation an uploaded file is stored for
 */
export async function httpParams(
  request: IncomingMessage,
  found: FoundRoute,
  query: URLSearchParams,
  organisationId = "",
): Promise<HttpParams> {
  const { route, parameters } = found;
  const { lists } = route;
  const all: HttpParams["$http"]["parameters"] = { ...Object.fromEntries(query), ...parameters };
  for (const name of lists) if (query.has(name)) all[name] = query.getAll(name);
  // A browser on its way to another page gets no JSON: a text in its query that cannot be stored counts as absent.
  if (isRedirect(route.declaration))
    for (const name of query.keys()) {
      const { type = "string" } = (route.declaration.query?.[name] ?? {}) as { type?: string };
      if (type === "string" && ![name, all[name] ?? []].flat().every(isStorable)) delete all[name];
    }
  const bad = Object.keys(all).find((name) => ![all[name] ?? []].flat().every(isStorable));
  const read = await bodyOf(request, route, organisationId);
  const { "idempotency-key": key, "if-match": ifMatch, "last-event-id": lastEventId, origin } = request.headers;
  const http: HttpParams["$http"] = { parameters: all, body: read.body };
  if (bad !== undefined)
    http.unreadable = { code: "validation", message: "errors.validation", fields: { [bad]: "errors.validation" } };
  else if (read.unreadable) http.unreadable = read.unreadable;
  if (typeof key === "string" && request.method !== "GET" && request.method !== "HEAD") {
    const path = pathOf(found);
    http.path = request.method === "POST" ? path : `${request.method} ${path}`;
    http.idempotency = { key, bodyHash: digest(JSON.stringify([[...query], read.essence ?? read.body ?? null])).toString("hex") };
  }
  if (ifMatch !== undefined) http.ifMatch = ifMatch;
  const { cookie } = route.declaration;
  const sent = cookie === undefined ? undefined : cookieOf(request, hostCookie(cookie, runtime().scheme));
  if (sent !== undefined) http.cookie = sent;
  if (origin !== undefined) http.pageOrigin = origin;
  if (route.declaration.streams && typeof lastEventId === "string") http.lastEventId = lastEventId;
  return { $http: http };
}

/** Body limit in bytes for an `untenanted` action without `mostBody`. */
const MOST_UNTENANTED = 64 * 1024;
/** Headers that carry our own credentials. */
const CREDENTIALS = new Set(["authorization", "cookie", "x-api-key"]);

/** Builds the parameters of an `untenanted` action. */
export async function untenantedCall(request: IncomingMessage, { parameters, route }: FoundRoute): Promise<UntenantedCall> {
  const most = route.declaration.mostBody ?? MOST_UNTENANTED;
  const bytes = request.method === "POST" ? await receiveAll(request, most) : Buffer.alloc(0);
  const headers = Object.entries(request.headers).filter(([name]) => !CREDENTIALS.has(name));
  return {
    parameters,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, [value ?? ""].flat().join(", ")])),
    body: bytes?.toString("base64") ?? null,
  };
}

/** `User-Agent` as it is stored: at most 512 characters; null without one. */
export const userAgentOf = ({ headers }: Pick<IncomingMessage, "headers">): string | null =>
  headers["user-agent"]?.slice(0, 512) ?? null;
