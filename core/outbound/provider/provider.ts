import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { RateLimiter } from "../../http/rate-limit.ts";
import { currentRequest } from "../../request/context.ts";
import { traceHeaders, tracing } from "../../tracing/tracing.ts";
import { Turns } from "../../values/turns.ts";
import { actOutside } from "../acts.ts";
import { exchange, failureOf, guardedAgent, type OutboundAnswer, OutboundFailed, requireNoTransaction } from "../call.ts";
import { OutboundRefused } from "../guard/policy.ts";
import { redact } from "../redact.ts";
import { notifyListeners } from "../trace.ts";
import { inCallSpan } from "./call-span.ts";
import { answered, closedFor, failed, paused } from "./circuit.ts";
import { takeTurn } from "./pace.ts";
import { effectOf, type ProviderAnswer, type ProviderCall, type ProviderSpec, readable } from "./provider-call.ts";
import { ProviderFailure } from "./provider-failure.ts";
import { type Attempt, JOB_ATTEMPTS, LONGEST_WAIT, mayRepeatInRequest, retryAfterSeconds, waitInJob } from "./retry.ts";
import { jobRetryContext } from "./retry-context.ts";

export type { ProviderAnswer, ProviderCall, ProviderSpec } from "./provider-call.ts";
export { ProviderFailure };

/** Milliseconds to wait for a slot (assets §5.3: pool). */
const QUEUE_TIMEOUT = 5000;
/** Milliseconds added to waits that are known in whole seconds only. */
const A_LITTLE = 250;
const secondsLeftInMinute = () => 60 - Math.floor((Date.now() / 1000) % 60);

const agents = new Set<Dispatcher>();

/** Closes the connections to all providers; the next call opens new ones. */
export async function closeProviders(): Promise<void> {
  const closing = [...agents];
  agents.clear();
  await Promise.all(closing.map((agent) => agent.destroy()));
}

/** The single client of an integration, with the timeouts, retries, limits, circuit and traces of assets §5. */
export class ProviderClient {
  readonly kind: string;
  readonly #spec: Required<Omit<ProviderSpec, "limitedWaits">> & Pick<ProviderSpec, "limitedWaits">;
  readonly #turns: Turns;
  readonly #limiter: RateLimiter;
  #agent: Promise<Dispatcher> | null = null;

