import { withoutWay } from "../../core/outbound/guard/guarded-fetch.ts";
import type { ProviderAnswer, ProviderCall } from "../../core/outbound/provider/provider.ts";

/** A request built by the library: address, separate query, and a body that may still be an object. */
export interface LibraryRequest {
  url?: string | URL;
  method?: string;
  params?: Record<string, unknown>;
  paramsSerializer?: (params: Record<string, unknown>) => string;
  headers?: Headers;
  data?: unknown;
  responseType?: string;
}

/** The response form that the library expects. */
interface LibraryAnswer {
  status: number;
  headers: Headers;
  data: unknown;
  config: object;
}

/** Headers of the library that we set ourselves or that describe the library. */
const NOT_SENT = new Set(["user-agent", "x-goog-api-client", "accept-encoding", "content-length"]);

type SentCall = Pick<ProviderCall, "method" | "path" | "query" | "headers" | "json" | "body">;

/** The body as text, bytes, or an object to send as JSON. @throws TypeError for a stream: file bytes never pass through this service */
function bodyOf(data: unknown): Pick<SentCall, "json" | "body"> {
  if (data === undefined || data === null) return {};
  if (typeof data === "string" || data instanceof Uint8Array) return { body: data };
  if (data instanceof URLSearchParams) return { body: data.toString() };
  if (typeof data === "object" && !("pipe" in data)) return { json: data };
  throw new TypeError("a body that is a stream is not sent");
}

/**
 * Converts a library request to a call of our client.
 * @param official the required prefix of the address
 * @throws TypeError for another address
 */
export function sentFrom(request: LibraryRequest, official: string): SentCall {
  const url = new URL(String(request.url));
  const { params, paramsSerializer } = request;
  if (params)
    for (const [name, value] of new URLSearchParams(paramsSerializer?.(params) ?? "")) url.searchParams.append(name, value);
  const address = `${url.origin}${url.pathname}`;
  if (!address.startsWith(`${official}/`)) throw new TypeError(`the library built an address of another API: ${address}`);
  const headers = Object.fromEntries([...(request.headers ?? [])].filter(([name]) => !NOT_SENT.has(name)));
  return {
    method: request.method ?? "GET",
    path: address.slice(official.length),
    query: url.searchParams,
    headers,
    ...bodyOf(request.data),
  };
}

/** The response body in the form that the library's caller expects: parsed JSON, unless it requested bytes or text. */
function dataOf({ status, headers, body, text, json }: ProviderAnswer, responseType: string | undefined): unknown {
  if (status === 204 || body.length === 0) return "";
  if (responseType === "arraybuffer") return body;
  return responseType !== "text" && /json/.test(headers["content-type"] ?? "") ? json() : text();
}

/** Our response in the library's form. */
export const libraryAnswer = (answer: ProviderAnswer, responseType: string | undefined): LibraryAnswer => ({
  status: answer.status,
  headers: new Headers(withoutWay(answer.headers)),
  data: dataOf(answer, responseType),
  config: {},
});
