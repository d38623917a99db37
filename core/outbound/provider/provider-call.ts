import type { OutboundAnswer } from "../call.ts";
import { redact } from "../redact.ts";
import { ProviderFailure } from "./provider-failure.ts";
import type { Effect } from "./retry.ts";

/** A provider of the outside world, as its integration describes it. */
export interface ProviderSpec {
  /** Its name in logs, metrics and `provider_troubles`. */
  kind: string;
  /** Address of its API without a trailing slash; asked at each call. */
  baseUrl: () => string;
  /** Milliseconds to resolve and connect. Default 5,000. */
  connectTimeout?: number;
  /** Milliseconds without a byte of the answer. Default 20,000. */
  readTimeout?: number;
  /** Milliseconds of one attempt in all. Default: connecting and reading together. */
  wholeTimeout?: number;
  /** Calls at once on one node. Default 16. One account takes half of them at most, unless there is only one. */
  concurrency?: number;
  share?: number;
  /** Calls a minute per account over all nodes; 0, the default, for no limit of ours. */
  perMinute?: number;
  /** Calls a second over all nodes, by `countedBy` of the call; 0, the default, for no limit of ours. A call waits for its turn. */
  perSecond?: number;
  /** Milliseconds before each further try after a 429 that names no time, in requests and jobs alike. Default: as after other failures. */
  limitedWaits?: readonly number[];
  /** Most bytes of an answer. Default 8 MiB. */
  mostBytes?: number;
  /** False: a failed call is never repeated. */
  repeats?: boolean;
  /** False: an answer 429 is not waited out in jobs either, as it means a quota of the hour or the day. */
  waitsForLimit?: boolean;
}

/** One call. */
export interface ProviderCall {
  /** Id of the account it is made for; `instance` for the installation's own. */
  account: string;
  /** Whom the provider counts its calls a second by, where that is not the account: its key, hashed. */
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
  /** Default: a GET or HEAD reads, everything else creates, and a create is never repeated. */
  effect?: Effect;
  /** The header by which the provider recognises a repeated call. */
  idempotencyKey?: { header: string; value: string };
  /** Values blanked wherever a text is kept. */
  secrets?: readonly string[];
  signal?: AbortSignal;
}

/** An answer of a provider: any status but 429 and 5xx. */
export interface ProviderAnswer extends OutboundAnswer {
  text(): string;
  /** @throws ProviderFailure when it is no JSON */
  json(): unknown;
}

/** What a call does where it does not say so itself. */
export const effectOf = ({ effect, method = "GET" }: ProviderCall): Effect =>
  effect ?? (method === "GET" || method === "HEAD" ? "read" : "create");

/** An answer with ways to read it. */
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
