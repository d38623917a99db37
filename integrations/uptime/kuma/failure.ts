import { type ApiError, refusal } from "../../../core/errors/errors.ts";

/** Why a call to an uptime server failed; its message is `errors.uptime_<kind>`. */
export type KumaFailureKind =
  | "unreachable" // no connection, or no answer in time
  | "not_server" // the address does not belong to an Uptime Kuma server
  | "gateway_refused" // a proxy before the server requires more than it was sent
  | "version_unsupported"
  | "rate_limited" // by the server, or by our own login limit
  | "credentials_rejected"
  | "totp_required"
  | "totp_rejected"
  | "reauth_required" // the stored token is no longer accepted
  | "gone" // the monitor no longer exists
  | "failed"; // the server refused

/** A failure in a form that can be sent between nodes. */
export interface PlainFailure {
  kind: KumaFailureKind;
  /** The text for `last_error`: redacted, at most 500 characters. */
  text: string;
  /** Seconds to wait; null if unknown. */
  retryAfter: number | null;
}

/** A failed call to an uptime server. */
export class KumaFailure extends Error {
  override name = "KumaFailure";
  readonly kind: KumaFailureKind;
  readonly retryAfter: number | null;

  constructor(kind: KumaFailureKind, text: string, retryAfter: number | null = null) {
    super(text);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }

  /** The failure as plain data, for another node. */
  get plain(): PlainFailure {
    return { kind: this.kind, text: this.message, retryAfter: this.retryAfter };
  }

  static of({ kind, text, retryAfter }: PlainFailure): KumaFailure {
    return new KumaFailure(kind, text, retryAfter);
  }
}

/** The translation key of a failure; a missing monitor is reported like any other refusal. */
export const failureKey = (kind: KumaFailureKind): string => `errors.uptime_${kind === "gone" ? "failed" : kind}`;

/**
 * The API error for a failure: 502 with its key as `details.reason`, and `Retry-After` if the seconds to wait are known. The server's own
 * message stays in `last_error` (assets §5.7).
 */
export function refusalOf({ kind, retryAfter }: Pick<PlainFailure, "kind" | "retryAfter">): ApiError {
  const reason = failureKey(kind);
  if (retryAfter === null) return refusal("upstream", "errors.uptime_failed", { details: { reason } });
  const details = { reason, retry_after_seconds: retryAfter };
  return refusal("upstream", "errors.uptime_failed", { details, headers: { "Retry-After": String(retryAfter) } });
}
