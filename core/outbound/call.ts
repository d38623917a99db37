import { type Readable, Transform, type TransformCallback } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import type { Dispatcher } from "undici";
import { runtime } from "../config/runtime.ts";
import { sessionCookie } from "../http/session-cookie.ts";
import { currentRequest } from "../request/context.ts";
import { inSpan, type SpanStart } from "../tracing/tracing.ts";
import { actOutside, requireActing } from "./acts.ts";
import { hostOf, readUrl } from "./guard/addressing.ts";
import { guardedConnector } from "./guard/connect.ts";
import { OutboundRefused, type Target } from "./guard/policy.ts";
import { type GuardConfig, resolveChecked } from "./guard/resolve.ts";

/** Longest duration of a whole outbound call, in milliseconds (conventions §17). */
export const HARD_TIMEOUT = 10_000;
const MOST_BYTES = 1024 * 1024;
const MOST_HEADER_BYTES = 16 * 1024;

/** An outbound call. It sends nothing of the running request except these fields. */
export interface OutboundCall {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Milliseconds for everything: name, connection, headers and the whole body. */
  timeout?: number;
  /** Maximum bytes of the response, both packed and unpacked. */
  mostBytes?: number;
  signal?: AbortSignal;
}

/** The response, with any status. A redirect is an ordinary response. */
export interface OutboundAnswer {
  status: number;
  /** By lower-case name; repeated headers are joined by commas. */
  headers: Record<string, string>;
  body: Buffer;
}

export type FailureKind = "timeout" | "unreachable" | "too_large" | "garbage";

/** There was no response, or an unusable one. */
export class OutboundFailed extends Error {
  override name = "OutboundFailed";
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Passes bytes on, up to `most`. */
function counting(most: number): Transform {
  let size = 0;
  return new Transform({
    transform(part: Buffer, _encoding, done: TransformCallback) {
      size += part.byteLength;
      if (size > most) done(new OutboundFailed("too_large", `the answer is larger than ${most} bytes`));
      else done(null, part);
    },
  });
}

const UNPACKERS: Record<string, () => Transform> = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
};

/** The decoders of a response's body, in the order of its codings. @throws OutboundFailed for a coding we did not request */
function unpackers(coding: string): Transform[] {
  const names = coding.split(",").map((name) => name.trim().toLowerCase());
  const wanted = names.filter((name) => name !== "" && name !== "identity");
  const make = wanted.length > 1 ? undefined : wanted.map((name) => UNPACKERS[name]);
  if (!make || make.includes(undefined))
    throw new OutboundFailed("garbage", "the response uses a content encoding that was not requested");
  return make.map((unpack) => (unpack as () => Transform)());
}

const flat = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );

/**
 * The unpacked body, which fails as soon as it exceeds `most` bytes, packed or unpacked.
 * @throws OutboundFailed for a coding we did not request
 */
function boundedBody(body: Readable, coding: string, most: number): Readable {
  const unpacking = unpackers(coding);
  const steps = [counting(most), ...unpacking, ...(unpacking.length > 0 ? [counting(most)] : [])];
  pipeline([body, ...steps] as [Readable, ...Transform[]]).catch(() => {});
  return steps.at(-1) as Transform;
}

/** Converts an error of undici, zlib or a socket to an outbound failure. */
export function failureOf(error: unknown, signal?: AbortSignal): Error {
  const { code, name, message, cause } = error as { code?: string; name: string; message: string; cause?: unknown };
  for (const known of [error, cause]) if (known instanceof OutboundRefused || known instanceof OutboundFailed) return known;
  const what = `${name} ${code}`;
  if (signal?.aborted || /timeout|timedout/i.test(what))
    return new OutboundFailed("timeout", "there was no whole answer in time", error);
  if (/overflow|exceeded/i.test(what)) return new OutboundFailed("too_large", "the answer is too large", error);
  if (/HTTPParserError| Z_| ERR_.*(BROTLI|FORMAT)/.test(what))
    return new OutboundFailed("garbage", `the answer makes no sense: ${message}`, error);
  return new OutboundFailed("unreachable", message || code || "nobody answered", error);
}

/**
 * Ensures that an outbound call holds no database connection (assets §5.6): call in `prepare`, or in a job outside `read` and `write`.
 * @throws Error inside an open transaction
 */
export function requireNoTransaction(what: string): void {
  if (currentRequest()?.transaction) throw new Error(`'${what}' was called inside an open transaction`);
}

/**
 * Blocks headers that would leak a caller's own credential (conventions §17): a key of this installation, or a session cookie.
 * @throws Error: only a bug in our own code triggers it
 */
function requireNoCallerCredential(headers: Record<string, string>): void {
  const { config, scheme } = runtime();
  const own = new RegExp(`\\b${config.keyPrefix}_[0-9a-f]{12}_[0-9a-f]{64}\\b|\\b${sessionCookie(scheme)}=`);
  for (const [name, value] of Object.entries(headers))
    if (own.test(value)) throw new Error(`the header '${name}' would send a caller's credential to another system`);
}

