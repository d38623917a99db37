import type { ServiceBroker } from "moleculer";

/** Figures of one job on one node since it started. Times in ms. */
export interface JobFigures {
  enqueued: number;
  running: number;
  succeeded: number;
  failed: number;
  retried: number;
  dead: number;
  skipped: number;
  /** Delay between a job's due time and its start, over the last runs. */
  lag_p50: number | null;
  lag_p99: number | null;
  duration_p50: number | null;
  duration_p99: number | null;
}

type Count = "enqueued" | "succeeded" | "failed" | "retried" | "dead" | "skipped";

const SAMPLES = 1_000;

/** The last thousand values, oldest overwritten first. */
class Samples {
  readonly #values: number[] = [];
  #next = 0;

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % SAMPLES;
  }

  at(share: number): number | null {
    const sorted = this.#values.toSorted((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  }
}

interface Gauges {
  counts: Record<Count, number>;
  running: number;
  lag: Samples;
  duration: Samples;
}

const METRIC = (what: string) => `kantoor.jobs.${what}`;

/** Counts what the jobs of this node do, for the operator and, if enabled, for Moleculer's metrics. */
export class Meter {
  readonly #jobs = new Map<string, Gauges>();
  readonly #metrics: ServiceBroker["metrics"] | null;

  constructor(broker: Pick<ServiceBroker, "metrics" | "isMetricsEnabled">) {
    this.#metrics = broker.isMetricsEnabled() ? broker.metrics : null;
    for (const what of ["enqueued", "succeeded", "failed", "retried", "dead", "skipped"])
      this.#metrics?.register({ type: "counter", name: METRIC(what), labelNames: ["job"], description: `Jobs ${what}` });
    this.#metrics?.register({ type: "gauge", name: METRIC("running"), labelNames: ["job"], description: "Jobs running" });
    for (const what of ["lag", "duration"])
      this.#metrics?.register({
        type: "histogram",
        name: METRIC(what),
        labelNames: ["job"],
        unit: "millisecond",
        quantiles: [0.5, 0.99],
        description: `${what} of jobs`,
      });
  }

  #of(job: string): Gauges {
    let gauges = this.#jobs.get(job);
    if (!gauges) {
      const counts = { enqueued: 0, succeeded: 0, failed: 0, retried: 0, dead: 0, skipped: 0 };
      this.#jobs.set(job, (gauges = { counts, running: 0, lag: new Samples(), duration: new Samples() }));
    }
    return gauges;
  }

  count(job: string, what: Count, by = 1): void {
    this.#of(job).counts[what] += by;
    this.#metrics?.increment(METRIC(what), { job }, by);
  }

  /** @param lag null for a retry, which waited on purpose */
  started(job: string, lag: number | null): void {
    this.#of(job).running += 1;
    this.#metrics?.increment(METRIC("running"), { job });
    if (lag === null) return;
    this.#of(job).lag.add(lag);
    this.#metrics?.observe(METRIC("lag"), lag, { job });
  }

  ended(job: string, duration: number): void {
    this.#of(job).running -= 1;
    this.#of(job).duration.add(duration);
    this.#metrics?.decrement(METRIC("running"), { job });
    this.#metrics?.observe(METRIC("duration"), duration, { job });
  }

  /** Figures by job name. */
  read(): Record<string, JobFigures> {
    return Object.fromEntries(
      [...this.#jobs].map(([job, { counts, running, lag, duration }]) => [
        job,
        {
          ...counts,
          running,
          lag_p50: lag.at(0.5),
          lag_p99: lag.at(0.99),
          duration_p50: duration.at(0.5),
          duration_p99: duration.at(0.99),
        },
      ]),
    );
  }
}
