import { type Readable, Transform, type TransformCallback } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import type { Dispatcher } from "undici";
import { runtime } from "../config/runtime.ts";
import { sessionCookie } from "../http/session-cookie.ts";
import { actOutside, requireActing } from "../request/acts.ts";
import { currentRequest } from "../request/context.ts";
import { hostOf, readUrl } from "./guard/addressing.ts";
import { guardedConnector } from "./guard/connect.ts";
import { OutboundRefused, type Target } from "./guard/policy.ts";
import { type GuardConfig, resolveChecked } from "./guard/resolve.ts";

/** Longest an outside call may take in all, in milliseconds (conventions §17). */
export const HARD_TIMEOUT = 10_000;
const MOST_BYTES = 1024 * 1024;
const MOST_HEADER_BYTES = 16 * 1024;

/** A call to the outside world. Nothing of the running request goes with it but what stands here. */
export interface OutboundCall {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Milliseconds for everything: name, connection, headers and the whole body. */
  timeout?: number;
  /** Most bytes of the answer, counted as they come and again when unpacked. */
  mostBytes?: number;
  signal?: AbortSignal;
}

/** What came back, whatever its status. A redirect is an answer like any other. */
export interface OutboundAnswer {
  status: number;
  /** By lower-case name; repeated ones joined by commas. */
  headers: Record<string, string>;
  body: Buffer;
}

export type FailureKind = "timeout" | "unreachable" | "too_large" | "garbage";

/** There was no answer, or something that is none. */
export class OutboundFailed extends Error {
  override name = "OutboundFailed";
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Passes bytes on until there are more than `most`. */
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

/** Codings of an answer's body, in the order they were applied. @throws OutboundFailed for one that was not asked for */
function unpackers(coding: string): Transform[] {
  const names = coding.split(",").map((name) => name.trim().toLowerCase());
  const wanted = names.filter((name) => name !== "" && name !== "identity");
  const make = wanted.length > 1 ? undefined : wanted.map((name) => UNPACKERS[name]);
  if (!make || make.includes(undefined)) throw new OutboundFailed("garbage", "the answer is packed in a way nobody asked for");
  return make.map((unpack) => (unpack as () => Transform)());
}

const flat = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );

/**
 * The body as it can be read: unpacked, and broken off with an error as soon as it is larger than `most` bytes, packed or not.
 * @throws OutboundFailed for a coding we did not ask for
 */
function boundedBody(body: Readable, coding: string, most: number): Readable {
  const unpacking = unpackers(coding);
  const steps = [counting(most), ...unpacking, ...(unpacking.length > 0 ? [counting(most)] : [])];
  pipeline([body, ...steps] as [Readable, ...Transform[]]).catch(() => {});
  return steps.at(-1) as Transform;
}

/** Names the failure behind what undici, zlib or a socket threw. */
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
 * No database connection is held while the outside world is asked (assets §5.6): ask in `prepare`, or in a job outside of `read` and `write`.
 * @throws Error inside an open transaction
 */
export function requireNoTransaction(what: string): void {
  if (currentRequest()?.transaction) throw new Error(`'${what}' was called inside an open transaction`);
}

/**
 * Refuses what would take a caller's own credential outside (conventions §17): a key of this installation by its form, its session by name.
 * @throws Error: only a mistake in our own code can do it
 */
function requireNoCallerCredential(headers: Record<string, string>): void {
  const { config, scheme } = runtime();
  const own = new RegExp(`\\b${config.keyPrefix}_[0-9a-f]{12}_[0-9a-f]{64}\\b|\\b${sessionCookie(scheme)}=`);
  for (const [name, value] of Object.entries(headers))
    if (own.test(value)) throw new Error(`the header '${name}' would take a caller's credential outside`);
}

/**
 * An agent that only reaches checked addresses and follows nothing.
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
 * Checks an address a user gave, without calling it: for the moment it is saved. What is called later is checked again.
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
 * Checks an address that is about to be saved (platform §5.9, conventions §17): a host that name servers say does not exist, or that is not
 * public, is refused. While they give no answer it is taken; the name is resolved again whenever something is sent.
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
 * Calls an address a user gave (conventions §17): every address its name resolves to is checked, the checked one is connected to, no
 * redirect is followed, and the whole call ends in time.
 * @throws OutboundRefused when the address may not be called: a configuration error
 * @throws OutboundFailed when there was no answer, or none that could be held
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
    return await exchange(agent, url, { method, headers, body, signal, mostBytes });
  } catch (error) {
    throw failureOf(error, signal);
  } finally {
    void agent.destroy();
  }
}

/** Whether a request of this method changes something on the other side (RFC 9110 §9.2.1). */
export const changesSomething = (method: string): boolean => !/^(GET|HEAD|OPTIONS)$/i.test(method);

/** One request as it is sent. */
export interface Exchange {
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  signal: AbortSignal;
  mostBytes: number;
  /** It changes nothing at the other side, whatever its method: some providers read by POST. */
  reads?: boolean;
}

/** Sends one request by an agent and gives its answer as soon as there are headers; the body is bounded and may still fail. */
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

/** Sends one request by an agent and reads the whole answer. */
export async function exchange(agent: Dispatcher, url: URL, request: Exchange): Promise<OutboundAnswer> {
  const { body, ...answer } = await begin(agent, url, request);
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part as Buffer);
  request.signal.throwIfAborted();
  return { ...answer, body: Buffer.concat(parts) };
}
