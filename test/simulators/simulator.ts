import http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { noteProse } from "../support/run/prose.ts";

/** A request as the simulator received it. */
export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** The provider's response. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** A test makes it deviate from the provider's description on purpose. */
  deviates?: true;
  /** A body sent in parts; `goesOn` must resolve before the next one, and false cuts the connection. */
  parts?: readonly { text: string; goesOn?: () => Promise<boolean> }[];
}

/** How a request is mistreated instead of being answered properly. */
export type Fault =
  /** Delays the proper response. */
  | { kind: "delay"; ms: number }
  /** Responds properly once this resolves. */
  | { kind: "wait"; until: Promise<unknown> }
  /** Closes the connection without a response; nothing is done. */
  | { kind: "drop" }
  /** Resets the connection; nothing is done. */
  | { kind: "reset" }
  /** Reads the request and never responds; nothing is done. */
  | { kind: "hang" }
  /** Returns this response to any request, once `until` resolves if it is given; nothing is done. */
  | { kind: "reply"; status: number; headers?: Record<string, string>; body?: string; until?: Promise<unknown> }
  /** Returns bytes that are not HTTP; nothing is done. */
  | { kind: "garbage" }
  /** Executes the request and cuts the connection: the response is lost. */
  | { kind: "lose" }
  /** Sends the proper body in pieces, this many milliseconds apart. */
  | { kind: "drip"; ms: number }
  /** Announces the proper body and cuts the connection halfway. */
  | { kind: "truncate" }
  /** Returns 200 with an endless body until the other side stops reading. */
  | { kind: "flood" }
  /** Returns 200 with a few bytes of gzip that unpack to this many. */
  | { kind: "bomb"; bytes: number };

/** A provider's public description: faults of requests and of responses. */
export interface Described {
  wrongInRequest(request: Received): string[];
  wrongInReply(request: Received, reply: Reply): string[];
}

/** A request that the real provider would reject as malformed. */
export class Misunderstood extends Error {}

const UNDONE = new Set<Fault["kind"]>(["drop", "reset", "hang", "reply", "garbage"]);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** Text is sent as UTF-8; a provider with another encoding returns bytes. */
const bytesOf = (body: unknown): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body ?? null));

/**
 * An external provider on 127.0.0.1, with its own state. It checks requests as strictly as the provider's documentation allows: it rejects
 * an invalid one with 400 and adds it to `complaints`, so that the test fails.
 */
