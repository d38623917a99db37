import { type ApiError, refusal } from "../../core/errors/errors.ts";
import type { ProviderFailure } from "../../core/outbound/provider/provider.ts";
import { redact } from "../../core/outbound/redact.ts";
import { shortened } from "../../core/values/stored-text.ts";
import { saidIn } from "../google/failure.ts";
import { type AdsError, failureIn } from "./answers.ts";
import { retryDelayOf } from "./retry.ts";

/** The error codes of a failed Google Ads call (marketing-ads §3.4). */
export type AdsFailureCode =
  | "ads_platform_api_version"
  | "ads_platform_auth"
  | "ads_platform_developer_token"
  | "ads_platform_error"
  | "ads_platform_not_configured"
  | "ads_platform_permission"
  | "ads_platform_query"
  | "ads_platform_quota"
  | "ads_platform_request"
  | "ads_platform_unreachable";

/** Values about the developer token or its project, in any group. */
const DEVELOPER_TOKEN = new Set([
  "CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION",
  "CLOUD_PROJECT_NOT_FOUND",
  "CLOUD_PROJECT_NOT_UNDER_ORGANIZATION",
  "DEVELOPER_TOKEN_INVALID",
  "DEVELOPER_TOKEN_NOT_APPROVED",
  "DEVELOPER_TOKEN_NOT_ON_ALLOWLIST",
  "DEVELOPER_TOKEN_PARAMETER_MISSING",
  "DEVELOPER_TOKEN_PROHIBITED",
  "ORGANIZATION_NOT_APPROVED",
  "ORGANIZATION_NOT_ASSOCIATED_WITH_DEVELOPER_TOKEN",
  "ORGANIZATION_NOT_RECOGNIZED",
]);

const BY_GROUP: Readonly<Record<string, AdsFailureCode>> = {
  authenticationError: "ads_platform_auth",
  authorizationError: "ads_platform_permission",
  headerError: "ads_platform_auth",
  internalError: "ads_platform_unreachable",
  queryError: "ads_platform_query",
  quotaError: "ads_platform_quota",
};

/** For responses without a readable API failure, such as an HTML page. */
const BY_STATUS: Readonly<Record<number, AdsFailureCode>> = {
  401: "ads_platform_auth",
  403: "ads_platform_auth",
  // A retired API version responds with 404 and an HTML page.
  404: "ads_platform_api_version",
  429: "ads_platform_quota",
};

/** The code for an error that the API names. */
const codeOfError = ({ group, value }: Pick<AdsError, "group" | "value">): AdsFailureCode =>
  DEVELOPER_TOKEN.has(value) ? "ads_platform_developer_token" : (BY_GROUP[group] ?? "ads_platform_request");

/** The code for an unsuccessful response (marketing-ads §3.4). @param error the first error that the API names; null without one */
export function codeOf(status: number, error: AdsError | null): AdsFailureCode {
  if (status >= 500) return "ads_platform_unreachable";
  return error ? codeOfError(error) : (BY_STATUS[status] ?? "ads_platform_error");
}

/** Codes of errors that concern the whole request, never a single operation. */
const OF_REQUEST = new Set<AdsFailureCode>([
  "ads_platform_auth",
  "ads_platform_developer_token",
  "ads_platform_permission",
  "ads_platform_quota",
  "ads_platform_unreachable",
]);
export const concernsWholeRequest = (error: AdsError): boolean => OF_REQUEST.has(codeOfError(error));

const CLIENT_ID = /[\w-]+\.apps\.googleusercontent\.com/g;
/** Access tokens, refresh tokens, codes, client secrets and identity tokens, by Google's formats. */
const CREDENTIAL = /\b(ya29\.|1\/\/0|4\/0A|GOCSPX-|eyJ)[\w./-]+/g;

const LONGEST = 500;

/** Milliseconds that a caller waits after a quota for which the provider names no delay. */
const QUOTA_WAIT = 60_000;

/**
 * Text from Google Ads, ready to store: at most 500 characters, without tokens, secrets and OAuth client ids.
 * @param prefix our own words in front, which are never blanked
 */
export function scrubbed(text: string, secrets: readonly string[], prefix = ""): string {
  const kept = `${prefix}${redact(text.replaceAll(CLIENT_ID, "***").replaceAll(CREDENTIAL, "***"), secrets)}`;
  return kept.length > LONGEST ? `${shortened(kept, LONGEST - 1)}…` : kept;
}

/** Failures of our own client before it sends. */
const UNSENT = new Set<ProviderFailure["kind"]>(["open", "busy", "refused"]);
/** The system's error codes if no connection was made. */
const UNCONNECTED = /^(EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|UND_ERR_CONNECT_TIMEOUT)$/;

function isUnsent({ kind, answer, cause }: ProviderFailure): boolean {
  if (UNSENT.has(kind) || (kind === "limited" && answer === null)) return true;
  for (let one = cause; one instanceof Error; one = one.cause)
    if (UNCONNECTED.test((one as { code?: string }).code ?? "")) return true;
  return false;
}

interface Parts {
  status?: number | null;
  error?: AdsError | null;
  requestId?: string | null;
  reason?: string | null;
  retryDelay?: number | null;
  wasSent?: boolean;
  isRepeatable?: boolean;
}

/**
 * A failed Google Ads call. The message can be stored as `last_error`: `HTTP <status> <group.VALUE>: <text>`, at most 500 characters,
 * scrubbed. It contains no token, address, header or body.
 */
