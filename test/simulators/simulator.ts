import http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** A request as the simulator got it. */
export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** What the provider answers. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** It is not what the provider's description says, because a test wants it so. */
  deviates?: true;
  /** A body that comes in parts, each followed by what has to come true before the next; false cuts the connection. */
  parts?: readonly { text: string; goesOn?: () => Promise<boolean> }[];
}

/** How a request is treated instead of being answered as it should. */
export type Fault =
  /** Answers properly after so many milliseconds. */
  | { kind: "delay"; ms: number }
  /** Answers properly once this has come true. */
  | { kind: "wait"; until: Promise<unknown> }
  /** Cuts the connection without a word; nothing is done. */
  | { kind: "drop" }
  /** Resets the connection; nothing is done. */
  | { kind: "reset" }
  /** Takes the request and never answers; nothing is done. */
  | { kind: "hang" }
  /** Answers this, whatever was asked; nothing is done. */
  | { kind: "reply"; status: number; headers?: Record<string, string>; body?: string }
  /** Answers bytes that are no HTTP; nothing is done. */
  | { kind: "garbage" }
  /** Does what was asked and cuts the connection: the answer is lost. */
  | { kind: "lose" }
  /** Sends the proper body in pieces with so many milliseconds between them. */
  | { kind: "drip"; ms: number }
  /** Announces the proper body and cuts the connection in the middle of it. */
  | { kind: "truncate" }
  /** Answers 200 with a body without end, until the other side has had enough. */
  | { kind: "flood" }
  /** Answers 200 with a few bytes of gzip that become so many when unpacked. */
  | { kind: "bomb"; bytes: number };

/** A provider's public description: what of a request the provider does not know, and what of an answer it would not give. */
export interface Described {
  wrongInRequest(request: Received): string[];
  wrongInReply(request: Received, reply: Reply): string[];
}

/** A request the real provider would not understand. */
export class Misunderstood extends Error {}

const UNDONE = new Set<Fault["kind"]>(["drop", "reset", "hang", "reply", "garbage"]);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** Text goes as UTF-8; a provider that writes otherwise gives bytes. */
const bytesOf = (body: unknown): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body ?? null));

/**
 * A provider of the outside world on 127.0.0.1, with a state of its own. Requests are checked as strictly as the provider's documentation
 * allows: what it would not understand is answered with 400 and kept in `complaints`, so that a test fails on it.
 */
export abstract class Simulator {
  readonly received: Received[] = [];
  readonly complaints: string[] = [];
  readonly #faults: Fault[] = [];
  readonly #standing = new Map<(request: Received) => boolean, Fault>();
  readonly #server = http.createServer((request, response) => {
    this.#serve(request, response).catch((error: Error) => {
      // Whoever hangs up early, as a caller with a deadline does, has not misunderstood anything.
      if (!request.destroyed || request.complete) this.complaints.push(`the simulator failed: ${error.message}`);
      response.destroy();
    });
  });

  /** The provider's public description: every request is held against it first, and every answer. Null: there is none. */
  protected readonly described: Described | null = null;

  /** The provider's own answer. @throws Misunderstood */
  protected abstract answer(request: Received): Reply;

  /** The 400 that a request gets which the provider would not understand. */
  protected misunderstood(_request: Received, message: string): Reply {
    return { status: 400, body: { error: { code: 400, msg: message } } };
  }

  /** Called once the answer to a request has been sent, or will never be. */
  protected answered(_request: Received): void {}

  /** Called when the caller hung up, or was cut off, before it had the whole answer. */
  protected hungUp(_request: Received): void {}

  /** Where it listens, without a path. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param port a free one by default */
  start(port = 0): Promise<void> {
    return new Promise((resolve, reject) => this.#server.once("error", reject).listen(port, "127.0.0.1", () => resolve()));
  }

  /** Does not keep its process alive, where nobody is to stop it. */
  unref(): void {
    this.#server.unref();
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** Treats the next requests so, one after the other; afterwards all is well again. */
  fail(...faults: Fault[]): void {
    this.#faults.push(...faults);
  }

  /** Treats every request that matches so, until the given function is called. */
  failWhen(matches: (request: Received) => boolean, fault: Fault): () => void {
    this.#standing.set(matches, fault);
    return () => void this.#standing.delete(matches);
  }

  /** Forgets requests, complaints and faults. */
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
    try {
      await respond(response, reply, fault);
    } finally {
      this.answered(received);
    }
  }

  /** The proper answer; a request that is not carried out is still checked. */
  #understood(received: Received, isCarriedOut: boolean): Reply {
    try {
      const [wrong] = this.described?.wrongInRequest(received) ?? [];
      if (wrong !== undefined) throw new Misunderstood(wrong);
      if (!isCarriedOut) return { status: 200 };
      const reply = this.answer(received);
      // A simulator that answers what its provider would not hides faults of ours.
      if (!reply.deviates) this.complaints.push(...(this.described?.wrongInReply(received, reply) ?? []));
      return reply;
    } catch (error) {
      if (!(error instanceof Misunderstood)) throw error;
      this.complaints.push(`${received.method} ${received.path}?${received.query}: ${error.message}`);
      return this.misunderstood(received, error.message);
    }
  }
}

/** Sends an answer, or what the fault makes of it. */
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
    // Sent before the connection is cut, if it is, and no faster than it is taken.
    await new Promise<unknown>((sent) => response.write(text, sent));
    if (goesOn && !(await goesOn())) {
      response.destroy();
      return;
    }
  }
  response.end();
}

/** The one value of each of the parameters. @throws Misunderstood for one that is missing, repeated or unknown */
export function exactly<K extends string>(query: URLSearchParams, ...names: K[]): Record<K, string> {
  for (const name of new Set(query.keys())) {
    if (!(names as string[]).includes(name)) throw new Misunderstood(`unknown parameter '${name}'`);
    if (query.getAll(name).length > 1) throw new Misunderstood(`'${name}' is repeated`);
  }
  const missing = names.find((name) => !query.has(name));
  if (missing) throw new Misunderstood(`'${missing}' is missing`);
  return Object.fromEntries(names.map((name) => [name, query.get(name)])) as Record<K, string>;
}
