import { accessSettings } from "./access-settings.ts";
import { installationSettings } from "./installation-settings.ts";
import { operationSettings } from "./operation-settings.ts";
import { outboundSettings } from "./outbound-settings.ts";
import { providerSettings } from "./provider-settings.ts";
import { retentionSettings } from "./retention-settings.ts";
import { type Setting, secretSetting, setting } from "./setting.ts";
import { transportSettings } from "./transport-settings.ts";
import { exporters, jobStore, listening, service, text, whole } from "./values.ts";

/** Every setting of the service. Without a fallback a setting is unset, unless the start derives a value (see `readConfig`). */
export const settings = {
  ...installationSettings,
  ...accessSettings,
  ...operationSettings,
  ...outboundSettings,
  ...retentionSettings,
  jobsUrl: secretSetting("SERVICE_JOBS_URL", jobStore, "MongoDB that stores the jobs, `mongodb://…`; unset: PostgreSQL"),
  jobsPoll: setting(
    "SERVICE_JOBS_POLL_MS",
    "10000",
    whole(100, 60000),
    "How often a node looks for work without a notification, such as that of a dead node",
  ),
  metricsPort: setting(
    "SERVICE_METRICS_PORT",
    undefined,
    whole(1, 65535),
    "Port of Prometheus metrics at `/metrics`; unset: none",
  ),
  metricsAddress: setting(
    "SERVICE_METRICS_ADDRESS",
    "127.0.0.1",
    listening,
    "Address of that port; 0.0.0.0 where Prometheus runs elsewhere and the network protects the port",
  ),
  tracesEndpoint: setting(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    undefined,
    service,
    "Collector of OpenTelemetry that takes traces by OTLP over HTTP, such as `http://127.0.0.1:4318`; unset: no traces, and nothing of OpenTelemetry is loaded",
  ),
  moleculerTracing: secretSetting(
    "SERVICE_MOLECULER_TRACING",
    exporters("Console", "Datadog", "Event", "Jaeger", "NewRelic", "Zipkin"),
    "Exporters of Moleculer's own tracing: names, separated by commas, or JSON with `type` and `options` as Moleculer documents them; unset: none",
  ),
  moleculerMetrics: secretSetting(
    "SERVICE_MOLECULER_METRICS",
    exporters("Console", "CSV", "Datadog", "Event", "Prometheus", "StatsD"),
    "Reporters of Moleculer's own metrics, written in the same way; unset: none",
  ),
  healthPort: setting(
    "SERVICE_HEALTH_PORT",
    undefined,
    whole(1, 65535),
    "Port of `/health/live` and `/health/ready` on a node without a gateway, whose own port has both; unset: none",
  ),
  healthAddress: setting(
    "SERVICE_HEALTH_ADDRESS",
    "127.0.0.1",
    listening,
    "Address of that port; 0.0.0.0 where what probes the node runs elsewhere, as in Kubernetes",
  ),
  ...providerSettings,
  chromiumPath: setting(
    "SERVICE_CHROMIUM_PATH",
    undefined,
    text,
    "Chromium that makes PDF files; unset: the package's on x64, else `/usr/bin/chromium`",
  ),
  pdfTimeout: setting(
    "SERVICE_PDF_TIMEOUT_MS",
    "10000",
    whole(100, 120000),
    "Time one PDF may take once it is its turn; the browser has as long to start, and 25 s at least",
  ),
  ...transportSettings,
} as const satisfies Record<string, Setting<unknown>>;
