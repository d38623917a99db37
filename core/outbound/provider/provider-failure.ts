import { type ApiError, refusal } from "../../errors/errors.ts";
import { JobFailure } from "../../errors/job-failure.ts";
import type { OutboundAnswer } from "../call.ts";

/** The outcome of a provider call without a usable response. */
export type ProviderFailureKind =
  | "unreachable" // no connection, or it broke
  | "timeout"
  | "limited" // 429, or our own limit for the account
  | "failed" // 5xx
  | "too_large"
  | "garbage" // a response that makes no sense
  | "open" // not called: too many recent failures
  | "busy" // not called: all slots are taken
  | "refused"; // the configured address is not allowed

interface Parts {
  status?: number | null;
  retryAfter?: number | null;
  answer?: OutboundAnswer | null;
  cause?: unknown;
}

/** A provider call without a usable response. The message can be stored as `last_error`: at most 500 characters, redacted. */
export class ProviderFailure extends Error {
  override name = "ProviderFailure";
  readonly kind: ProviderFailureKind;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Seconds until the next call; null if the provider named none. */
  readonly retryAfter: number | null;
  /** The response behind `limited` and `failed`, for the provider's own message. */
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

  /** The text to store and show as `last_error`. */
  get text(): string {
    return this.message;
  }

  /** Whether the provider responded at all. */
  get wasReached(): boolean {
    return this.status !== null;
  }

  /**
   * The failure as an API error, with a code of the calling module and the seconds to wait, if any (assets §5.5).
   * @param codes of the error catalogue: without and with a response of the provider
   */
  refusal({ unreachable, failed }: { unreachable: string; failed: string }): ApiError {
    const parts = this.retryAfter === null ? {} : { details: { retry_after_seconds: this.retryAfter } };
    const known = this.wasReached || this.kind === "limited" ? failed : unreachable;
    return Object.assign(refusal(known, undefined, parts), { cause: this });
  }

  /** The failure as the error of a job's run: the job retries, but not before the provider allows it. */
  forJob(): Error {
    return this.retryAfter === null ? this : new JobFailure(this.message, this.retryAfter * 1000, { cause: this });
  }
}
