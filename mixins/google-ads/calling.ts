import { setTimeout as sleep } from "node:timers/promises";
import { runtime } from "../../core/config/runtime.ts";
import { type ProviderAnswer, ProviderFailure, provider } from "../../core/outbound/provider/provider.ts";
import { jobRetryContext } from "../../core/outbound/provider/retry-context.ts";
import type { GoogleAccess } from "../google/client.ts";
import { GoogleFailure } from "../google/failure.ts";
import { accessToken, forgetToken, type HeldToken, isFresh } from "../google/tokens.ts";
import { objectIn } from "./answers.ts";
import { AdsFailure } from "./failure.ts";
import { waitBefore } from "./retry.ts";

/** Timeouts for connecting, reading and writing (marketing-ads §3.3). */
const [CONNECT, READ, WRITE] = [5000, 30_000, 20_000];

/** A page has up to 10,000 rows. This module makes all retries; the provider client makes none. */
const ads = provider({
  kind: "google_ads",
  baseUrl: () => `${runtime().config.adsApiUrl}/${runtime().config.adsApiVersion}`,
  connectTimeout: CONNECT,
  readTimeout: READ,
  wholeTimeout: CONNECT + READ + WRITE,
  mostBytes: 32 << 20,
  repeats: false,
});

/** One Google Ads account, for the calls of one request or one job run. Create it with `adsAccess`. */
export interface AdsAccess {
  /** The key for shared limits and failures: one of our accounts, or a connection. */
  readonly countedAs: string;
  /** Digits; empty for calls without an account, such as the list of accessible ones. */
  readonly customerId: string;
  /** The manager account that the calls go through, in digits; null without one. */
  readonly loginCustomerId: string | null;
  readonly developerToken: string;
  /** The person's Google grant. */
  readonly google: GoogleAccess;
}

export interface AdsCall {
  method: "GET" | "POST";
  /** Below the version, with a leading slash. */
  path: string;
  json?: unknown;
  /** Its name in logs, metrics and traces, such as `campaigns.list`. */
  operation: string;
  signal?: AbortSignal;
}

/** The response, parsed as JSON. */
export interface AdsAnswer {
  body: Record<string, unknown>;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Values to blank in texts of the response. */
  secrets: readonly string[];
}

/** The current access token, or a new one if it is about to expire. @throws AdsFailure */
async function tokenOf({ google }: AdsAccess, signal: AbortSignal | undefined): Promise<HeldToken> {
  try {
    if (!google.held || !isFresh(google.held)) google.held = await accessToken(google.transactions, google.connectionId, signal);
    return google.held;
  } catch (error) {
    if (!(error instanceof GoogleFailure)) throw error;
    const isBroken = ["grant", "not_configured", "not_connected"].includes(error.kind);
    const code = isBroken ? "ads_platform_not_configured" : "ads_platform_unreachable";
    throw Object.assign(new AdsFailure(code, error.message, { status: error.status }), { cause: error });
  }
}

const headersOf = ({ developerToken, loginCustomerId }: AdsAccess, token: string) => ({
  authorization: `Bearer ${token}`,
  "developer-token": developerToken,
  ...(loginCustomerId !== null && { "login-customer-id": loginCustomerId }),
});

/** The parsed body, which must be an object. @throws AdsFailure */
function bodyOf(answer: ProviderAnswer): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(answer.text());
  } catch {
    throw AdsFailure.unreadable(answer.status, "the answer is not JSON", answer.headers);
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw AdsFailure.unreadable(answer.status, "the answer is not an object", answer.headers);
  return objectIn(body);
}

/** Sends a call once; on 401 it also drops the access token. @throws AdsFailure */
async function send(access: AdsAccess, call: AdsCall, effect: "read" | "create"): Promise<AdsAnswer> {
  const { signal, ...rest } = call;
  const held = await tokenOf(access, signal);
  const secrets = [held.token, access.developerToken];
  const answer = await ads
    .call({
      ...rest,
      account: access.countedAs,
      effect,
      headers: headersOf(access, held.token),
      secrets,
      ...(signal && { signal }),
    })
    .catch((error: unknown) => {
      throw error instanceof ProviderFailure ? AdsFailure.of(error, secrets) : error;
    });
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { body: bodyOf(answer), status, headers, secrets };
  if (status === 401) {
    access.google.held = null;
    await forgetToken(access.google.transactions, access.google.connectionId, held);
  }
  throw AdsFailure.answered(status, headers, answer.text(), secrets);
}

/**
 * Sends a call that changes nothing at the provider: up to three attempts, and one more with a new access token after a 401. No transaction
 * may be open.
 * @param read converts the response; an AdsFailure it throws counts as a failed attempt
 * @throws AdsFailure
 */
export async function sendRead<T>(access: AdsAccess, call: AdsCall, read: (answer: AdsAnswer) => T): Promise<T> {
  const signal = call.signal ?? jobRetryContext()?.signal;
  let hasOtherToken = false;
  for (let number = 1; ; number++) {
    try {
      return read(await send(access, call, "read"));
    } catch (error) {
      if (!(error instanceof AdsFailure) || signal?.aborted) throw error;
      if (error.status === 401 && !hasOtherToken) {
        hasOtherToken = true;
        number--;
        continue;
      }
      const wait = waitBefore(error, number, Math.random());
      if (wait === null) throw error;
      await sleep(wait, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}

/**
 * Sends a write exactly once: no layer retries it, not even on 401. Call it in the `prepare` of an action with `acts: "outside"`, or in a
 * job.
 * @throws AdsFailure
 */
export const sendWrite = (access: AdsAccess, call: AdsCall): Promise<AdsAnswer> => send(access, call, "create");
