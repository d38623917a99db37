import { type ApiError, refusal } from "../../../core/declare/errors.ts";
import type { ProviderFailure } from "../../../core/outbound/provider/provider.ts";
import { redact } from "../../../core/outbound/redact.ts";

/** Codes by which the provider refuses a token with HTTP 400 (assets §9.2). */
const OF_TOKENS = new Set([1000, 6111, 9103, 9106, 9107, 10000]);
const MALFORMED_TOKEN = 6003;
const IP_BLOCKED = 9109;

interface Parts {
  status: number | null;
  code?: number | null;
  retryAfter?: number | null;
  /** False where the provider gave no answer at all. */
  wasReached: boolean;
  cause?: unknown;
}

/** A call to the edge provider that did not succeed. The message is what may be kept: at most 500 characters, redacted. */
export class EdgeFailure extends Error {
  override name = "EdgeFailure";
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** The first code of the answer's `errors`. */
  readonly code: number | null;
  /** Seconds to wait before the next call, null when the provider named none. */
  readonly retryAfter: number | null;
  readonly wasReached: boolean;

  constructor(message: string, { status, code = null, retryAfter = null, wasReached, cause }: Parts) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
    this.wasReached = wasReached;
  }

  /** The failure of our own client. */
  static of(failure: ProviderFailure): EdgeFailure {
    const { status, retryAfter, kind } = failure;
    return new EdgeFailure(failure.text, {
      status,
      retryAfter,
      wasReached: failure.wasReached || kind === "limited",
      cause: failure,
    });
  }

  /** An answer that is no success: `HTTP <status> (code <n>): <text>`. */
  static answered(
    status: number,
    errors: readonly { code: number | null; message: string }[],
    retryAfter: number | null,
    secrets: readonly string[],
  ): EdgeFailure {
    const [first] = errors;
    const code = first?.code ?? null;
    const wait = retryAfter === null ? "" : `, wait ${retryAfter} s`;
    const said = errors.map(({ message }) => message).join("; ");
    const text = `HTTP ${status}${code === null ? "" : ` (code ${code})`}${wait}${said === "" ? "" : `: ${said}`}`;
    return new EdgeFailure(redact(text, secrets), { status, code, retryAfter, wasReached: true });
  }

  /** Whether the provider refused the token itself, and not something it may not do (assets §9.2). */
  get isAuthentication(): boolean {
    const { status, code } = this;
    if (code === IP_BLOCKED) return false;
    return code === MALFORMED_TOKEN || status === 401 || (status === 400 && code !== null && OF_TOKENS.has(code));
  }

  /** Whether the account counts as broken from now on (assets §6, "Account status"). */
  get breaksAccount(): boolean {
    return this.isAuthentication || this.code === IP_BLOCKED;
  }

  get isMissing(): boolean {
    return this.status === 404;
  }

  /** The code of the error catalogue, by the provider's code first and its status then (assets §9.2). */
  get errorCode(): string {
    const { status, code } = this;
    if (this.isAuthentication) return "edge_token_rejected";
    if (code === IP_BLOCKED) return "edge_token_ip_blocked";
    if (code === 1061) return "edge_zone_exists";
    if (code === 1049) return "edge_zone_not_found";
    if (code === 81053 || code === 81057) return "edge_record_exists";
    if (status === 403) return "edge_scope_missing";
    return this.wasReached ? "edge_request_failed" : "edge_unreachable";
  }

  /** The failure as a caller may know it; the provider's words are kept on the account alone (assets §5.7). */
  refusal(): ApiError {
    const code = this.errorCode;
    const isTold = code === "edge_request_failed" && this.retryAfter !== null;
    const parts = isTold ? { details: { retry_after_seconds: this.retryAfter as number } } : {};
    return Object.assign(refusal(code, undefined, parts), { cause: this });
  }
}
