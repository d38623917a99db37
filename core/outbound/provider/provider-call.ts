import type { OutboundAnswer } from "../call.ts";
import { redact } from "../redact.ts";
import { ProviderFailure } from "./provider-failure.ts";
import type { Effect } from "./retry.ts";

/** An external provider, as declared by its integration. */
export interface ProviderSpec {
  /** Its name in logs, metrics and `provider_troubles`. */
  kind: string;
  /** Address of its API without a trailing slash; evaluated at each call. */
  baseUrl: () => string;
  /** Milliseconds to resolve and connect. Default 5,000. */
  connectTimeout?: number;
  /** Longest silence before and during the response, in milliseconds. Default 20,000. */
  readTimeout?: number;
  /** Milliseconds for one whole attempt. Default: `connectTimeout` plus `readTimeout`. */
  wholeTimeout?: number;
  /** Concurrent calls on one node. Default 16. By default one account gets at most half of them, but at least one. */
  concurrency?: number;
  share?: number;
  /** Calls per minute and account over all nodes; 0, the default, means no limit of our own. */
  perMinute?: number;
  /** Calls per second over all nodes, by the call's `countedBy`; 0, the default, means no limit of our own. A call waits for its turn. */
  perSecond?: number;
  /** Milliseconds before each retry after a 429 without `Retry-After`, in requests and jobs alike. Default: as after other failures. */
  limitedWaits?: readonly number[];
  /** Maximum bytes of a response. Default 8 MiB. */
  mostBytes?: number;
  /** False: a failed call is never retried. */
  repeats?: boolean;
  /** False: jobs do not wait after a 429 either, because it means an hourly or daily quota. */
  waitsForLimit?: boolean;
}

export interface ProviderCall {
  /** Id of the account of the call; `instance` for the installation's own. */
  account: string;
  /** The provider's key for its limit per second, if not the account: its API key, hashed. */
  countedBy?: string;
  /** Its name in logs, metrics and traces. */
  operation: string;
  method?: string;
  /** Below the base address, with a leading slash. */
  path: string;
  query?: Record<string, string> | URLSearchParams;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Uint8Array;
  /** Default: GET and HEAD are reads, everything else is a create, which is never retried. */
  effect?: Effect;
  /** The header by which the provider recognises a repeated call. */
  idempotencyKey?: { header: string; value: string };
  /** Values to blank in every stored text. */
  secrets?: readonly string[];
  signal?: AbortSignal;
}

/** A provider's response: any status except 429 and 5xx. */
export interface ProviderAnswer extends OutboundAnswer {
  text(): string;
  /** @throws ProviderFailure if the body is not JSON */
  json(): unknown;
}

/** The declared or default effect of a call. */
export const effectOf = ({ effect, method = "GET" }: ProviderCall): Effect =>
  effect ?? (method === "GET" || method === "HEAD" ? "read" : "create");

/** A response with methods to read it. */
export const readable = (answer: OutboundAnswer, { secrets }: ProviderCall): ProviderAnswer => ({
  ...answer,
  text: () => answer.body.toString(),
  json() {
    try {
      return JSON.parse(answer.body.toString());
    } catch (cause) {
      const text = redact(`HTTP ${answer.status}, but no JSON: ${answer.body.subarray(0, 4096).toString()}`, secrets);
      throw new ProviderFailure("garbage", text, { status: answer.status, answer, cause });
    }
  },
});
