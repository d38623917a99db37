import type { ProviderAnswer, ProviderCall } from "./provider-call.ts";
import { ProviderFailure } from "./provider-failure.ts";

/** What every request of one SDK client has in common. */
export type CommonCall = Pick<ProviderCall, "account" | "operation" | "effect" | "secrets">;

/** Headers about the way here, which say nothing about the bytes the SDK gets. */
const OF_THE_WAY = new Set(["content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"]);

/** Statuses whose answers have none. */
export const WITHOUT_BODY = new Set([204, 205, 304]);

/** Headers of an answer that has been unpacked. */
export const withoutWay = (headers: Record<string, string>): [string, string][] =>
  Object.entries(headers).filter(([name]) => !OF_THE_WAY.has(name));

/**
 * A `fetch` for a provider's own SDK that calls through our client. An answer of any status is a response, and the SDK's own retries must
 * be off. What is thrown without an answer is a ProviderFailure.
 * @param send makes the call
 * @param baseUrl the only address it calls
 */
export function sdkFetch(
  send: (call: ProviderCall) => Promise<ProviderAnswer>,
  baseUrl: () => string,
  { account, operation, effect, secrets }: CommonCall,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const base = baseUrl();
    if (!request.url.startsWith(`${base}/`)) throw new ProviderFailure("refused", `'${operation}' was sent to another address`);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const {
      status,
      headers,
      body: bytes,
    } = await send({
      account,
      operation,
      method: request.method,
      path: request.url.slice(base.length),
      headers: Object.fromEntries(request.headers),
      signal: request.signal,
      ...(body !== undefined && { body }),
      ...(effect !== undefined && { effect }),
      ...(secrets !== undefined && { secrets }),
    }).catch((error: unknown) => {
      if (error instanceof ProviderFailure && error.answer) return error.answer;
      throw error;
    });
    return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(bytes), { status, headers: withoutWay(headers) });
  };
}
