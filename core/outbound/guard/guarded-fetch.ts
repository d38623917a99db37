import { Readable } from "node:stream";
import { inSpan } from "../../tracing/tracing.ts";
import { actOutside } from "../acts.ts";
import { begin, changesSomething, failureOf, guardedAgent, outgoingSpan, requireNoTransaction } from "../call.ts";
import { readUrl } from "./addressing.ts";
import type { Target } from "./policy.ts";

interface Bounds {
  /** Milliseconds to resolve and connect. Default 5,000. */
  connectTimeout?: number;
  /** Milliseconds for everything, including the last byte of a stream. */
  timeout: number;
  /** Longest silence before the first byte and between two, in milliseconds. Default: `timeout`. */
  readTimeout?: number;
  mostBytes: number;
}

/** Headers about the transfer, which do not apply to the unpacked bytes. */
const OF_THE_WAY = new Set(["content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"]);

/** Statuses without a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** The headers of a response after unpacking. */
export const withoutWay = (headers: Record<string, string>): [string, string][] =>
  Object.entries(headers).filter(([name]) => !OF_THE_WAY.has(name));

/**
 * A `fetch` for addresses from users, for an SDK that streams (an AI base address). It is checked, bounded and without redirects like every
 * outbound call, but its body can be read as it arrives.
 * @returns a fetch that rejects with OutboundRefused or OutboundFailed; a body that is too late or too long fails
 */
export function guardedFetch(
  target: Target,
  { connectTimeout = 5000, timeout, readTimeout = timeout, mostBytes }: Bounds,
): typeof fetch {
  return async (input, init) => {
    requireNoTransaction(target);
    const request = new Request(input, init);
    const url = readUrl(target, request.url);
    if (changesSomething(request.method)) await actOutside(target);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const deadline = AbortSignal.timeout(timeout);
    const signal = AbortSignal.any([deadline, request.signal]);
    const agent = await guardedAgent(target, connectTimeout, {
      pipelining: 0,
      headersTimeout: readTimeout,
      bodyTimeout: readTimeout,
    });
    try {
      const { method, headers } = request;
      const asked = { method, headers: Object.fromEntries(headers), body, signal, mostBytes };
      const answer = await inSpan(outgoingSpan(target, method), async (span) => {
        const begun = await begin(agent, url, asked);
        span.note({ "http.response.status_code": begun.status });
        return begun;
      });
      answer.body.once("close", () => void agent.destroy());
      const { status } = answer;
      const isEmpty = WITHOUT_BODY.has(status);
      if (isEmpty) answer.body.resume();
      const stream = isEmpty ? null : (Readable.toWeb(answer.body) as ReadableStream<Uint8Array>);
      return new Response(stream, { status, headers: withoutWay(answer.headers) });
    } catch (error) {
      void agent.destroy();
      throw failureOf(error, deadline);
    }
  };
}
