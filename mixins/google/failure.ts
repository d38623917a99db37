import { JobFailure } from "../../core/errors/job-failure.ts";
import type { ProviderFailure } from "../../core/outbound/provider/provider.ts";
import { redact } from "../../core/outbound/redact.ts";

/** The meaning of a Google error for the caller (workspace §2.7). */
export type GoogleFailureKind =
  | "scope" // the grant lacks the scope: reconnecting with the box ticked helps
  | "api_disabled" // disabled in the OAuth client's project: reconnecting does not help
  | "rate" // 429, or a 403 whose reason is a rate or daily limit
  | "full" // 403: the storage, a shared drive or a folder has no room; waiting does not help, access is not missing
  | "forbidden" // any other 401 or 403
  | "not_found"
  | "gone" // 410: a sync token or a deleted event
  | "conflict" // 409, or 412 if the state differs from `If-Match`
  | "unavailable" // no response, 5xx, and everything else
  | "grant" // no access token available: the connection counts as broken
  | "not_connected" // the connection was removed meanwhile
  | "not_configured"; // the OAuth client was removed

const SCOPE = new Set(["ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions", "insufficientScopes"]);
const DISABLED = new Set(["SERVICE_DISABLED", "accessNotConfigured"]);
/** No room for a file: only deleting files or more storage helps. */
const FULL = new Set([
  "activeItemCreationLimitExceeded",
  "numChildrenInNonRootLimitExceeded",
  "storageQuotaExceeded",
  "teamDriveFileLimitExceeded",
]);
/** Limits that Google reports as 403. A full disk (`storageQuotaExceeded`) is not one. */
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

/** The kind of an unsuccessful response, by its status and reason (workspace §2.7). */
export function kindOf(status: number, reason: string | null): GoogleFailureKind {
  if (status === 401 || status === 403) {
    if (reason !== null && SCOPE.has(reason)) return "scope";
    if (reason !== null && DISABLED.has(reason)) return "api_disabled";
    if (status === 403 && reason !== null && RATE.has(reason)) return "rate";
    if (status === 403 && reason !== null && FULL.has(reason)) return "full";
  }
  return BY_STATUS[status] ?? "unavailable";
}

/** Google's description of an error. */
export interface SaidError {
  /** The first `details[].reason`, otherwise the first `errors[].reason`; null without either. */
  reason: string | null;
  message: string | null;
}

const fields = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const reasonIn = (list: unknown): string | undefined =>
  Array.isArray(list)
    ? list.map((one) => fields(one)["reason"]).find((reason): reason is string => typeof reason === "string")
    : undefined;

/** Reads the error in an API response (workspace §2.7). @param body raw; HTML and the like yield nulls */
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

/** Failures of our own client before it sends: an open circuit, no turn in time, a limit of ours or a pause that Google requested. */
const UNSENT = new Set<ProviderFailure["kind"]>(["open", "busy", "limited"]);

/**
 * A failed call to Google. It contains no token, address, header or body; the library's own error shows the refresh token when printed. The
 * message can be stored as `last_error`: at most 500 characters, redacted.
 */
export class GoogleFailure extends Error {
  override name = "GoogleFailure";
  readonly kind: GoogleFailureKind;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Google's reason, such as `insufficientFilePermissions`; null without one. */
  readonly reason: string | null;
  /** Seconds until the next call; null if Google named none. */
  readonly retryAfter: number | null;
  /** Whether nothing was sent, so that the failure proves nothing about the requested object. */
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

  /** An unsuccessful response. @param secrets values to blank in the message */
  static answered(status: number, body: string, retryAfter: number | null, secrets: readonly string[]): GoogleFailure {
    const { reason, message } = saidIn(body);
    const text = `HTTP ${status}${reason === null ? "" : ` (${reason})`}${message === null ? "" : `: ${message}`}`;
    return new GoogleFailure(kindOf(status, reason), redact(text, secrets), { status, reason, retryAfter });
  }

  /** A failure of our own client: no usable response, a 429 or a 5xx. */
  static of({ kind, status, retryAfter, answer, text }: ProviderFailure, secrets: readonly string[]): GoogleFailure {
    if (answer && status !== null) return GoogleFailure.answered(status, answer.body.toString(), retryAfter, secrets);
    const isUnsent = UNSENT.has(kind);
    return new GoogleFailure(kind === "limited" ? "rate" : "unavailable", text, { status, retryAfter, isUnsent });
  }

  /**
   * The failure of the token endpoint, as that of the call that needs a token: the call was never sent, so the endpoint's status proves
   * nothing about its object.
   */
  ofToken(): GoogleFailure {
    const { kind, message, status, reason, retryAfter } = this;
    return new GoogleFailure(kind === "rate" ? kind : "unavailable", message, { status, reason, retryAfter, isUnsent: true });
  }

  /** The failure as the error of a job's run: the job retries, but not before Google allows it. */
  forJob(): Error {
    return this.retryAfter === null ? this : new JobFailure(this.message, this.retryAfter * 1000, { cause: this });
  }
}