export abstract class Simulator {
  readonly received: Received[] = [];
  readonly complaints: string[] = [];
  readonly #faults: Fault[] = [];
  readonly #standing = new Map<(request: Received) => boolean, Fault>();
  readonly #server = http.createServer((request, response) => {
    this.#serve(request, response).catch((error: Error) => {
      // A caller that hangs up early, for instance at a deadline, has made no mistake.
      if (!request.destroyed || request.complete) this.complaints.push(`the simulator failed: ${error.message}`);
      response.destroy();
    });
  });

  /** The provider's public description, to check every request first and every response. Null if there is none. */
  protected readonly described: Described | null = null;

  /** The provider's own response. @throws Misunderstood */
  protected abstract answer(request: Received): Reply;

  /** The 400 response to an invalid request. */
  protected misunderstood(_request: Received, message: string): Reply {
    return { status: 400, body: { error: { code: 400, msg: message } } };
  }

  /** Called once the response has been sent, or never will be. */
  protected answered(_request: Received): void {}

  /** Called when the caller hung up, or was cut off, before the response was complete. */
  protected hungUp(_request: Received): void {}

  /** Its origin, without a path. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param port a free one by default */
  start(port = 0): Promise<void> {
    return new Promise((resolve, reject) => this.#server.once("error", reject).listen(port, "127.0.0.1", () => resolve()));
  }

  /** Lets the process exit even if the simulator is never stopped. */
  unref(): void {
    this.#server.unref();
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** Applies these faults to the next requests, one each; later requests are answered properly. */
  fail(...faults: Fault[]): void {
    this.#faults.push(...faults);
  }

  /** Applies a fault to every matching request until the returned function is called. */
  failWhen(matches: (request: Received) => boolean, fault: Fault): () => void {
    this.#standing.set(matches, fault);
    return () => void this.#standing.delete(matches);
  }

  /** Clears requests, complaints and faults. */
  reset(): void {
    for (const kept of [this.received, this.complaints, this.#faults]) kept.length = 0;
    this.#standing.clear();
  }

  #faultFor(request: Received): Fault | undefined {
    for (const [matches, fault] of this.#standing) if (matches(request)) return fault;
    return this.#faults.shift();
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? "/", this.origin);
    const received: Received = {
      method: request.method ?? "",
      path: pathname,
      query: searchParams,
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
    };
    this.received.push(received);
    response.on("error", () => {});
    response.on("close", () => response.writableFinished || this.hungUp(received));
    const fault = this.#faultFor(received);
    const reply = this.#understood(received, fault === undefined || !UNDONE.has(fault.kind));
    noteProse(...(fault?.kind === "reply" ? ([fault.status, fault.body] as const) : ([reply.status, reply.body] as const)));
    try {
      await respond(response, reply, fault);
    } finally {
      this.answered(received);
    }
  }

  /** The proper response; a request that is not executed is still checked. */
  #understood(received: Received, isCarriedOut: boolean): Reply {
    try {
      const [wrong] = this.described?.wrongInRequest(received) ?? [];
      if (wrong !== undefined) throw new Misunderstood(wrong);
      if (!isCarriedOut) return { status: 200 };
      const reply = this.answer(received);
      // A response that the provider would not send would hide bugs of this service.
      if (!reply.deviates) this.complaints.push(...(this.described?.wrongInReply(received, reply) ?? []));
      return reply;
    } catch (error) {
      if (!(error instanceof Misunderstood)) throw error;
      this.complaints.push(`${received.method} ${received.path}?${received.query}: ${error.message}`);
      return this.misunderstood(received, error.message);
    }
  }
}

/** Sends a response, altered by the fault. */
async function respond(response: http.ServerResponse, reply: Reply, fault: Fault | undefined): Promise<void> {
  const body = bytesOf(reply.body);
  const head = () => response.writeHead(reply.status, { "Content-Type": "application/json;charset=UTF-8", ...reply.headers });
  switch (fault?.kind) {
    case "drop":
    case "lose":
      response.destroy();
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "hang":
      return;
    case "garbage":
      response.socket?.end("\u0016\u0003\u0001 what is this?\r\n\r\n");
      return;
    case "reply":
      await fault.until;
      response.writeHead(fault.status, { "Content-Type": "text/html", ...fault.headers }).end(fault.body ?? "");
      return;
    case "truncate":
      response.setHeader("Content-Length", body.length);
      head().write(body.subarray(0, body.length / 2), () => response.destroy());
      return;
    case "drip":
      head();
      for (let at = 0; at < body.length && !response.destroyed; at += 8) {
        response.write(body.subarray(at, at + 8));
        await pause(fault.ms);
      }
      response.end();
      return;
    case "flood":
      head();
      while (!response.destroyed) {
        response.write(" ".repeat(64 * 1024));
        await pause(1);
      }
      return;
    case "bomb":
      response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(fault.bytes, 32)));
      return;
    case "delay":
      await pause(fault.ms);
      break;
    case "wait":
      await fault.until;
  }
  if (response.destroyed) return;
  if (!reply.parts) {
    head().end(body);
    return;
  }
  head().flushHeaders();
  for (const { text, goesOn } of reply.parts) {
    if (response.destroyed) return;
    // Written before the connection is cut, and at the receiver's pace.
    await new Promise<unknown>((sent) => response.write(text, sent));
    if (goesOn && !(await goesOn())) {
      response.destroy();
      return;
    }
  }
  response.end();
}

/** The single value of each parameter. @throws Misunderstood for a missing, repeated or unknown one */
export function exactly<K extends string>(query: URLSearchParams, ...names: K[]): Record<K, string> {
  for (const name of new Set(query.keys())) {
    if (!(names as string[]).includes(name)) throw new Misunderstood(`unknown parameter '${name}'`);
    if (query.getAll(name).length > 1) throw new Misunderstood(`'${name}' is repeated`);
  }
  const missing = names.find((name) => !query.has(name));
  if (missing) throw new Misunderstood(`'${missing}' is missing`);
  return Object.fromEntries(names.map((name) => [name, query.get(name)])) as Record<K, string>;
}
