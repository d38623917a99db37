import * as moleculer from "moleculer";

interface Reporter {
  generatePrometheusResponse(): string;
}

const { Prometheus } = (moleculer as unknown as { MetricReporters: { Prometheus: new (options: object) => Reporter } })
  .MetricReporters;

/**
 * Lines of Prometheus' text format, with buckets, sum and count alone of each histogram: Moleculer exports sum and count only with quantiles,
 * which no query can sum, and with moments that are NaN at first.
 */
export function summable(text: string): string {
  let histogram: string | undefined;
  const lines = text.split("\n").filter((line) => {
    const [, name, type] = /^# TYPE (\S+) (\w+)$/.exec(line) ?? [];
    if (type) histogram = type === "histogram" ? name : undefined;
    if (histogram === undefined || line.startsWith("#") || line === "") return true;
    return /^_(bucket|sum|count)\{/.test(line.slice(histogram.length));
  });
  return lines.join("\n");
}

/** Serves the figures of a node at `/metrics` of a port of its own, in Prometheus' text format. */
export class PrometheusReporter extends Prometheus {
  constructor(port: number, host: string) {
    super({ port, host, path: "/metrics", includes: ["kantoor.**", "nodejs.**", "process.**"] });
  }

  override generatePrometheusResponse(): string {
    return summable(super.generatePrometheusResponse());
  }
}
