import { JobFailure } from "../../core/jobs/jobs.ts";
import type { ProviderFailure } from "../../core/outbound/provider/provider.ts";
import { redact } from "../../core/outbound/redact.ts";

/** What a refusal of Google means to its caller (workspace §2.7). */
export type GoogleFailureKind =
  | "scope" // the grant does not cover this: reconnecting with the box ticked helps
  | "api_disabled" // switched off in the OAuth client's project: reconnecting does not help
  | "rate" // 429, or a 403 whose reason is a rate or daily limit
  | "forbidden" // any other 401 or 403
  | "not_found"
  | "gone" // 410: a sync token or a deleted event
  | "conflict" // 409, or 412 for another state than `If-Match` named
  | "unavailable" // no answer, 5xx, and everything else
  | "grant" // no access token can be had: the connection is, or counts as, broken
  | "not_connected" // the connection has been ended meanwhile
  | "not_configured"; // there is no OAuth client any more

const SCOPE = new Set(["ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions", "insufficientScopes"]);
const DISABLED = new Set(["SERVICE_DISABLED", "accessNotConfigured"]);
/** Limits that Google reports as 403. A full disk (`storageQuotaExceeded`) is none of them. */
const RATE = new Set([
  "RATE_LIMIT_EXCEEDED",
  "dailyLimitExceeded",
  "dailyLimitExceededUnreg",
  "quotaExceeded",
  "rateLimitExceeded",
  "sharingRateLimitExceeded",
  "userRateLimitExceeded",
]);

const BY_STATUS: Readonly<Record<number, GoogleFailureKind>> = {
  401: "forbidden",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  410: "gone",
  412: "conflict",
  429: "rate",
};

/** The kind of an answer that is no success, by its status and reason (workspace §2.7). */
export function kindOf(status: number, reason: string | null): GoogleFailureKind {
  if (status === 401 || status === 403) {
    if (reason !== null && SCOPE.has(reason)) return "scope";
    if (reason !== null && DISABLED.has(reason)) return "api_disabled";
    if (status === 403 && reason !== null && RATE.has(reason)) return "rate";
  }
  return BY_STATUS[status] ?? "unavailable";
}

/** What Google says of an error. */
export interface SaidError {
  /** The first `details[].reason`, else the first `errors[].reason`; null without either. */
  reason: string | null;
  message: string | null;
}

const fields = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const reasonIn = (list: unknown): string | undefined =>
  Array.isArray(list)
    ? list.map((one) => fields(one)["reason"]).find((reason): reason is string => typeof reason === "string")
    : undefined;

/** Reads the error of an API's answer (workspace §2.7). @param body as it came; HTML and the like say nothing */
export function saidIn(body: string): SaidError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { reason: null, message: null };
  }
  const { details, errors, message } = fields(fields(parsed)["error"]);
  return {
    reason: reasonIn(details) ?? reasonIn(errors) ?? null,
    message: typeof message === "string" ? message : null,
  };
}

interface Parts {
  status?: number | null;
  reason?: string | null;
  retryAfter?: number | null;
  isUnsent?: boolean;
}

/** Failures of our own client before it sends: a closed circuit, no place, a limit of ours or a pause that Google asked for. */
const UNSENT = new Set<ProviderFailure["kind"]>(["open", "busy", "limited"]);

/**
 * A call to Google that did not succeed. It holds no token, address, header or body: the library's own error, printed, shows the refresh
 * token. The message is what may be kept as `last_error`: at most 500 characters, redacted.
 */
export class GoogleFailure extends Error {
  override name = "GoogleFailure";
  readonly kind: GoogleFailureKind;
  /** HTTP status; null where there was no answer. */
  readonly status: number | null;
  /** Google's reason, such as `insufficientFilePermissions`; null where it gave none. */
  readonly reason: string | null;
  /** Seconds to wait before the next call; null where Google named none. */
  readonly retryAfter: number | null;
  /** Whether nothing was sent, so that it tells nothing of what was asked for. */
  readonly isUnsent: boolean;

  constructor(
    kind: GoogleFailureKind,
    message: string,
    { status = null, reason = null, retryAfter = null, isUnsent = false }: Parts = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
    this.isUnsent = isUnsent;
  }

  /** An answer that is no success. @param secrets values that are blanked in the message */
  static answered(status: number, body: string, retryAfter: number | null, secrets: readonly string[]): GoogleFailure {
    const { reason, message } = saidIn(body);
    const text = `HTTP ${status}${reason === null ? "" : ` (${reason})`}${message === null ? "" : `: ${message}`}`;
    return new GoogleFailure(kindOf(status, reason), redact(text, secrets), { status, reason, retryAfter });
  }

  /** The failure of our own client: no usable answer, a 429 or a 5xx. */
  static of({ kind, status, retryAfter, answer, text }: ProviderFailure, secrets: readonly string[]): GoogleFailure {
    if (answer && status !== null) return GoogleFailure.answered(status, answer.body.toString(), retryAfter, secrets);
    const isUnsent = UNSENT.has(kind);
    return new GoogleFailure(kind === "limited" ? "rate" : "unavailable", text, { status, retryAfter, isUnsent });
  }

  /** The failure as the end of a job's run: tried again, but not before Google wants to be asked. */
  forJob(): Error {
    return this.retryAfter === null ? this : new JobFailure(this.message, this.retryAfter * 1000, { cause: this });
  }
}
