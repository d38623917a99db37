import { type ApiError, refusal } from "../../../core/declare/errors.ts";
import type { ProviderFailure } from "../../../core/outbound/provider/provider.ts";
import { redact } from "../../../core/outbound/redact.ts";
import type { ReportedError } from "./envelope.ts";

/** Codes by which the provider refuses a token with HTTP 400 (assets §9.2). */
const OF_TOKENS = new Set([1000, 6111, 9103, 9106, 9107, 10000]);
const MALFORMED_TOKEN = 6003;
/** One code for three refusals, which only its text tells apart. */
const NOT_ALLOWED = 9109;
/** What decides on its own, in this order; of a chain it is the innermost that says what was refused. */
const DECISIVE = new Map([
  [1061, "edge_zone_exists"],
  [1049, "edge_zone_not_found"],
  [81053, "edge_record_exists"],
  [81057, "edge_record_exists"],
  // The newer code of an identical record (cisagov/manage.get.gov#5244).
  [81058, "edge_record_exists"],
]);

interface Parts {
  status: number | null;
  errors?: readonly ReportedError[];
  retryAfter?: number | null;
  rows?: number | null;
  /** False where the provider gave no answer at all. */
  wasReached: boolean;
  cause?: unknown;
}

/** The refusals that share code 9109, by its text; null for an answer without that code. */
function notAllowed(errors: readonly ReportedError[]): "location" | "token" | "scope" | null {
  const said = errors.find(({ code }) => code === NOT_ALLOWED)?.message;
  if (said === undefined) return null;
  if (/from location/i.test(said)) return "location";
  return /invalid.*\btoken|token.*\binvalid/i.test(said) ? "token" : "scope";
}

/** A call to the edge provider that did not succeed. The message is what may be kept: at most 500 characters, redacted. */
export class EdgeFailure extends Error {
  override name = "EdgeFailure";
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** The `errors` of the answer, each followed by its `error_chain`. */
  readonly errors: readonly ReportedError[];
  /** Seconds to wait before the next call, null when the provider named none. */
  readonly retryAfter: number | null;
  /** How many rows a list has that is longer than is read; null for every other failure. */
  readonly rows: number | null;
  readonly wasReached: boolean;

  constructor(message: string, { status, errors = [], retryAfter = null, rows = null, wasReached, cause }: Parts) {
    super(message, { cause });
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter;
    this.rows = rows;
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

  /** An answer that is no success: `HTTP <status> (code <n>): <text>`, and every further error with its code behind it. */
  static answered(
    status: number,
    errors: readonly ReportedError[],
    retryAfter: number | null,
    secrets: readonly string[],
  ): EdgeFailure {
    const codeIn = ({ code }: ReportedError) => (code === null ? "" : ` (code ${code})`);
    const [first, ...others] = errors;
    const wait = retryAfter === null ? "" : `, wait ${retryAfter} s`;
    const said = [first?.message ?? "", ...others.map((one) => `${one.message}${codeIn(one)}`)].join("; ");
    const text = `HTTP ${status}${first ? codeIn(first) : ""}${wait}${said === "" ? "" : `: ${said}`}`;
    return new EdgeFailure(redact(text, secrets), { status, errors, retryAfter, wasReached: true });
  }

  /** Whether the answer has one of these codes, at any depth of its chains. */
  has(...codes: readonly number[]): boolean {
    return this.errors.some(({ code }) => code !== null && codes.includes(code));
  }

  /** Whether the provider refused the token itself, and not something it may not do (assets §9.2). */
  get isAuthentication(): boolean {
    const { status } = this;
    const denied = notAllowed(this.errors);
    if (denied !== null) return denied === "token";
    return this.has(MALFORMED_TOKEN) || status === 401 || (status === 400 && this.has(...OF_TOKENS));
  }

  /** Whether the account counts as broken from now on (assets §6, "Account status"). */
  get breaksAccount(): boolean {
    return this.isAuthentication || notAllowed(this.errors) === "location";
  }

  get isMissing(): boolean {
    return this.status === 404;
  }

  /** The code of the error catalogue, by the provider's codes first and its status then (assets §9.2). */
  get errorCode(): string {
    if (this.isAuthentication) return "edge_token_rejected";
    const denied = notAllowed(this.errors);
    if (denied !== null) return denied === "location" ? "edge_token_ip_blocked" : "edge_scope_missing";
    for (const [code, name] of DECISIVE) if (this.has(code)) return name;
    if (this.status === 403) return "edge_scope_missing";
    return this.wasReached ? "edge_request_failed" : "edge_unreachable";
  }

  /** The failure as a caller may know it; the provider's words are kept on the account alone (assets §5.7). */
  refusal(): ApiError {
    const code = this.errorCode;
    const details = {
      ...(this.retryAfter !== null && { retry_after_seconds: this.retryAfter }),
      ...(this.rows !== null && { rows: this.rows }),
    };
    const isTold = code === "edge_request_failed" && Object.keys(details).length > 0;
    return Object.assign(refusal(code, undefined, isTold ? { details } : {}), { cause: this });
  }
}
