import type { IncomingMessage } from "node:http";
import { pathParameters } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import type { Declaration } from "../openapi/declaration.ts";
import { innerRequest } from "../pages/inner.ts";
import { type FoundRoute, PREFIX } from "../routes.ts";
import type { Operation } from "./operations.ts";
import { HEADERS } from "./schemas.ts";

/** A tool call as an HTTP request: target, headers and body. */
export interface ToolRequest {
  found: FoundRoute;
  /** With its parameters filled in; distinguishes replays of an `Idempotency-Key`. */
  path: string;
  query: URLSearchParams;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: Readonly<Record<string, unknown>> | undefined;
}

type ToolArguments = Readonly<Record<string, unknown>>;

/** Allowed header values: a subset of RFC 9110 §5.5. */
const HEADER = /^[\x20-\x7e]{1,255}$/;

export const isObject = (value: unknown): value is ToolArguments =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asText = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value)).toWellFormed();

/** @throws 422 for an invalid header value */
function headersOf(given: ToolArguments): Record<string, string> {
  return Object.fromEntries(
    Object.entries(HEADERS).flatMap(([name, header]) => {
      const value = given[name];
      if (value === undefined || value === null) return [];
      if (typeof value !== "string" || !HEADER.test(value)) throw invalid({ [name]: "errors.validation" });
      return [[header, value]];
    }),
  );
}

/**
 * Maps a tool's arguments to an HTTP request: path and query by name, the rest as the body, or `body` as a whole. The action rejects
 * missing or invalid ones, in its own order (conventions §3.3).
 * @param sets parameters that the tool sets itself
 * @throws 422 for an argument that is not a valid header value
 */
export function askedOf({ route }: Operation, given: ToolArguments, sets: Readonly<Record<string, string>> = {}): ToolRequest {
  const { declaration, lists } = route;
  const { urlPath, query: known = {} } = declaration;
  const all: ToolArguments = { ...given, ...sets };
  const headers = headersOf(all);
  const parameters: Record<string, string> = {};
  const path = urlPath.replace(/:([a-z_]+)/g, (_, name: string) => {
    const value = all[name];
    if (value === undefined || value === null) return "";
    parameters[name] = asText(value);
    return encodeURIComponent(parameters[name]);
  });
  const query = new URLSearchParams();
  for (const name of namesInQuery(declaration, all)) {
    const value = all[name];
    if (value === undefined || value === null) continue;
    if (lists.includes(name) && Array.isArray(value)) for (const one of value) query.append(name, asText(one));
    else query.set(name, Array.isArray(value) ? value.map(asText).join(",") : asText(value));
  }
  return {
    found: { route, parameters },
    path: PREFIX + path,
    query,
    headers,
    body: bodyOf(declaration.body, all, [urlPath, known]),
  };
}

/** The arguments that go into the query: declared ones, and, for an action without a body, unknown ones for the action to reject. */
function namesInQuery({ body, urlPath, query = {} }: Declaration, all: ToolArguments): string[] {
  if (body) return Object.keys(query);
  const inPath = new Set(pathParameters(urlPath));
  return Object.keys(all).filter((name) => !inPath.has(name) && !Object.hasOwn(HEADERS, name));
}

function bodyOf(declared: unknown, all: ToolArguments, [urlPath, query]: [string, object]): ToolRequest["body"] {
  if (!declared) return undefined;
  const { body, ...beside } = all;
  // The schema rejects a body that is not an object.
  if (body !== undefined && !isObject(body)) return body as unknown as ToolArguments;
  const isField = ([name]: [string, unknown]) =>
    !Object.hasOwn(HEADERS, name) && !Object.hasOwn(query, name) && !urlPath.split("/").includes(`:${name}`);
  return { ...Object.fromEntries(Object.entries(beside).filter(isField)), ...body };
}

const CREDENTIALS = ["x-api-key", "authorization"] as const;

/** Builds the gateway request of a tool call: same caller, the key of the MCP request, no cookie. */
export function requestOf(request: IncomingMessage, { found, path, headers, body }: ToolRequest): IncomingMessage {
  const inner = innerRequest(request, found.route.declaration.method, path, body);
  const { cookie: _cookie, origin: _origin, "sec-fetch-site": _site, ...kept } = inner.headers;
  const keys = CREDENTIALS.flatMap((name) => (request.headers[name] === undefined ? [] : [[name, request.headers[name]]]));
  inner.headers = { ...kept, ...Object.fromEntries(keys), ...headers };
  return inner;
}
