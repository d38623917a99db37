import { runtime } from "../../../core/config/runtime.ts";
import { guardedFetch } from "../../../core/outbound/guard/guarded-fetch.ts";
import { type AiAccess, AiFailure } from "./provider.ts";

/** Connect timeout in milliseconds (platform §1.2). */
const CONNECT_TIMEOUT = 10_000;
/** Timeout of a streamed answer in milliseconds. */
const LONGEST_ANSWER = 600_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Timeout of an action with two unstreamed provider calls of up to 190 seconds each, in milliseconds. */
export const LONGEST_ACTION = 400_000;

/** Options of every official client: guarded connections, and none of its own retries, timeouts or logs. */
export function commonOptions() {
  const readTimeout = runtime().config.aiReadTimeout;
  const bounds = { connectTimeout: CONNECT_TIMEOUT, readTimeout, timeout: LONGEST_ANSWER, mostBytes: MOST_BYTES };
  return { fetch: guardedFetch("ai", bounds), maxRetries: 0, timeout: LONGEST_ANSWER, logLevel: "off" } as const;
}

/**
 * Loads the package of an official client. Such packages are optional, so an installation can leave them out.
 * @throws AiFailure that names a missing package
 */
export async function loaded<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new AiFailure(`the package ${name} is not installed here; npm ci without --omit=optional installs it`, undefined, {
      cause: error,
    });
  }
}

/** Whether a timeout is or caused this failure. */
export function isLate(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { kind, code, name } = one as { kind?: unknown; code?: unknown; name: string };
    if (/timeout/i.test(`${kind} ${code} ${name}`)) return true;
  }
  return false;
}

/** The provider's base address, without a trailing slash. */
export function addressOf({ provider, baseUrl }: Pick<AiAccess, "provider" | "baseUrl">): string {
  const { aiAnthropicApiUrl, aiOpenaiApiUrl } = runtime().config;
  return (baseUrl ?? (provider === "anthropic" ? aiAnthropicApiUrl : aiOpenaiApiUrl)).replace(/\/+$/, "");
}
