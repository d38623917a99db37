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

const COUNTS: readonly Count[] = ["enqueued", "succeeded", "failed", "retried", "dead", "skipped"];
const counter = (what: Count) => `kantoor.jobs.${what}.total`;
const RUNNING = "kantoor.jobs.running";
/** Histograms, with what each is about. */
const TIMES = {
  lag: ["kantoor.jobs.lag.seconds", "Seconds from a job's due time to its start"],
  duration: ["kantoor.jobs.duration.seconds", "Seconds that a job ran"],
} as const;
/** Bounds of their buckets, in seconds: from a drain of one row to a report of an hour. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

/** Counts what the jobs of this node do, for the operator and, if enabled, for Moleculer's metrics. */
export class Meter {
  readonly #jobs = new Map<string, Gauges>();
  readonly #metrics: ServiceBroker["metrics"] | null;

  constructor(broker: Pick<ServiceBroker, "metrics" | "isMetricsEnabled">) {
    this.#metrics = broker.isMetricsEnabled() ? broker.metrics : null;
    const labelNames = ["job"];
    for (const what of COUNTS)
      this.#metrics?.register({ type: "counter", name: counter(what), labelNames, description: `Jobs ${what}` });
    this.#metrics?.register({ type: "gauge", name: RUNNING, labelNames, description: "Jobs running" });
    for (const [name, description] of Object.values(TIMES))
      this.#metrics?.register({
        type: "histogram",
        name,
        labelNames,
        unit: "second",
        buckets: BUCKETS,
        quantiles: true,
        description,
      });
  }

  /** Exports the counters of a job from 0 on: what rises from nothing to 1 is no increase to Prometheus. */
  declare(job: string): void {
    for (const what of COUNTS) this.#metrics?.increment(counter(what), { job }, 0);
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
    this.#metrics?.increment(counter(what), { job }, by);
  }

  /** @param lag null for a retry, which waited on purpose */
  started(job: string, lag: number | null): void {
    this.#of(job).running += 1;
    this.#metrics?.increment(RUNNING, { job });
    if (lag === null) return;
    this.#of(job).lag.add(lag);
    this.#metrics?.observe(TIMES.lag[0], lag / 1000, { job });
  }

  ended(job: string, duration: number): void {
    this.#of(job).running -= 1;
    this.#of(job).duration.add(duration);
    this.#metrics?.decrement(RUNNING, { job });
    this.#metrics?.observe(TIMES.duration[0], duration / 1000, { job });
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
