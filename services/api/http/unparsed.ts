import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type ApiError, refusal } from "../../../core/errors/errors.ts";

/** The catalogue refusal for bytes that are not a valid request. */
function refusalOf(error: Error & { code?: string }): ApiError {
  if (error.code === "HPE_HEADER_OVERFLOW") return refusal("request_header_fields_too_large");
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return refusal("request_timeout");
  return refusal("bad_request");
}

/**
 * Answers bytes that are not an HTTP request with the standard envelope (conventions §8), and ends the connection.
 * @param heard the last request served on each connection; the rest of its body is refused silently
 * @param strictTransport a header on every answer, if any
 */
export function refuseUnparsed(
  error: Error & { code?: string },
  socket: Socket,
  heard: WeakMap<Socket, IncomingMessage>,
  strictTransport: readonly [name: string, value: string] | null,
): void {
  const isAnswered = error.code === "ERR_HTTP_REQUEST_TIMEOUT" && heard.get(socket)?.complete === false;
  if (!socket.writable || error.code === "ECONNRESET" || isAnswered) return void socket.destroy();
  const { code: status, type: code, message } = refusalOf(error);
  const body = JSON.stringify({ error: { code, message } });
  const head = [
    `HTTP/1.1 ${status} Refused`,
    "Content-Type: application/json; charset=utf-8",
    "X-Content-Type-Options: nosniff",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    ...(strictTransport ? [strictTransport.join(": ")] : []),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
