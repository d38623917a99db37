import { AsyncLocalStorage } from "node:async_hooks";
import * as api from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import { type RunningSpan, type SpanKind, type SpanStart, type Tracing, UNRECORDED } from "../../core/tracing/tracing.ts";

const KINDS: Record<SpanKind, api.SpanKind> = {
  internal: api.SpanKind.INTERNAL,
  server: api.SpanKind.SERVER,
  client: api.SpanKind.CLIENT,
  producer: api.SpanKind.PRODUCER,
  consumer: api.SpanKind.CONSUMER,
};

/** The failure of a span: a declared type of error, a code such as an SQLSTATE, or a class. Messages can contain values. */
function failureType(error: unknown): string {
  const { type, code, name } = (error ?? {}) as { type?: unknown; code?: unknown; name?: unknown };
  for (const known of [type, code, name]) if (typeof known === "string" && known !== "") return known;
  return "Error";
}

/** Whether an error is a refusal that its caller has to mend (4xx): no failure of the work (conventions §8). */
const isRefusal = (error: unknown): boolean => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "number" && code >= 400 && code < 500;
};

/** A span of the SDK as the platform sees it. */
class RecordedSpan implements RunningSpan {
  readonly #span: api.Span;
  #hasFailed = false;

  constructor(span: api.Span) {
    this.#span = span;
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  note(attributes: NonNullable<SpanStart["attributes"]>): void {
    this.#span.setAttributes(attributes as api.Attributes);
  }

  fail(type: string): void {
    this.#hasFailed = true;
    this.#span.setAttribute("error.type", type);
    this.#span.setStatus({ code: api.SpanStatusCode.ERROR });
  }

  /** Notes why the work ended, unless the work itself has. */
  failWith(error: unknown): void {
    if (this.#hasFailed) return;
    if (isRefusal(error)) this.#span.setAttribute("error.type", failureType(error));
    else this.fail(failureType(error));
  }
}

const formatted = ({ traceId, spanId, traceFlags }: api.SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & api.TraceFlags.SAMPLED) === 0 ? "00" : "01"}`;

/** The span that a `traceparent` names; undefined for none and for an invalid one, which begins a trace of its own (W3C §3.2). */
function remoteSpan(traceparent: string | null | undefined): api.Span | undefined {
  const parsed = traceparent ? parseTraceParent(traceparent) : null;
  return parsed && api.isSpanContextValid(parsed) ? api.trace.wrapSpanContext({ ...parsed, isRemote: true }) : undefined;
}

/** Records spans with a tracer of OpenTelemetry. The current span is kept here, so that nothing global is set. */
export class Recorder implements Tracing {
  readonly #tracer: api.Tracer;
  readonly #current = new AsyncLocalStorage<api.Span>();

  constructor(tracer: api.Tracer) {
    this.#tracer = tracer;
  }

  run<T>(start: SpanStart, work: (span: RunningSpan) => Promise<T>): Promise<T> {
    const span = this.#begin(start);
    if (!span) return work(UNRECORDED);
    if (!span.isRecording()) return this.#current.run(span, () => work(UNRECORDED));
    return this.#current.run(span, () => this.#recorded(span, work));
  }

  async #recorded<T>(span: api.Span, work: (span: RunningSpan) => Promise<T>): Promise<T> {
    const running = new RecordedSpan(span);
    try {
      return await work(running);
    } catch (error) {
      running.failWith(error);
      throw error;
    } finally {
      span.end();
    }
  }

  /** Begins a span; undefined if it belongs to no trace, or to one that is not recorded, whose current span stays. */
  #begin({ name, kind = "internal", attributes, parent, isEntry = false }: SpanStart): api.Span | undefined {
    const around = this.#current.getStore();
    const named = remoteSpan(parent);
    const isOfTrace = named !== undefined && named.spanContext().traceId === around?.spanContext().traceId;
    const above = named && !isOfTrace ? named : isEntry && !isOfTrace ? undefined : around;
    if (!above && !isEntry) return undefined;
    if (above && above === around && !above.isRecording()) return undefined;
    const links = around?.isRecording() && above !== around ? [{ context: around.spanContext() }] : [];
    const options = { kind: KINDS[kind], links, ...(attributes && { attributes: attributes as api.Attributes }) };
    return this.#tracer.startSpan(name, options, above ? api.trace.setSpan(api.ROOT_CONTEXT, above) : api.ROOT_CONTEXT);
  }

  mark(start: SpanStart): string | null {
    const span = this.#begin(start);
    span?.end();
    return span ? formatted(span.spanContext()) : this.traceparent();
  }

  traceparent(): string | null {
    const span = this.#current.getStore();
    return span ? formatted(span.spanContext()) : null;
  }

  isRecording(): boolean {
    return this.#current.getStore()?.isRecording() ?? false;
  }
}
