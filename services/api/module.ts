import { defineModule } from "../../core/declare/module.ts";

/** The gateway: HTTP in, JSON out, the API reference and the account pages. */
export default defineModule({
  key: "api",
  kind: "core",
  errors: {
    400: ["bad_request"],
    403: ["org_suspended"],
    404: ["not_found errors.unknown_host", "unknown_host"],
    405: ["method_not_allowed errors.server"],
    408: ["request_timeout"],
    415: ["unsupported_media_type errors.content_type"],
    429: ["rate_limited"],
    431: ["request_header_fields_too_large errors.validation"],
    500: ["server_error errors.server"],
  },
  errorTexts: {
    bad_request: [
      "The request is not valid HTTP or its path cannot be decoded.",
      "Correct the address and encoding of the request.",
    ],
    org_suspended: ["The organisation is suspended.", "Ask the operator to reactivate the organisation."],
    unknown_host: [
      "No organisation has the host of the request.",
      "Check the host name, or ask the operator to link it to the organisation.",
    ],
    "not_found errors.unknown_host": [
      "No organisation has the host of the request.",
      "Check the host name, or ask the operator to link it to the organisation.",
    ],
    rate_limited: [
      "The caller made more calls than its limit in the current minute.",
      "Wait for the seconds of `Retry-After`; `RateLimit-Remaining` is the number of calls left.",
    ],
    "server_error errors.server": "The service failed unexpectedly.",
    "unsupported_media_type errors.content_type": [
      "`Content-Type` names a media type that the operation does not read.",
      "Send JSON as `application/json` and files as `multipart/form-data`, as the operation documents.",
    ],
    "method_not_allowed errors.server": "The path exists, but not with this method.",
    request_timeout: [
      "The request did not arrive completely within `SERVICE_REQUEST_TIMEOUT_MS`, by default 30 seconds.",
      "Send it again, over a faster connection or in smaller parts.",
    ],
    "request_header_fields_too_large errors.validation": [
      "The headers of the request exceed 16 KiB.",
      "Send fewer or shorter headers and cookies.",
    ],
  },
  tables: ["declarations"],
});
