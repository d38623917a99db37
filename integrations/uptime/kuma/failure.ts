import { type ApiError, refusal } from "../../../core/declare/errors.ts";

/** How a call to an uptime server ended without success; `errors.uptime_<kind>` is its text. */
export type KumaFailureKind =
  | "unreachable" // no connection, or no answer in time
  | "not_server" // something answers there that is no Uptime Kuma
  | "gateway_refused" // a proxy before the server wants more than it was sent
  | "version_unsupported"
  | "rate_limited" // by the server, or by our own limit of logins
  | "credentials_rejected"
  | "totp_required"
  | "totp_rejected"
  | "reauth_required" // the stored token is no longer accepted
  | "gone" // the monitor is no longer there
  | "failed"; // the server refused

/** A failure as it travels between nodes. */
export interface PlainFailure {
  kind: KumaFailureKind;
  /** What may be stored as `last_error`: redacted, at most 500 characters. */
  text: string;
  /** Seconds to wait, null where that is not known. */
  retryAfter: number | null;
}

/** An uptime server that gave no usable answer. */
export class KumaFailure extends Error {
  override name = "KumaFailure";
  readonly kind: KumaFailureKind;
  readonly retryAfter: number | null;

  constructor(kind: KumaFailureKind, text: string, retryAfter: number | null = null) {
    super(text);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }

  /** The failure as data, for another node. */
  get plain(): PlainFailure {
    return { kind: this.kind, text: this.message, retryAfter: this.retryAfter };
  }

  static of({ kind, text, retryAfter }: PlainFailure): KumaFailure {
    return new KumaFailure(kind, text, retryAfter);
  }
}

/** The translation key of a failure; a monitor that is gone is a refusal like any other. */
export const failureKey = (kind: KumaFailureKind): string => `errors.uptime_${kind === "gone" ? "failed" : kind}`;

/** The failure as a caller may know it: 502 with its key as `details.reason`; the server's own words stay in `last_error` (assets §5.7). */
export function refusalOf({ kind, retryAfter }: Pick<PlainFailure, "kind" | "retryAfter">): ApiError {
  const details = { reason: failureKey(kind), ...(retryAfter !== null && { retry_after_seconds: retryAfter }) };
  return refusal("upstream", "errors.uptime_failed", { details });
}
