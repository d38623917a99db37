import type { IncomingMessage, ServerResponse } from "node:http";
import { StaleAccess } from "../../../core/database/connection/database.ts";
import type { Action } from "../../../core/declare/action.ts";
import { type ApiError, isApiError, type RefusalParts, rateLimited, refusal } from "../../../core/declare/errors.ts";
import type { Budget } from "../../../core/http/rate-limit.ts";
import { FULL_DISK_RETRY, meetsFullDisk } from "../../../core/values/full-disk.ts";
import { budgetHeaders } from "./rate-limit.ts";

/** Headers of an answer by name. */
export type Headers = Record<string, string | string[]>;

/** Notes a budget in the answer's headers. @throws 429 when it is used up */
export function spend(budget: Budget, headers: Headers): void {
  Object.assign(headers, budgetHeaders(budget));
  if (!budget.allowed) throw rateLimited(budget.reset);
}

/** What an error means to a caller: our own as it is, a missing or slow actor and a full disk as 503, anything else as 500 without a word more. */
export function asApiError(error: unknown): ApiError {
  if (isApiError(error)) return error;
  if (meetsFullDisk(error)) return refusal("unavailable", undefined, { headers: { "Retry-After": FULL_DISK_RETRY } });
  const name = error instanceof Error ? error.name : "";
  if (
    error instanceof StaleAccess ||
    ["ServiceNotFoundError", "ServiceNotAvailableError", "RequestTimeoutError", "RequestRejectedError"].includes(name)
  )
    return refusal("unavailable", undefined, { headers: { "Retry-After": "1" } });
  return refusal("server_error", "errors.server");
}

/** Refusals of what was sent, as against those of the host, a limit or the service's own state. */
export const OF_INPUT: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/**
 * What a refusal says: the envelope of every endpoint (conventions §8), or of one of OAuth for programs the shape of RFC 6749 §5.2.
 * @param oauth the name there of whatever is wrong with what was sent
 */
export function refusalBody({ code: status, type: code, message, data }: ApiError, oauth: Action["oauth"]): object {
  const { fields, details, oauth: named } = (data ?? {}) as RefusalParts;
  if (oauth && (named || OF_INPUT.has(status))) return { error: named ?? oauth, error_description: message };
  return { error: { code, message, ...(fields && { fields }), ...(details && { details }) } };
}

/** An error for the log, with what caused it. */
export const describe = (error: unknown): unknown =>
  error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack, ...(error.cause ? { cause: describe(error.cause) } : {}) }
    : error;

/** What went wrong in the words of the first that said so, for a failure that is expected and needs no trace. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: unknown; message?: string };
  return cause ? reasonOf(cause) : (message ?? String(error));
}

/** Writes an answer to the socket; a HEAD gets the headers of its GET. */
export function write(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Headers,
  body: string | null,
): void {
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
