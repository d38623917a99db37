import type { Reply } from "../simulator.ts";

/** Google's name for each status. */
const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  410: "GONE",
  412: "FAILED_PRECONDITION",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

interface Parts {
  message?: string;
  /** A reason in `details`, as newer APIs return in addition to `errors`. */
  detail?: string;
  headers?: Record<string, string>;
}

/** An error of an API in Google's envelope (workspace §2.7). @param reason of `errors`, such as `insufficientPermissions` */
export function apiError(status: number, reason: string, { message = reason, detail, headers }: Parts = {}): Reply {
  const error = {
    code: status,
    message,
    status: STATUS[status],
    errors: [{ reason, domain: "global", message }],
    ...(detail && {
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: detail, domain: "googleapis.com" }],
    }),
  };
  return { status, ...(headers && { headers }), body: { error } };
}

/** A refusal of the token endpoint (RFC 6749 §5.2). */
export const oauthError = (status: number, error: string, description = "Bad Request"): Reply => ({
  status,
  body: { error, error_description: description },
});
