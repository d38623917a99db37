import type { Context, Middleware, ServiceBroker } from "moleculer";
import type { Meta } from "../core/declare/principal.ts";
import { type SpanAttributes, traceHeaders, tracing } from "../core/tracing/tracing.ts";

type Called = Context<unknown, Partial<Meta>> & { headers: Record<string, unknown> };
type Handler = (ctx: Called) => Promise<unknown>;

/** Attributes of a call by the conventions of OpenTelemetry for remote procedure calls. */
const attributesOf = (action: string, ctx: Called): SpanAttributes => ({
  "rpc.system.name": "moleculer",
  "rpc.method": action,
  "kantoor.organisation.id": ctx.meta.organisation?.id,
  "kantoor.request.id": ctx.meta.requestId,
});

/**
 * The broker middleware that records calls of actions as spans: one on the node of the actor and, for a call of another node, one on the node
 * of the caller, too. The trace travels in the headers of the call. Only nodes with traces have it.
 */
export function tracingMiddleware(): Middleware {
  let broker: ServiceBroker | undefined;
  return {
    name: "Traces",
    created(made) {
      broker = made;
    },
    localAction(next, { name = "" }) {
      const handler = next as unknown as Handler;
      const traced: Handler = (ctx) => {
        if (!tracing) return handler(ctx);
        const attributes = attributesOf(name, ctx);
        if (ctx.nodeID === broker?.nodeID) return tracing.run({ name, attributes }, () => handler(ctx));
        const { traceparent } = ctx.headers;
        const parent = typeof traceparent === "string" ? traceparent : null;
        return tracing.run({ name, kind: "server", attributes, parent }, () => handler(ctx));
      };
      return traced as never;
    },
    remoteAction(next, { name = "" }) {
      const handler = next as unknown as Handler;
      const traced: Handler = (ctx) => {
        if (!tracing) return handler(ctx);
        return tracing.run({ name, kind: "client", attributes: attributesOf(name, ctx) }, () => {
          ctx.headers = { ...ctx.headers, ...traceHeaders() };
          return handler(ctx);
        });
      };
      return traced as never;
    },
  };
}
