import type { BrokerOptions, Middleware } from "moleculer";
import * as moleculer from "moleculer";
import type { Config } from "../core/config/config.ts";
import { PrometheusReporter } from "./prometheus.ts";

type Exporting = Pick<Config, "metricsPort" | "metricsAddress" | "moleculerTracing" | "moleculerMetrics">;

const { Tracing, Metrics } = (moleculer as unknown as { Middlewares: Record<"Tracing" | "Metrics", Middleware> }).Middlewares;

/** Moleculer captures parameters by default, which hold values of records and credentials. */
const NO_VALUES = { params: false, meta: false, response: false };

/** The middlewares behind Moleculer's own tracing and metrics, if their exporters are configured. */
export const moleculerMiddlewares = ({ moleculerTracing, moleculerMetrics }: Exporting): Middleware[] => [
  ...(moleculerTracing ? [Tracing] : []),
  ...(moleculerMetrics ? [Metrics] : []),
];

/** The broker options for metrics, ours and Moleculer's, and for Moleculer's tracing. */
export function moleculerExporters(config: Exporting): Pick<BrokerOptions, "metrics" | "tracing"> {
  const { metricsPort, metricsAddress, moleculerTracing, moleculerMetrics = [] } = config;
  const own = metricsPort === undefined ? [] : [new PrometheusReporter(metricsPort, metricsAddress)];
  const reporter = [...own, ...moleculerMetrics];
  return {
    // mixins/figures exports the figures of the process under the names and in the units of Prometheus' own clients.
    metrics: reporter.length === 0 ? false : { enabled: true, collectProcessMetrics: false, reporter: reporter as never },
    ...(moleculerTracing && {
      tracing: { enabled: true, exporter: moleculerTracing as never, tags: { action: NO_VALUES, event: NO_VALUES } as never },
    }),
  };
}
