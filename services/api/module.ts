import { defineModule } from "../../core/declare/module.ts";

/** The gateway: HTTP in, JSON out, the API reference and the pages of accounts. */
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
  tables: ["declarations"],
});
