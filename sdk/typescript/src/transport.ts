import { ConnectionError, KantoorError, refusalOf, TimeoutError } from "./errors.ts";
import { etagOf } from "./etags.ts";
import { formOf } from "./files.ts";
import type { Operation } from "./operation.ts";
import type { AllOptions, KantoorOptions } from "./options.ts";
import { pause } from "./pause.ts";

/** One call: its operation with everything that the caller gave. */
export interface Call {
  operation: Operation;
  path: readonly string[];
  body?: unknown;
  query?: Readonly<Record<string, unknown>> | undefined;
  options?: AllOptions | undefined;
}

const RETRIED: readonly number[] = [429, 502, 503, 504];
const FIRST_WAIT = 500;
const LONGEST_BACKOFF = 8_000;

/** Milliseconds that an answer asks to wait, by seconds or by date; undefined without a `Retry-After`. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const at = /^\d+$/.test(value.trim()) ? now + Number(value) * 1000 : Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Waits of 0.5, 1, 2 … 8 s, each shortened by up to a half so that callers that failed together do not return together. */
const backoff = (attempt: number) => Math.min(LONGEST_BACKOFF, FIRST_WAIT * 2 ** attempt) * (1 - Math.random() / 2);

/** The parameters of a query: lists with commas, dates as instants; undefined and null are left out. */
export function queryOf(query: Readonly<Record<string, unknown>> = {}): string {
  const text = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => [key, Array.isArray(value) ? value.map(text).join(",") : text(value)]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs as [string, string][])}`;
}

/** `https://agency.example` with `/api/v1`; an address that has a path already keeps it. @throws KantoorError if it is no address */
export function apiOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl))
    throw new KantoorError(`baseUrl is not an address of the web: ${JSON.stringify(baseUrl)}.`);
  const url = new URL(baseUrl);
  return url.pathname === "/" ? `${url.origin}/api/v1` : `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** Sends calls, and repeats those that can be repeated. */
export class Transport {
  readonly #options: KantoorOptions;
  readonly #api: string;
  constructor(options: KantoorOptions) {
    this.#options = options;
    this.#api = apiOf(options.baseUrl);
  }

  async #credential(): Promise<Record<string, string>> {
    const { apiKey, accessToken } = this.#options;
    if (apiKey !== undefined) return { "X-API-Key": apiKey };
    if (accessToken === undefined) return {};
    return { Authorization: `Bearer ${typeof accessToken === "string" ? accessToken : await accessToken()}` };
  }

  #urlOf({ operation, path, query }: Call): string {
    const filled = operation.parameters.reduce((whole, name, index) => {
      const value = path[index];
      // An empty segment would name another operation: the list instead of one row.
      if (value === undefined || value === null || value === "") throw new KantoorError(`${operation.path} needs ${name}.`);
      return whole.replace(`{${name}}`, encodeURIComponent(value));
    }, operation.path);
    return `${this.#api}${filled}${queryOf(query)}`;
  }

  async #bodyOf({ operation, body }: Call): Promise<{ body?: RequestInit["body"]; type?: string }> {
    if (operation.body === undefined || body === undefined) return {};
    if (operation.body === "json") return { body: JSON.stringify(body), type: "application/json" };
    if (operation.body === "multipart") return { body: await formOf(body as object) };
    return { body: new URLSearchParams(queryOf(body as Record<string, unknown>).slice(1)) };
  }

  #headersOf({ operation, options = {} }: Call): Record<string, string> {
    const { ifMatch, idempotencyKey, lastEventId } = options;
    const headers: Record<string, string> = { ...this.#options.headers, ...options.headers };
    if (operation.takesKey) headers["Idempotency-Key"] = idempotencyKey ?? crypto.randomUUID();
    if (ifMatch !== undefined) headers["If-Match"] = typeof ifMatch === "string" ? ifMatch : etagOf(ifMatch);
    if (lastEventId !== undefined) headers["Last-Event-ID"] = lastEventId;
    return headers;
  }

  /** One attempt: the timeout ends with the headers, so that long bodies and streams can be read. */
  async #attempt(url: string, init: RequestInit, timeout: number, signal: AbortSignal | undefined): Promise<Response> {
    const call = this.#options.fetch ?? ((to: string, how: RequestInit) => globalThis.fetch(to, how));
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeout);
    try {
      return await call(url, { ...init, signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.signal.aborted)
        throw new TimeoutError(`${init.method} ${url} was not answered within ${timeout} ms`, { cause: error });
      throw new ConnectionError(`${init.method} ${url} could not be sent`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Sends a call and returns the answer of 2xx.
   *
   * Reads, and writes with an `Idempotency-Key`, are repeated when the connection fails and on 429, 502, 503 and 504; every attempt
   * of a write has the same key. Other writes are repeated on 429 alone, which says that nothing was done.
   * @throws ApiError if the service refuses it, ConnectionError if it cannot be reached
   */
  async send(call: Call): Promise<Response> {
    const { operation, options = {} } = call;
    const { maxRetries = this.#options.maxRetries ?? 2, timeout = this.#options.timeout ?? 60_000, signal } = options;
    const longestWait = this.#options.longestWait ?? 60_000;
    const url = this.#urlOf(call);
    const { body, type } = await this.#bodyOf(call);
    const own = this.#headersOf(call);
    const repeatable = operation.takesKey || operation.method === "GET";
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      const isLast = attempt >= maxRetries;
      const headers = {
        Accept: "application/json, */*",
        ...(type && { "Content-Type": type }),
        ...(await this.#credential()),
        ...own,
      };
      const init: RequestInit = { method: operation.method, headers, ...(body !== undefined && { body }) };
      let answer: Response;
      try {
        answer = await this.#attempt(url, init, timeout, signal);
      } catch (error) {
        if (!(error instanceof ConnectionError) || isLast || !repeatable) throw error;
        await pause(backoff(attempt), signal);
        continue;
      }
      if (answer.ok) return answer;
      const refusal = await refusalOf(answer);
      const wait = retryAfter(answer.headers, Date.now()) ?? backoff(attempt);
      const again = RETRIED.includes(answer.status)
        ? repeatable || answer.status === 429
        : refusal.code === "idempotency_in_progress";
      if (isLast || !again || wait > longestWait) throw refusal;
      await pause(wait, signal);
    }
  }
}
