import { type ApiError, refusal } from "../../declare/errors.ts";
import { JobFailure } from "../../jobs/jobs.ts";
import type { OutboundAnswer } from "../call.ts";

/** How a call to a provider ended without a usable answer. */
export type ProviderFailureKind =
  | "unreachable" // no connection, or it broke
  | "timeout"
  | "limited" // 429, or our own limit for the account
  | "failed" // 5xx
  | "too_large"
  | "garbage" // an answer that makes no sense
  | "open" // not called: it failed too often just now
  | "busy" // not called: every place is taken
  | "refused"; // the configured address may not be called

interface Parts {
  status?: number | null;
  retryAfter?: number | null;
  answer?: OutboundAnswer | null;
  cause?: unknown;
}

/** A provider that gave no usable answer. The message is what may be kept as `last_error`: at most 500 characters, redacted. */
export class ProviderFailure extends Error {
  override name = "ProviderFailure";
  readonly kind: ProviderFailureKind;
  /** HTTP status, null when there was no answer. */
  readonly status: number | null;
  /** Seconds to wait before the next call, null when the provider named none. */
  readonly retryAfter: number | null;
  /** The answer behind `limited` and `failed`, for what the provider says in it. */
  readonly answer: OutboundAnswer | null;

  constructor(
    kind: ProviderFailureKind,
    message: string,
    { status = null, retryAfter = null, answer = null, cause }: Parts = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
    this.answer = answer;
  }

  /** What may be kept and shown as `last_error`. */
  get text(): string {
    return this.message;
  }

  /** Whether the provider answered at all. */
  get wasReached(): boolean {
    return this.status !== null;
  }

  /**
   * The failure as its caller may know it: a code of the module's own, with the seconds to wait when there are any (assets §5.5).
   * @param codes of the error catalogue: without and with an answer of the provider
   */
  refusal({ unreachable, failed }: { unreachable: string; failed: string }): ApiError {
    const parts = this.retryAfter === null ? {} : { details: { retry_after_seconds: this.retryAfter } };
    const known = this.wasReached || this.kind === "limited" ? failed : unreachable;
    return Object.assign(refusal(known, undefined, parts), { cause: this });
  }

  /** The failure as the end of a job's run: tried again, but not before the provider wants to be asked. */
  forJob(): Error {
    return this.retryAfter === null ? this : new JobFailure(this.message, this.retryAfter * 1000, { cause: this });
  }
}
