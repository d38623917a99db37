import { Readable } from "node:stream";
import { actOutside } from "../../request/acts.ts";
import { begin, changesSomething, failureOf, guardedAgent, requireNoTransaction } from "../call.ts";
import { readUrl } from "./addressing.ts";
import type { Target } from "./policy.ts";

interface Bounds {
  /** Milliseconds to resolve and connect. Default 5,000. */
  connectTimeout?: number;
  /** Milliseconds for everything, the last byte of a stream included. */
  timeout: number;
  /** Milliseconds the other side may keep silent, before its first byte and between any two. Default: as long as `timeout`. */
  readTimeout?: number;
  mostBytes: number;
}

/** Headers about the way here, which say nothing about the bytes that are handed on. */
const OF_THE_WAY = new Set(["content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"]);

/** Statuses whose answers have none. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Headers of an answer that has been unpacked. */
export const withoutWay = (headers: Record<string, string>): [string, string][] =>
  Object.entries(headers).filter(([name]) => !OF_THE_WAY.has(name));

/**
 * A `fetch` for addresses a user gave, for an SDK that streams (an AI base address): checked, bounded and without redirects as every
 * call outside, but the body may be read while it comes.
 * @returns a fetch that rejects with OutboundRefused or OutboundFailed; a body that comes too late or too long breaks off
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
      const answer = await begin(agent, url, { method, headers: Object.fromEntries(headers), body, signal, mostBytes });
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
