import { randomBytes } from "node:crypto";
import type { ReceivedSpan } from "../../simulators/otlp.ts";

/** A caller's `traceparent` of a new trace. */
export function newParent(isSampled = true): { traceId: string; spanId: string; traceparent: string } {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}` };
}

/** The names of the spans above a span, the nearest first; ends with the parent that is not among them, if there is one. */
export function above(spans: readonly ReceivedSpan[], span: ReceivedSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  if (parent) return [parent.name, ...above(spans, parent)];
  return span.parentSpanId === undefined ? [] : [span.parentSpanId];
}

/** Variables of the SDK for a test, which reads them when a service starts. @returns restores those before */
export function withVariables(variables: Record<string, string>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}
