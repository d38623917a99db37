import { withoutWay } from "../../core/outbound/guard/guarded-fetch.ts";
import type { ProviderAnswer, ProviderCall } from "../../core/outbound/provider/provider.ts";

/** A request as the library has built it: its address, its query beside that, and a body that is not yet text. */
export interface LibraryRequest {
  url?: string | URL;
  method?: string;
  params?: Record<string, unknown>;
  paramsSerializer?: (params: Record<string, unknown>) => string;
  headers?: Headers;
  data?: unknown;
  responseType?: string;
}

/** What the library takes for an answer. */
interface LibraryAnswer {
  status: number;
  headers: Headers;
  data: unknown;
  config: object;
}

/** Headers of the library about itself and about the way, which are ours to send. */
const NOT_SENT = new Set(["user-agent", "x-goog-api-client", "accept-encoding", "content-length"]);

type Sent = Pick<ProviderCall, "method" | "path" | "query" | "headers" | "json" | "body">;

/** The body as text, bytes, or an object that becomes JSON. @throws TypeError for a stream: bytes never pass through this service */
function bodyOf(data: unknown): Pick<Sent, "json" | "body"> {
  if (data === undefined || data === null) return {};
  if (typeof data === "string" || data instanceof Uint8Array) return { body: data };
  if (data instanceof URLSearchParams) return { body: data.toString() };
  if (typeof data === "object" && !("pipe" in data)) return { json: data };
  throw new TypeError("a body that is a stream is not sent");
}

/**
 * A request of the library as a call of our client.
 * @param official address that the library's own begins with; anywhere else nothing is sent
 * @throws TypeError for another address
 */
export function sentFrom(request: LibraryRequest, official: string): Sent {
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

/** The body of an answer as the library's caller expects it: JSON read, unless bytes or text were asked for. */
function dataOf({ status, headers, body, text, json }: ProviderAnswer, responseType: string | undefined): unknown {
  if (status === 204 || body.length === 0) return "";
  if (responseType === "arraybuffer") return body;
  return responseType !== "text" && /json/.test(headers["content-type"] ?? "") ? json() : text();
}

/** Our answer as the library takes it. */
export const libraryAnswer = (answer: ProviderAnswer, responseType: string | undefined): LibraryAnswer => ({
  status: answer.status,
  headers: new Headers(withoutWay(answer.headers)),
  data: dataOf(answer, responseType),
  config: {},
});