/**
 * An agent that connects to checked addresses only and follows no redirects.
 * @param timeout milliseconds to resolve and connect
 * @param more options of undici's Agent
 */
export async function guardedAgent(target: Target, timeout: number, more: object = {}): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import("undici");
  return new Agent({
    ...more,
    allowH2: false,
    maxHeaderSize: MOST_HEADER_BYTES,
    connect: guardedConnector(buildConnector, target, runtime().config, timeout),
  });
}

/**
 * Checks an address from a user without calling it, for example before saving it. Each later call checks it again.
 * @throws OutboundRefused
 */
export async function checkUrl(target: Target, url: string, timeout = HARD_TIMEOUT): Promise<void> {
  requireNoTransaction(target);
  const config: GuardConfig = runtime().config;
  await resolveChecked(target, hostOf(readUrl(target, url)), config, AbortSignal.timeout(timeout)).catch((error) => {
    throw failureOf(error);
  });
}

/**
 * Checks an address before it is saved (platform §5.9, conventions §17). Rejects a host that does not exist according to name servers, or
 * is not public. If they give no answer, the address passes; each later call resolves the name again.
 * @throws OutboundRefused
 */
export async function checkSaved(target: Target, url: string): Promise<void> {
  try {
    await checkUrl(target, url);
  } catch (error) {
    if (error instanceof OutboundFailed) return;
    if (error instanceof OutboundRefused && error.reason === "unresolved" && !error.isKnownAbsent) return;
    throw error;
  }
}

/**
 * Calls an address from a user (conventions §17). It checks every address of the name, connects to a checked one, follows no redirects, and
 * ends in time.
 * @throws OutboundRefused if the address is not allowed: a configuration error
 * @throws OutboundFailed without a response, or with an unusable one
 */
export async function callOutside(target: Target, address: string, call: OutboundCall = {}): Promise<OutboundAnswer> {
  const { method = "GET", headers = {}, body, timeout = HARD_TIMEOUT, mostBytes = MOST_BYTES } = call;
  requireNoTransaction(target);
  const url = readUrl(target, address);
  if (changesSomething(method)) await actOutside(target);
  const deadline = AbortSignal.timeout(timeout);
  const signal = call.signal ? AbortSignal.any([deadline, call.signal]) : deadline;
  const agent = await guardedAgent(target, timeout, { pipelining: 0 });
  try {
    return await inSpan(outgoingSpan(target, method), async (span) => {
      const answer = await exchange(agent, url, { method, headers, body, signal, mostBytes });
      span.note({ "http.response.status_code": answer.status });
      return answer;
    });
  } catch (error) {
    throw failureOf(error, signal);
  } finally {
    void agent.destroy();
  }
}

/** The span of a call to an address that a user entered: such an address can be secret, so it has no part of it. */
export const outgoingSpan = (target: Target, method: string): SpanStart => ({
  name: `${method} ${target}`,
  kind: "client",
  attributes: { "http.request.method": method },
});

/** Whether a method changes something on the other side (RFC 9110 §9.2.1). */
export const changesSomething = (method: string): boolean => !/^(GET|HEAD|OPTIONS)$/i.test(method);

/** One request, ready to send. */
export interface Exchange {
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  signal: AbortSignal;
  mostBytes: number;
  /** The request changes nothing on the other side, whatever its method: some providers use POST for reads. */
  reads?: boolean;
}

/** Sends one request through an agent and returns as soon as the headers arrive; the body is bounded and may still fail. */
export async function begin(
  agent: Dispatcher,
  url: URL,
  { method, headers, body, signal, mostBytes, reads = false }: Exchange,
): Promise<{ status: number; headers: Record<string, string>; body: Readable }> {
  requireNoCallerCredential(headers);
  if (changesSomething(method) && !reads) requireActing(url.host);
  const answer = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: method as Dispatcher.HttpMethod,
    headers: { "user-agent": "Kantoor", "accept-encoding": "gzip, deflate, br", ...headers },
    body: body ?? null,
    signal,
  });
  const known = flat(answer.headers);
  try {
    return {
      status: answer.statusCode,
      headers: known,
      body: boundedBody(answer.body, known["content-encoding"] ?? "", mostBytes),
    };
  } catch (error) {
    answer.body.on("error", () => {}).destroy();
    throw error;
  }
}

/** Sends one request through an agent and reads the whole response. */
export async function exchange(agent: Dispatcher, url: URL, request: Exchange): Promise<OutboundAnswer> {
  const { body, ...answer } = await begin(agent, url, request);
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part as Buffer);
  request.signal.throwIfAborted();
  return { ...answer, body: Buffer.concat(parts) };
}
