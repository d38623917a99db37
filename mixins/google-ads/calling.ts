import { setTimeout as sleep } from "node:timers/promises";
import { runtime } from "../../core/config/runtime.ts";
import { type ProviderAnswer, ProviderFailure, provider } from "../../core/outbound/provider/provider.ts";
import { jobRetryContext } from "../../core/outbound/provider/retry-context.ts";
import type { GoogleAccess } from "../google/client.ts";
import { GoogleFailure } from "../google/failure.ts";
import { accessToken, forgetToken, type HeldToken, isFresh } from "../google/tokens.ts";
import { fieldsOf } from "./answers.ts";
import { AdsFailure } from "./failure.ts";
import { waitBefore } from "./retry.ts";

/** Connecting, reading and writing (marketing-ads §3.3). */
const [CONNECT, READ, WRITE] = [5000, 30_000, 20_000];

/** A page has up to 10,000 rows. Attempts are repeated here, or not at all. */
const ads = provider({
  kind: "google_ads",
  baseUrl: () => `${runtime().config.adsApiUrl}/${runtime().config.adsApiVersion}`,
  connectTimeout: CONNECT,
  readTimeout: READ,
  wholeTimeout: CONNECT + READ + WRITE,
  mostBytes: 32 << 20,
  repeats: false,
});

/** One account at Google Ads, for the calls of one request or one run of a job. `adsAccess` makes it. */
export interface AdsAccess {
  /** Whose limits and failures count together: an account of ours, else a connection. */
  readonly countedAs: string;
  /** Digits; empty where no account is asked, as for the list of accessible ones. */
  readonly customerId: string;
  /** The manager through which it is reached, digits; null without one. */
  readonly loginCustomerId: string | null;
  readonly developerToken: string;
  /** The person's grant. */
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

/** What came back, read as JSON. */
export interface AdsAnswer {
  body: Record<string, unknown>;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Values that are blanked in what the answer says. */
  secrets: readonly string[];
}

/** The access token in use, or another one where that expires. @throws AdsFailure */
async function tokenOf({ google }: AdsAccess, signal: AbortSignal | undefined): Promise<HeldToken> {
  try {
    if (!google.held || !isFresh(google.held)) google.held = await accessToken(google.transactions, google.connectionId, signal);
    return google.held;
  } catch (error) {
    if (!(error instanceof GoogleFailure)) throw error;
    const isBroken = ["grant", "not_configured", "not_connected"].includes(error.kind);
    throw new AdsFailure(isBroken ? "ads_platform_not_configured" : "ads_platform_unreachable", error.message, {
      status: error.status,
    });
  }
}

const headersOf = ({ developerToken, loginCustomerId }: AdsAccess, token: string) => ({
  authorization: `Bearer ${token}`,
  "developer-token": developerToken,
  ...(loginCustomerId !== null && { "login-customer-id": loginCustomerId }),
});

/** The body, which must be an object. @throws AdsFailure */
function bodyOf(answer: ProviderAnswer): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(answer.text());
  } catch {
    throw AdsFailure.unreadable(answer.status, "the answer is no JSON", answer.headers);
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw AdsFailure.unreadable(answer.status, "the answer is no object", answer.headers);
  return fieldsOf(body);
}

/** Sends a call once, and forgets a token that Google no longer knows. @throws AdsFailure */
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
 * Sends what changes nothing at the provider: up to three attempts, and one more with another access token where Google no longer knows the
 * one in use. No transaction may be open.
 * @param read makes something of an answer; what it throws counts as a failure of the attempt
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
 * Sends a write exactly once, whatever becomes of it: no layer repeats it, not on 401 either. In the `prepare` of an action with
 * `acts: "outside"`, or in a job.
 * @throws AdsFailure
 */
export const sendWrite = (access: AdsAccess, call: AdsCall): Promise<AdsAnswer> => send(access, call, "create");
