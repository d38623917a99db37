/** Any failure of a call: refused by the service (`ApiError`), or never answered (`ConnectionError`). */
export class KantoorError extends Error {
  override name = "KantoorError";
}

/** The service could not be reached, or the connection broke, at every attempt. The reason is in `cause`. */
export class ConnectionError extends KantoorError {
  override name = "ConnectionError";
}

/** The service did not answer within the `timeout` of the call. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";
}

/** What an answer of the service says about a refusal. */
export interface Refusal {
  status: number;
  /** The error, for programs: `validation`, `not_found` … */
  code: string;
  /** Translation key of the message. */
  message: string;
  /** Translation key per invalid field; `_` is the body as a whole. */
  fields: Readonly<Record<string, string>>;
  /** Facts about this refusal. */
  details: Readonly<Record<string, string | number | boolean>>;
  /** `X-Request-Id`, by which the operator finds the call in the log. */
  requestId: string | undefined;
  headers: Headers;
}

/** The service refused the call. */
export class ApiError extends KantoorError implements Refusal {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, string | number | boolean>>;
  readonly requestId: string | undefined;
  readonly headers: Headers;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.fields = refusal.fields;
    this.details = refusal.details;
    this.requestId = refusal.requestId;
    this.headers = refusal.headers;
  }
}

/** 401: no credential, or not a valid one. */
export class UnauthorizedError extends ApiError {
  override name = "UnauthorizedError";
}
/** 402: the module is not licensed. */
export class LicenceError extends ApiError {
  override name = "LicenceError";
}
/** 403: the caller lacks the permission. */
export class ForbiddenError extends ApiError {
  override name = "ForbiddenError";
}
/** 404: the row does not exist, or the caller cannot see it. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}
/** 409: the state of the row does not allow the call. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}
/** 410 `sync_too_old`: the copy has to begin again, from an empty one. */
export class SyncTooOldError extends ApiError {
  override name = "SyncTooOldError";
}
/** 412: the row has changed since it was read. */
export class ChangedError extends ApiError {
  override name = "ChangedError";
}
/** 422: `fields` names what is invalid. */
export class ValidationError extends ApiError {
  override name = "ValidationError";
}
/** 429: too many calls, also after the retries. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}
/** 500 and up: the service, or a provider behind it, is away or failed. */
export class ServiceError extends ApiError {
  override name = "ServiceError";
}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  401: UnauthorizedError,
  402: LicenceError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: ChangedError,
  422: ValidationError,
  429: RateLimitError,
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The members of `{"error": {…}}`; a proxy in between answers without them. */
function errorOf(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) && isObject(body["error"]) ? body["error"] : {};
  } catch {
    return {};
  }
}

/** The error of an answer that is not 2xx. Reads the body. */
export async function refusalOf(answer: Response): Promise<ApiError> {
  const { code, message, fields, details } = errorOf(await answer.text().catch(() => ""));
  const refusal: Refusal = {
    status: answer.status,
    code: typeof code === "string" ? code : `http_${answer.status}`,
    message: typeof message === "string" ? message : `The answer was ${answer.status} ${answer.statusText}`.trim(),
    fields: isObject(fields) ? (fields as Record<string, string>) : {},
    details: isObject(details) ? (details as Record<string, string | number | boolean>) : {},
    requestId: answer.headers.get("x-request-id") ?? undefined,
    headers: answer.headers,
  };
  if (refusal.code === "sync_too_old") return new SyncTooOldError(refusal);
  const Kind = BY_STATUS[answer.status] ?? (answer.status >= 500 ? ServiceError : ApiError);
  return new Kind(refusal);
}
