import { setTimeout as delay } from "node:timers/promises";
import { type Answer, type Call, send } from "../../support/http.ts";

/** Longest that a client insists on an answer, in milliseconds. */
const PATIENCE = 240_000;
/** Longest that a client waits for one answer: more than the service may take. */
const LONGEST = 40_000;

/** A write that was acknowledged. */
export interface Write {
  key: string;
  method: string;
  path: string;
  body: unknown;
  answer: Answer["body"];
}

/** Whether an answer says no more than that something was away just then: 502 of the proxy, 503, 504, or a twin that still runs. */
const isAway = ({ status, body }: Answer): boolean =>
  [502, 503, 504].includes(status) || (status === 409 && body?.error?.code === "idempotency_in_progress");

/** What one client did, and how often it had to ask. */
export class Journal {
  readonly writes: Write[] = [];
  /** What no fault explains, in sentences. */
  readonly unexpected: string[] = [];
  /** Calls made again because their outcome was unknown. */
  repeated = 0;
  /** Calls, reads included, that were answered. */
  answered = 0;
  readonly #port: () => number;
  readonly #as: Pick<Call, "host" | "key">;
  readonly #name: string;
  #next = 0;

  constructor(name: string, port: () => number, as: Pick<Call, "host" | "key">) {
    this.#name = name;
    this.#port = port;
    this.#as = as;
  }

  async #once(method: string, path: string, call: Call): Promise<Answer | null> {
    const late = new AbortController();
    const limit = delay(LONGEST, null, { signal: late.signal }).catch(() => null);
    const answer = send(this.#port(), method, path, { ...this.#as, ...call }).catch(() => null);
    return Promise.race([answer, limit]).finally(() => late.abort());
  }

  /** A call that is made until its outcome is known. @throws Error when none comes */
  async #insist(method: string, path: string, call: Call): Promise<Answer> {
    const began = performance.now();
    for (;;) {
      const answer = await this.#once(method, path, call);
      if (answer && !isAway(answer)) {
        this.answered += 1;
        return answer;
      }
      this.repeated += 1;
      if (performance.now() - began > PATIENCE)
        throw new Error(`${method} ${path} was never answered: ${answer?.status} ${answer?.text}`);
      await delay(200);
    }
  }

  /** A read. @returns null for a refusal */
  async read(path: string, expected = 200): Promise<Answer> {
    const answer = await this.#insist("GET", path, {});
    if (answer.status !== expected)
      this.unexpected.push(`GET ${path}: ${answer.status}, not ${expected}: ${answer.text.slice(0, 300)}`);
    return answer;
  }

  /** A write under a key of its own, which every repetition uses again. @returns null if it was refused, which is noted */
  async write(method: string, path: string, body?: unknown): Promise<Answer["body"] | null> {
    const key = `${this.#name}-${this.#next++}`;
    const answer = await this.#insist(method, path, { body, headers: { "Idempotency-Key": key } });
    if (answer.status >= 300) {
      this.unexpected.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
      return null;
    }
    this.writes.push({ key, method, path, body, answer: answer.body });
    return answer.body;
  }

  /** Sends an acknowledged write again: the answer must be the same. */
  async again({ key, method, path, body, answer }: Write): Promise<void> {
    const { status, body: repeated, text } = await this.#insist(method, path, { body, headers: { "Idempotency-Key": key } });
    if (status >= 300 || repeated?.id !== answer?.id)
      this.unexpected.push(`${key} again: ${status} ${text.slice(0, 200)}, not the answer of ${answer?.id}`);
  }
}
