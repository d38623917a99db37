import type { Socket } from "socket.io-client";
import { runtime } from "../../../core/config/runtime.ts";
import { requireNoTransaction } from "../../../core/outbound/call.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { guardedNodeAgent } from "../../../core/outbound/guard/agent.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { notifyListeners } from "../../../core/outbound/trace.ts";
import { currentRequest } from "../../../core/request/context.ts";
import { KumaFailure } from "./failure.ts";

/** Milliseconds to connect, and to wait for an answer or an expected event. */
const CONNECT = 10_000;
const ANSWER = 20_000;
/** Milliseconds in which a server must introduce itself. */
const INTRODUCTION = 5_000;
/** Most bytes of one message: the list of a thousand monitors takes about two million. */
const MOST_BYTES = 32 << 20;
/** The server's answer to any call once its shared rate limit is used up. */
const TOO_OFTEN = /too frequently/i;
/** Seconds until that rate limit is reset. */
const BUCKET = 60;

/** The connection parameters of a server. */
export interface KumaAddress {
  /** Id of the instance, for traces. */
  account: string;
  baseUrl: string;
  sslVerify: boolean;
  /** Headers of the connection, for a gateway before the server. */
  headers: Readonly<Record<string, string>>;
}

/** The shape of every answer. */
export interface Answered {
  ok?: boolean;
  msg?: unknown;
  [part: string]: unknown;
}

/** Maps a connection error to a failure. */
function connectionFailure(error: Error & { description?: { message?: string; error?: Error } }): KumaFailure {
  const inner = error.description?.error ?? error;
  if (inner instanceof OutboundRefused || error instanceof OutboundRefused)
    return new KumaFailure("unreachable", redact(inner.message));
  const said = error.description?.message ?? error.message;
  const status = Number(/unexpected server response: (\d{3})/i.exec(said)?.[1] ?? 0);
  if (status === 0) return new KumaFailure("unreachable", redact(said));
  const isGateway = status === 401 || status === 403 || status === 407 || (status >= 300 && status < 400);
  return new KumaFailure(isGateway ? "gateway_refused" : "not_server", `HTTP ${status} instead of a connection`);
}

/** A connection to an Uptime Kuma server. Its content is never logged. */
export class KumaSocket {
  readonly #socket: Socket;
  readonly #account: string;

  private constructor(socket: Socket, account: string) {
    this.#socket = socket;
    this.#account = account;
  }

  /**
   * Connects to the checked address and waits for the server's introduction.
   * @throws KumaFailure `unreachable`, `gateway_refused`, `not_server`
   */
  static async open({ account, baseUrl, sslVerify, headers }: KumaAddress): Promise<KumaSocket> {
    requireNoTransaction("uptime");
    // Load the client only when needed, so that installations without uptime servers do not pay for it.
    const { io } = await import("socket.io-client");
    const url = addressOf(baseUrl);
    const isSecure = url.protocol === "https:";
    const agent = guardedNodeAgent("uptime", isSecure, runtime().config, { timeout: CONNECT, verifiesCertificate: sslVerify });
    const socket = io(url.origin, {
      path: `${url.pathname.replace(/\/+$/, "")}/socket.io`,
      transports: ["websocket"],
      agent: agent as never,
      extraHeaders: { ...headers },
      rejectUnauthorized: sslVerify,
      reconnection: false,
      forceNew: true,
      autoConnect: false,
      timeout: CONNECT,
      maxPayload: MOST_BYTES,
    } as Parameters<typeof io>[1]);
    const opened = new KumaSocket(socket, account);
    const introduced = opened.next("info", INTRODUCTION).catch(() => {
      throw new KumaFailure("not_server", "it speaks Socket.IO and does not introduce itself as Uptime Kuma");
    });
    introduced.catch(() => {});
    try {
      await opened.#connect();
      await introduced;
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  #connect(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new KumaFailure("unreachable", "there was no connection in time")), CONNECT + 1000);
      socket.once("connect", () => {
        clearTimeout(late);
        resolve();
      });
      socket.once("connect_error", (error) => {
        clearTimeout(late);
        reject(connectionFailure(error as Error));
      });
      socket.connect();
    });
  }

  get isOpen(): boolean {
    return this.#socket.connected;
  }

  on(event: string, listener: (...parts: never[]) => void): void {
    this.#socket.on(event, listener as (...parts: unknown[]) => void);
  }

  /** The first argument of the next event of this name. @throws KumaFailure on timeout */
  next<T>(event: string, within = ANSWER): Promise<T> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(late);
        socket.off(event, arrived);
        socket.off("disconnect", lost);
      };
      const arrived = (first: T) => {
        end();
        resolve(first);
      };
      const lost = () => {
        end();
        reject(new KumaFailure("unreachable", "the connection broke"));
      };
      const late = setTimeout(() => {
        end();
        reject(new KumaFailure("unreachable", `the event ${event} did not arrive in time`));
      }, within).unref();
      socket.on(event, arrived);
      socket.on("disconnect", lost);
    });
  }

  /**
   * Calls the server and returns any answer, including an unsuccessful one.
   * @throws KumaFailure `unreachable` on timeout, `rate_limited`
   */
  async ask(event: string, ...given: unknown[]): Promise<Answered> {
    requireNoTransaction("uptime");
    const began = Date.now();
    const clock = performance.now();
    let failure: KumaFailure | null = null;
    try {
      const answer = ((await this.#socket.timeout(ANSWER).emitWithAck(event, ...given)) ?? {}) as Answered;
      if (answer.ok !== true && typeof answer.msg === "string" && TOO_OFTEN.test(answer.msg))
        throw new KumaFailure("rate_limited", "the server asks for fewer calls", BUCKET);
      return answer;
    } catch (error) {
      failure = error instanceof KumaFailure ? error : new KumaFailure("unreachable", `no answer to ${event} in time`);
      throw failure;
    } finally {
      notifyListeners({
        provider: "uptime",
        account: this.#account,
        operation: event,
        method: "SOCKET",
        requestId: currentRequest()?.requestId ?? null,
        attempt: 1,
        status: null,
        failure: failure?.kind ?? null,
        began,
        milliseconds: Math.round(performance.now() - clock),
      });
    }
  }

  /** Calls the server and requires success. @throws KumaFailure, `failed` with the server's redacted message */
  async call(event: string, ...given: unknown[]): Promise<Answered> {
    const answer = await this.ask(event, ...given);
    if (answer.ok !== true) throw new KumaFailure("failed", `${event}: ${redact(String(answer.msg ?? "refused"))}`);
    return answer;
  }

  close(): void {
    this.#socket.disconnect();
    this.#socket.removeAllListeners();
  }
}

/** Parses the address of a server, with its subpath. @throws KumaFailure `unreachable` for an address that must not be called */
function addressOf(baseUrl: string): URL {
  try {
    return readUrl("uptime", baseUrl);
  } catch (error) {
    throw new KumaFailure("unreachable", redact((error as Error).message));
  }
}
