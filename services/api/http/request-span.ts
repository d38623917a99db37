import type { IncomingMessage, ServerResponse } from "node:http";
import type { Tracing } from "../../../core/tracing/tracing.ts";
import type { Trace } from "../trace.ts";

/**
 * Serves a request in a span, which continues the caller's trace if the caller names one in `traceparent`. Its name is the route: a path has
 * ids, and those of public links open something.
 */
export function inRequestSpan(
  tracing: Tracing,
  { method = "GET", headers }: IncomingMessage,
  response: ServerResponse,
  trace: Trace,
  serve: () => Promise<void>,
): Promise<void> {
  const { traceparent } = headers;
  const parent = typeof traceparent === "string" ? traceparent : null;
  const attributes = { "http.request.method": method, "kantoor.request.id": trace.requestId };
  return tracing.run({ name: method, kind: "server", isEntry: true, parent, attributes }, async (span) => {
    try {
      await serve();
    } finally {
      const { route, action, organisationId } = trace;
      const status = response.headersSent ? response.statusCode : undefined;
      if (route !== undefined) span.rename(`${method} ${route}`);
      span.note({
        "http.route": route,
        "http.response.status_code": status,
        "kantoor.action": action,
        "kantoor.organisation.id": organisationId,
      });
      if (status !== undefined && status >= 500) span.fail(String(status));
    }
  });
}
