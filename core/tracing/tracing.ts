/** Whose work a span is, as OpenTelemetry names it. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** Attributes of a span. Never a value of a record, a body or a credential; undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span that begins. */
export interface SpanStart {
  /** One of a limited number, such as a route or the name of an action: never an id or a value. */
  name: string;
  /** Default: `internal`. */
  kind?: SpanKind;
  attributes?: SpanAttributes;
  /** The `traceparent` that the span continues (W3C Trace Context). Within a span of the same trace it is a child of that one. */
  parent?: string | null | undefined;
  /** Whether the span begins a trace if there is nothing to continue, such as that of a request. Others need a span around them. */
  isEntry?: boolean;
}

/** A span that runs. */
export interface RunningSpan {
  rename(name: string): void;
  note(attributes: SpanAttributes): void;
  /** Marks the span as failed. @param type a name or code of the failure, never its message */
  fail(type: string): void;
}

/** What records spans. The parts of the platform know only this; OpenTelemetry is behind it (operator/traces). */
export interface Tracing {
  /** Runs work in a span, which fails if the work does. Work of a trace that is not recorded runs as it is. */
  run<T>(start: SpanStart, work: (span: RunningSpan) => Promise<T>): Promise<T>;
  /** Records a moment. @returns the `traceparent` for what follows from it; null outside a trace */
  mark(start: SpanStart): string | null;
  /** The `traceparent` for work that the current span causes elsewhere; null outside a trace. */
  traceparent(): string | null;
  /** Whether the current work is in a span that is recorded. */
  isRecording(): boolean;
}

/** What records the spans of this process; null, the usual state, without traces. */
export let tracing: Tracing | null = null;

/**
 * Records spans from now on; the latest call counts.
 * @returns ends it, so that a stopped node records none
 */
export function traceBy(recorder: Tracing): () => void {
  tracing = recorder;
  return () => {
    if (tracing === recorder) tracing = null;
  };
}

/** The span of work that is not recorded. */
export const UNRECORDED: RunningSpan = { rename: () => {}, note: () => {}, fail: () => {} };

/** Runs work in a span if traces are on, else as it is. For work that waits for another system; hot paths look at `tracing` themselves. */
export const inSpan = <T>(start: SpanStart, work: (span: RunningSpan) => Promise<T>): Promise<T> =>
  tracing ? tracing.run(start, work) : work(UNRECORDED);

/** The header that lets another system continue the current trace; none without one. */
export function traceHeaders(): Record<string, string> {
  const traceparent = tracing?.traceparent() ?? null;
  return traceparent === null ? {} : { traceparent };
}
