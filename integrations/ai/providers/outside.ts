import { runtime } from "../../../core/config/runtime.ts";
import { guardedFetch } from "../../../core/outbound/guard/guarded-fetch.ts";
import type { AiAccess } from "./provider.ts";

/** Milliseconds to connect (platform §1.2). */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds an answer may take that comes on and on. */
const LONGEST_ANSWER = 600_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Milliseconds an action may take that asks a provider twice, whose answers come in one piece: 190 seconds each. */
export const LONGEST_ACTION = 400_000;

/** What every official client is made with: our guarded connections, none of its own repeats, deadlines or logs. */
export function commonOptions() {
  const readTimeout = runtime().config.aiReadTimeout;
  const bounds = { connectTimeout: CONNECT_TIMEOUT, readTimeout, timeout: LONGEST_ANSWER, mostBytes: MOST_BYTES };
  return { fetch: guardedFetch("ai", bounds), maxRetries: 0, timeout: LONGEST_ANSWER, logLevel: "off" } as const;
}

/** Whether a failure is, or was caused by, an answer that did not come in time. */
export function isLate(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { kind, code, name } = one as { kind?: unknown; code?: unknown; name: string };
    if (/timeout/i.test(`${kind} ${code} ${name}`)) return true;
  }
  return false;
}

/** The address that is called, without a slash at its end. */
export function addressOf({ provider, baseUrl }: Pick<AiAccess, "provider" | "baseUrl">): string {
  const { aiAnthropicApiUrl, aiOpenaiApiUrl } = runtime().config;
  return (baseUrl ?? (provider === "anthropic" ? aiAnthropicApiUrl : aiOpenaiApiUrl)).replace(/\/+$/, "");
}
