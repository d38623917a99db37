import type { IncomingMessage, ServerResponse } from "node:http";

/** Headers that a page of another origin may read, in addition to the CORS-safelisted ones. */
const EXPOSED = [
  "ETag",
  "Idempotent-Replayed",
  "Location",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "Updated-Until",
  "WWW-Authenticate",
  "Write-Position",
  "X-Request-Id",
].join(", ");
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const HEADERS =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-Key, X-Request-Id, Mcp-Protocol-Version, Write-Position";
/** How long a browser may cache a preflight, in seconds: the browsers' maximum. */
const MAX_AGE = "7200";
const OPEN_TO_PAGES = /^\/(api|mcp|\.well-known|health)(\/|$|\?)/;

/**
 * Cross-origin requests from browsers (the Fetch standard's CORS protocol). Origins in `SERVICE_CORS_ORIGINS` may call the API with a key
 * or token, but never with cookies.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Adds the headers for a permitted origin. Returns true if it answered a preflight. */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#origins.size === 0 || !OPEN_TO_PAGES.test(request.url ?? "")) return false;
    response.appendHeader("Vary", "Origin");
    const { origin } = request.headers;
    if (origin === undefined || !this.#origins.has(origin)) return false;
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Access-Control-Expose-Headers", EXPOSED);
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return false;
    response.writeHead(204, {
      "Access-Control-Allow-Methods": METHODS,
      "Access-Control-Allow-Headers": HEADERS,
      "Access-Control-Max-Age": MAX_AGE,
    });
    response.end();
    return true;
  }
}