export class AdsFailure extends Error {
  override name = "AdsFailure";
  readonly code: AdsFailureCode;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** `group.VALUE` of the first error, such as `quotaError.RESOURCE_EXHAUSTED`; null if the API named none. */
  readonly providerErrorCode: string | null;
  /** The provider's request id; null without one. */
  readonly requestId: string | null;
  /** Google's reason in addition to the API's own errors: `SERVICE_DISABLED`, `ACCESS_TOKEN_SCOPE_INSUFFICIENT` …; null without one. */
  readonly reason: string | null;
  /** Milliseconds until the provider allows a retry; null if it named none. */
  readonly retryDelay: number | null;
  /** Whether a write may have been carried out despite the failure: we sent it, and no response tells its outcome. */
  readonly isOutcomeUnknown: boolean;
  /** Whether the same read can be retried (marketing-ads §3.3). */
  readonly isRepeatable: boolean;

  constructor(code: AdsFailureCode, message: string, parts: Parts = {}) {
    super(message);
    const { status = null, error = null, requestId = null, reason = null, retryDelay = null } = parts;
    this.code = code;
    this.status = status;
    this.providerErrorCode = error && `${error.group}.${error.value}`;
    this.requestId = requestId;
    this.reason = reason;
    this.retryDelay = retryDelay;
    this.isOutcomeUnknown = parts.wasSent ?? false;
    this.isRepeatable = parts.isRepeatable ?? false;
  }

  /** An unsuccessful response. @param secrets values to blank in the message */
  static answered(
    status: number,
    headers: Readonly<Record<string, string>>,
    body: string,
    secrets: readonly string[],
  ): AdsFailure {
    const found = failureIn(body);
    const error = found?.errors[0] ?? null;
    const { reason, message } = saidIn(body);
    const named = error ? ` ${error.group}.${error.value}` : reason === null ? "" : ` (${reason})`;
    const said = error?.message || message;
    const code = codeOf(status, error);
    return new AdsFailure(code, scrubbed(said ?? "", secrets, `HTTP ${status}${named}${said ? ": " : ""}`), {
      status,
      error,
      requestId: found?.requestId ?? headers["request-id"] ?? null,
      reason,
      retryDelay: retryDelayOf(error, headers["retry-after"]),
      wasSent: status >= 500,
      isRepeatable: mayAskAgain(code, error),
    });
  }

  /** An error that the API reports for every operation of a request, with status 200. */
  static forWholeRequest(error: AdsError, requestId: string | null, secrets: readonly string[]): AdsFailure {
    const code = codeOfError(error);
    return new AdsFailure(code, scrubbed(error.message, secrets, `HTTP 200 ${error.group}.${error.value}: `), {
      status: 200,
      error,
      requestId,
      retryDelay: retryDelayOf(error),
      isRepeatable: mayAskAgain(code, error),
    });
  }

  /** A successful response in an unexpected form. */
  static unreadable(status: number, what: string, headers: Readonly<Record<string, string>> = {}): AdsFailure {
    return new AdsFailure("ads_platform_unreachable", `HTTP ${status}: ${what}`, {
      status,
      requestId: headers["request-id"] ?? null,
      wasSent: true,
    });
  }

  /** A failure of our own client: no usable response, a 429 or a 5xx. */
  static of(failure: ProviderFailure, secrets: readonly string[]): AdsFailure {
    const { kind, status, retryAfter, answer, text } = failure;
    if (answer && status !== null && (status === 429 || status >= 500))
      return AdsFailure.answered(status, answer.headers, answer.body.toString(), secrets);
    return new AdsFailure(kind === "limited" ? "ads_platform_quota" : "ads_platform_unreachable", scrubbed(text, secrets), {
      status,
      retryDelay: retryAfter === null ? null : retryAfter * 1000,
      wasSent: !isUnsent(failure),
      isRepeatable: kind === "unreachable" || kind === "timeout",
    });
  }

  /** Details for clients: the provider's own error code and request id. */
  get details(): Record<string, string> {
    return {
      ...(this.providerErrorCode !== null && { provider_error_code: this.providerErrorCode }),
      ...(this.requestId !== null && { provider_request_id: this.requestId }),
    };
  }

  /** The failure as an API error; a quota names when to call again. */
  refusal(): ApiError {
    const { code, details, retryDelay } = this;
    const wait = Math.max(1, Math.ceil((retryDelay ?? QUOTA_WAIT) / 1000));
    const parts = {
      ...(Object.keys(details).length > 0 && { details }),
      ...(code === "ads_platform_quota" && { headers: { "Retry-After": String(wait) } }),
    };
    return Object.assign(refusal(code, undefined, parts), { cause: this });
  }
}

/** A used-up daily quota does not recover within a request. */
function mayAskAgain(code: AdsFailureCode, error: AdsError | null): boolean {
  if (code === "ads_platform_unreachable") return true;
  return code === "ads_platform_quota" && !(error?.group === "quotaError" && error.value === "RESOURCE_EXHAUSTED");
}

/** Rethrows a Google Ads failure as the matching API error. @throws ApiError */
export async function refusing<T>(work: Promise<T> | (() => Promise<T>)): Promise<T> {
  try {
    return await (typeof work === "function" ? work() : work);
  } catch (error) {
    throw error instanceof AdsFailure ? error.refusal() : error;
  }
}
