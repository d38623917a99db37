import type { IncomingMessage } from "node:http";
import type { HttpParams } from "../../core/context.ts";
import { digest } from "../../core/crypto.ts";
import { runtime } from "../../core/runtime.ts";
import { isStorable, readBody } from "./body.ts";
import type { Found } from "./routes.ts";

/** Path and query of a request target; an absolute-form target (RFC 9112 §3.2.2) loses its origin. */
export function splitUrl(target: string): [string, string] {
  const url = target.startsWith("/") ? target : target.replace(/^[a-z]+:\/\/[^/?]*/i, "") || "/";
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

/** The path when every escape in it is UTF-8 that can be stored, else null: such a path names nothing. */
export function decodable(path: string): string | null {
  if (!path.includes("%")) return path;
  try {
    return isStorable(decodeURIComponent(path)) ? path : null;
  } catch {
    return null;
  }
}

/** What an action is given of a request. What cannot be read is told, not thrown: the permission is looked at first (conventions §3.3). */
export async function httpParams(
  request: IncomingMessage,
  { route, parameters }: Found,
  query: URLSearchParams,
): Promise<HttpParams> {
  const { declaration, lists } = route;
  const all: HttpParams["$http"]["parameters"] = { ...Object.fromEntries(query), ...parameters };
  for (const name of lists) if (query.has(name)) all[name] = query.getAll(name);
  const bad = Object.keys(all).find((name) => ![all[name] ?? []].flat().every(isStorable));
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
