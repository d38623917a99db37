import type { ServiceBroker } from "moleculer";
import { type Config, ConfigurationError } from "../../core/config/config.ts";
import { redact } from "../../core/outbound/redact.ts";
import { traceBy } from "../../core/tracing/tracing.ts";
import manifest from "../../package.json" with { type: "json" };

/** Loads OpenTelemetry, which nothing else does. @throws ConfigurationError if its packages are not installed */
async function loadExport(): Promise<typeof import("./export.ts")> {
  try {
    return await import("./export.ts");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new ConfigurationError(
      "OTEL_EXPORTER_OTLP_ENDPOINT needs the optional packages @opentelemetry/*: install without --omit=optional.",
    );
  }
}

/**
 * Records the spans of this node and sends them to the collector; does nothing without `OTEL_EXPORTER_OTLP_ENDPOINT`.
 * @returns sends the last spans and ends it
 * @throws ConfigurationError if the packages of OpenTelemetry are not installed
 */
export async function startTraces({ tracesEndpoint, environment }: Config, broker: ServiceBroker): Promise<() => Promise<void>> {
  if (tracesEndpoint === undefined) return async () => {};
  const { exportSpans } = await loadExport();
  const logger = broker.getLogger("traces");
  const process = { nodeId: broker.nodeID, version: manifest.version, environment };
  const { recorder, end } = exportSpans(tracesEndpoint, process, ({ message }) =>
    logger.warn(
      { event: "traces.export_failed", error: redact(message) },
      "spans do not reach the collector; those that do not fit into the queue are lost",
    ),
  );
  const stop = traceBy(recorder);
  return async () => {
    stop();
    await end();
  };
}
