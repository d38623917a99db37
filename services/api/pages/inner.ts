import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { runtime } from "../../../core/config/runtime.ts";
import { grantCookie } from "../../../core/http/session-cookie.ts";
import { withoutCookie } from "../http/credentials.ts";

/** What the API answered to a page. */
export interface Reply {
  status: number;
  /** The body as JSON, null where there is none. */
  body: unknown;
  cookies: string[];
  /** The code of a refusal, and its message key. */
  error: {
    code: string;
    message: string;
    fields: Record<string, string>;
    details: Record<string, string | number | boolean>;
  } | null;
}

/**
 * The request that a page makes of the API on behalf of its visitor: same socket, host, cookies and origin, another path and body.
 * @param once `Idempotency-Key` of a form that must not be taken twice
 */
export function innerRequest(
  request: IncomingMessage,
  method: string,
  path: string,
  body?: Readonly<Record<string, unknown>> | URLSearchParams,
  once?: string,
): IncomingMessage {
  const isForm = body instanceof URLSearchParams;
  const text = body === undefined ? "" : isForm ? body.toString() : JSON.stringify(body);
  const kept = ["host", "cookie", "origin", "sec-fetch-site", "user-agent", "x-forwarded-host", "x-forwarded-for"] as const;
  const headers: Record<string, unknown> = Object.fromEntries(
    kept.flatMap((name) => (request.headers[name] ? [[name, request.headers[name]]] : [])),
  );
  // A page is about the person who signed in, also while that person looks into a client's login.
  if (request.headers.cookie) headers["cookie"] = withoutCookie(request.headers.cookie, grantCookie(runtime().scheme));
  headers["content-type"] = isForm ? "application/x-www-form-urlencoded" : "application/json";
  if (once !== undefined) headers["idempotency-key"] = once;
  headers["content-length"] = String(Buffer.byteLength(text));
  const stream = Readable.from(text === "" ? [] : [Buffer.from(text)]);
  return Object.assign(stream, {
    method,
    url: path,
    headers,
    socket: request.socket,
    complete: true,
  }) as unknown as IncomingMessage;
}
