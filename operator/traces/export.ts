import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { Recorder } from "./recorder.ts";

/** Facts of this process that every span has. */
export interface TracedProcess {
  nodeId: string;
  version: string;
  environment: string;
}

/** How long a node that stops waits for its last spans, in milliseconds. */
const LAST_SPANS = 2_000;

/** Spans of this process on their way to a collector. */
export interface SpanExport {
  recorder: Recorder;
  /** Sends the spans that wait, for two seconds at most, and ends the export. Never throws. */
  end(): Promise<void>;
}

/** An exporter that reports the first failure of an outage, and nothing more until spans arrive again. */
function reporting(exporter: SpanExporter, onFailure: (error: Error) => void): SpanExporter {
  let isDown = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        // The SDK knows one other result than 0, and with it an error.
        const hasFailed = result.code !== 0;
        if (hasFailed && !isDown) onFailure(result.error ?? new Error("the collector refused the spans"));
        isDown = hasFailed;
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/**
 * Exports spans to a collector by OTLP over HTTP. The SDK reads the sampler, the size of its queue, the headers and the service's name from
 * the environment (`OTEL_*`).
 * @param endpoint the collector's base address
 * @param onFailure receives the first failure of an outage
 */
export function exportSpans(endpoint: string, process: TracedProcess, onFailure: (error: Error) => void): SpanExport {
  const own = resourceFromAttributes({
    "service.name": "kantoor",
    "service.version": process.version,
    "service.instance.id": process.nodeId,
    "deployment.environment.name": process.environment,
  });
  const exporter = reporting(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }), onFailure);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  return {
    recorder: new Recorder(provider.getTracer("kantoor", process.version)),
    async end() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LAST_SPANS);
      });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}
