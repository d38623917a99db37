import { type ApiError, refusal } from "../../../core/errors/errors.ts";
import type { ProviderFailure } from "../../../core/outbound/provider/provider.ts";
import { redact } from "../../../core/outbound/redact.ts";
import type { ReportedError } from "./envelope.ts";

/** The provider's codes for a refused token with HTTP 400 (assets §9.2). */
const OF_TOKENS = new Set([1000, 6111, 9103, 9106, 9107, 10000]);
const MALFORMED_TOKEN = 6003;
/** One code for three refusals; only its text distinguishes them. */
const NOT_ALLOWED = 9109;
/** Codes that decide the error alone, in this order; in a chain, the innermost error names the refused value. */
const DECISIVE = new Map([
  [1061, "edge_zone_exists"],
  [1049, "edge_zone_not_found"],
  [81053, "edge_record_exists"],
  [81057, "edge_record_exists"],
  // The newer code for an identical record (cisagov/manage.get.gov#5244).
  [81058, "edge_record_exists"],
]);

interface Parts {
  status: number | null;
  errors?: readonly ReportedError[];
  retryAfter?: number | null;
  rows?: number | null;
  /** False if the provider did not respond at all. */
  wasReached: boolean;
  cause?: unknown;
}

/** Distinguishes the refusals with code 9109 by their text; null without that code. */
function notAllowed(errors: readonly ReportedError[]): "location" | "token" | "scope" | null {
  const said = errors.find(({ code }) => code === NOT_ALLOWED)?.message;
  if (said === undefined) return null;
  if (/from location/i.test(said)) return "location";
  return /invalid.*\btoken|token.*\binvalid/i.test(said) ? "token" : "scope";
}

/** A failed call to the edge provider. The message may be stored: at most 500 characters, redacted. */
export class EdgeFailure extends Error {
  override name = "EdgeFailure";
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** The `errors` of the response, each followed by its `error_chain`. */
  readonly errors: readonly ReportedError[];
  /** Seconds to wait before the next call; null if the provider named none. */
  readonly retryAfter: number | null;
  /** Number of rows of a list that exceeds the bounds; null for every other failure. */
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

  /** A failure of the provider client. */
  static of(failure: ProviderFailure): EdgeFailure {
    const { status, retryAfter, kind } = failure;
    return new EdgeFailure(failure.text, {
      status,
      retryAfter,
      wasReached: failure.wasReached || kind === "limited",
      cause: failure,
    });
  }

  /** An unsuccessful response: `HTTP <status> (code <n>): <text>`, followed by every further error with its code. */
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

  /** Whether the response has one of these codes, at any depth of its chains. */
  has(...codes: readonly number[]): boolean {
    return this.errors.some(({ code }) => code !== null && codes.includes(code));
  }

  /** Whether the provider refused the token itself, not just its permissions (assets §9.2). */
  get isAuthentication(): boolean {
    const { status } = this;
    const denied = notAllowed(this.errors);
    if (denied !== null) return denied === "token";
    return this.has(MALFORMED_TOKEN) || status === 401 || (status === 400 && this.has(...OF_TOKENS));
  }

  /** Whether the account is broken from now on (assets §6, "Account status"). */
  get breaksAccount(): boolean {
    return this.isAuthentication || notAllowed(this.errors) === "location";
  }

  get isMissing(): boolean {
    return this.status === 404;
  }

  /** The code in the error catalogue: by the provider's codes first, then by its status (assets §9.2). */
  get errorCode(): string {
    if (this.isAuthentication) return "edge_token_rejected";
    const denied = notAllowed(this.errors);
    if (denied !== null) return denied === "location" ? "edge_token_ip_blocked" : "edge_scope_missing";
    for (const [code, name] of DECISIVE) if (this.has(code)) return name;
    if (this.status === 403) return "edge_scope_missing";
    return this.wasReached ? "edge_request_failed" : "edge_unreachable";
  }

  /** The failure for a caller; the provider's words are stored only on the account (assets §5.7). */
  refusal(): ApiError {
    const code = this.errorCode;
    const details = {
      ...(this.retryAfter !== null && { retry_after_seconds: this.retryAfter }),
      ...(this.rows !== null && { rows: this.rows }),
    };
    const hasDetails = code === "edge_request_failed" && Object.keys(details).length > 0;
    return Object.assign(refusal(code, undefined, hasDetails ? { details } : {}), { cause: this });
  }
}