  constructor(spec: ProviderSpec) {
    const { connectTimeout = 5000, readTimeout = 20_000, concurrency = 16, perMinute = 0 } = spec;
    const wholeTimeout = spec.wholeTimeout ?? connectTimeout + readTimeout;
    const share = spec.share ?? Math.max(1, Math.floor(concurrency / 2));
    this.kind = spec.kind;
    this.#spec = {
      mostBytes: 8 << 20,
      repeats: true,
      perSecond: 0,
      waitsForLimit: true,
      ...spec,
      connectTimeout,
      readTimeout,
      wholeTimeout,
      concurrency,
      share,
      perMinute,
    };
    this.#turns = new Turns({ total: concurrency, share });
    this.#limiter = new RateLimiter(perMinute, () => {});
  }

  /** Slots taken on this node, and callers in the queue. */
  get load(): { taken: number; waiting: number } {
    return { taken: this.#turns.taken, waiting: this.#turns.waiting };
  }

  /**
   * Calls the provider, with retries where they may help and do no harm.
   * @throws ProviderFailure without a usable response
   * @throws Error inside an open transaction: a call must not hold a database connection (assets §5.6)
   * @throws the errors of `actOutside`, for a call that is not a read
   */
  async call(call: ProviderCall): Promise<ProviderAnswer> {
    requireNoTransaction(this.kind);
    if (effectOf(call) !== "read") await actOutside(this.kind);
    const job = jobRetryContext();
    const signals = [call.signal, job?.signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined;
    let last: ProviderFailure | null = null;
    for (let number = 1; ; number++) {
      try {
        return await (tracing ? this.#traced(call, number, signal) : this.#attempt(call, number, signal));
      } catch (error) {
        if (!(error instanceof ProviderFailure) || signal?.aborted) throw error;
        // The provider's last failure says more than the open circuit.
        if (error.kind === "open" && last) throw last;
        last = error;
        const wait = this.#waitAfter(error, call, number, job !== undefined);
        if (wait === null) throw error;
        await sleep(wait, undefined, { signal }).catch(() => {
          throw error;
        });
      }
    }
  }

  /** Calls like `call`, but returns the provider's last response whatever its status. @throws ProviderFailure without a response */
  answer(call: ProviderCall): Promise<OutboundAnswer> {
    return this.call(call).catch((error: unknown) => {
      if (error instanceof ProviderFailure && error.answer) return error.answer;
      throw error;
    });
  }

  /** Milliseconds until the next attempt, or null without one. */
  #waitAfter(failure: ProviderFailure, call: ProviderCall, number: number, isJob: boolean): number | null {
    const { kind, status, retryAfter } = failure;
    if (kind === "open" || kind === "busy" || kind === "refused" || kind === "too_large" || kind === "garbage") return null;
    if (kind === "limited" && failure.answer === null) {
      // Our own limit or a known pause: nothing was sent, so any call can be retried afterwards.
      const mayWait = isJob && number < JOB_ATTEMPTS && retryAfter !== null && retryAfter <= LONGEST_WAIT;
      return mayWait ? retryAfter * 1000 + A_LITTLE : null;
    }
    if (!this.#spec.repeats) return null;
    const { limitedWaits, waitsForLimit } = this.#spec;
    if (limitedWaits && kind === "limited" && retryAfter === null) return limitedWaits[number - 1] ?? null;
    if (kind === "limited" && !waitsForLimit) return null;
    const attempt: Attempt = {
      effect: effectOf(call),
      isKeyed: call.idempotencyKey !== undefined,
      status,
      isTimeout: kind === "timeout",
      number,
      retryAfter,
    };
    if (!isJob) return mayRepeatInRequest(attempt) ? 0 : null;
    const wait = waitInJob(attempt, Math.random());
    return wait === null || retryAfter === null ? wait : wait + A_LITTLE;
  }

  #traced(call: ProviderCall, number: number, signal: AbortSignal | undefined): Promise<ProviderAnswer> {
    return inCallSpan({ provider: this.kind, url: this.#spec.baseUrl(), number, ...call }, () =>
      this.#attempt(call, number, signal),
    );
  }

  async #attempt(call: ProviderCall, number: number, signal: AbortSignal | undefined): Promise<ProviderAnswer> {
    const { account } = call;
    await this.#admit(account, jobRetryContext() !== undefined);
    await this.#turns.take(account, {
      refusal: () => new ProviderFailure("busy", "all slots for calls to this provider are in use", { retryAfter: 1 }),
      timeout: QUEUE_TIMEOUT,
    });
    const began = Date.now();
    const clock = performance.now();
    let status: number | null = null;
    let failure: ProviderFailure | null = null;
    try {
      const { perSecond } = this.#spec;
      if (perSecond > 0) await takeTurn(`${this.kind} ${call.countedBy ?? account}`, perSecond, signal);
      const answer = await this.#exchange(call, signal);
      status = answer.status;
      failure = this.#failureIn(answer, call);
      await this.#learn(account, failure);
      if (failure) throw failure;
      return readable(answer, call);
    } catch (error) {
      failure = this.#named(error, call);
      if (error !== failure && !signal?.aborted) await this.#learn(account, failure);
      throw failure;
    } finally {
      this.#turns.over(account);
      const milliseconds = Math.round(performance.now() - clock);
      const { method, operation } = { method: "GET", ...call };
      const requestId = currentRequest()?.requestId ?? jobRetryContext()?.requestId ?? null;
      const kind = failure?.kind ?? null;
      notifyListeners({
        provider: this.kind,
        account,
        operation,
        method,
        requestId,
        attempt: number,
        status,
        failure: kind,
        began,
        milliseconds,
      });
    }
  }

  /**
   * Admits a call. During a pause that the provider requested, a job must not call; a request may, because its caller waits.
   * @throws ProviderFailure while the account must not be called
   */
  async #admit(account: string, isJob: boolean): Promise<void> {
    const closed = await closedFor(this.kind, account);
    if (closed?.state === "open")
      throw new ProviderFailure("open", "not called: it failed too often just now", { retryAfter: closed.seconds });
    if (closed && isJob)
      throw new ProviderFailure("limited", `not called: the provider asked for a pause of ${closed.seconds} seconds`, {
        retryAfter: closed.seconds,
      });
    const budget = await this.#limiter.take(`provider:${this.kind}:${account}`);
    if (budget && !budget.allowed)
      throw new ProviderFailure("limited", `not called: ${budget.limit} calls a minute are used up`, {
        retryAfter: secondsLeftInMinute(),
      });
  }

  async #exchange(call: ProviderCall, signal: AbortSignal | undefined): Promise<OutboundAnswer> {
    const { wholeTimeout, mostBytes } = this.#spec;
    const { method = "GET", query, json, idempotencyKey } = call;
    const url = new URL(`${this.#spec.baseUrl()}${call.path}`);
    for (const [name, value] of query instanceof URLSearchParams ? query : Object.entries(query ?? {}))
      url.searchParams.append(name, value);
    const headers: Record<string, string> = { accept: "application/json", ...call.headers, ...traceHeaders() };
    if (json !== undefined) headers["content-type"] = "application/json";
    if (idempotencyKey) headers[idempotencyKey.header] = idempotencyKey.value;
    const body = json === undefined ? call.body : JSON.stringify(json);
    const deadline = AbortSignal.timeout(wholeTimeout);
    const either = signal ? AbortSignal.any([deadline, signal]) : deadline;
    try {
      const reads = effectOf(call) === "read";
      return await exchange(await this.#open(), url, { method, headers, body, signal: either, mostBytes, reads });
    } catch (error) {
      throw failureOf(error, deadline);
    }
  }

  #open(): Promise<Dispatcher> {
    const { connectTimeout, readTimeout, concurrency } = this.#spec;
    const options = { connections: concurrency, headersTimeout: readTimeout, bodyTimeout: readTimeout, pipelining: 1 };
    const opening = (this.#agent ??= guardedAgent("provider", connectTimeout, options).then((agent) => {
      agents.add(agent);
      return agent;
    }));
    return opening.then((agent) => {
      if (agents.has(agent)) return agent;
      this.#agent = null;
      return this.#open();
    });
  }

  /** The failure of a 429 or 5xx response. */
  #failureIn(answer: OutboundAnswer, { secrets }: ProviderCall): ProviderFailure | null {
    const { status, headers, body } = answer;
    if (status !== 429 && status < 500) return null;
    const retryAfter = retryAfterSeconds(headers["retry-after"], Date.now());
    const said = redact(body.subarray(0, 4096).toString(), secrets);
    const text = redact(
      `HTTP ${status}${retryAfter === null ? "" : ` (wait ${retryAfter} s)`}${said === "" ? "" : `: ${said}`}`,
      secrets,
    );
    return new ProviderFailure(status === 429 ? "limited" : "failed", text, { status, retryAfter, answer });
  }

  #named(error: unknown, { secrets }: ProviderCall): ProviderFailure {
    if (error instanceof ProviderFailure) return error;
    const text = redact((error as Error).message, secrets);
    const kind = error instanceof OutboundRefused ? "refused" : error instanceof OutboundFailed ? error.kind : "unreachable";
    return new ProviderFailure(kind, text, { cause: error });
  }

  /** Records an attempt's outcome for the account. An unusable response says nothing about the next one. */
  async #learn(account: string, failure: ProviderFailure | null): Promise<void> {
    if (!failure) return answered(this.kind, account);
    const { kind, status, retryAfter } = failure;
    if (retryAfter !== null && retryAfter > 0) await paused(this.kind, account, retryAfter);
    if (kind === "unreachable" || kind === "timeout" || kind === "failed") await failed(this.kind, account, kind, status);
  }
}

/** Declares a provider and creates its client; one per provider and process. */
export const provider = (spec: ProviderSpec): ProviderClient => new ProviderClient(spec);
