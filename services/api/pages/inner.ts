import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { runtime } from "../../../core/config/runtime.ts";
import { grantCookie } from "../../../core/http/session-cookie.ts";
import { withoutCookie } from "../http/credentials.ts";

/** The API's answer to a page. */
export interface Reply {
  status: number;
  /** The body as JSON, or null. */
  body: unknown;
  cookies: string[];
  /** Code, message key and details of a refusal. */
  error: {
    code: string;
    message: string;
    fields: Record<string, string>;
    details: Record<string, string | number | boolean>;
  } | null;
}

/**
 * Builds a page's API request on behalf of its visitor: same socket, host, cookies and origin, different path and body.
 * @param once `Idempotency-Key` of a form that must not be processed twice
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
  // A page concerns the signed-in person, even while they impersonate a client login.
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
