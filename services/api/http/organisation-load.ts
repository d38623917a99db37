import type { ServiceBroker } from "moleculer";

const REQUESTS = "kantoor.organisation.requests";
const BUSY = "kantoor.organisation.busy.seconds";
/** How long requests are added up, in milliseconds, and how many organisations are exported. */
const EVERY = 15_000;
const MOST = 10;

interface Load {
  requests: number;
  milliseconds: number;
}

/** The busiest organisations by the time of their requests, the busiest first. */
export function busiest(loads: ReadonlyMap<string, Load>, most = MOST): [organisation: string, load: Load][] {
  return [...loads].toSorted(([one, a], [other, b]) => b.milliseconds - a.milliseconds || (one < other ? -1 : 1)).slice(0, most);
}

/** Exports which organisations keep this node busiest: the ten of the last 15 seconds, so that their number bounds the series. */
export class OrganisationLoad {
  readonly #metrics: ServiceBroker["metrics"];
  readonly #timer: NodeJS.Timeout;
  #loads = new Map<string, Load>();

  constructor(metrics: ServiceBroker["metrics"]) {
    this.#metrics = metrics;
    const labelNames = ["organisation"];
    const of = "of the ten busiest organisations of this node over the last 15 seconds";
    metrics.register({ type: "gauge", name: REQUESTS, labelNames, description: `Requests ${of}` });
    metrics.register({ type: "gauge", name: BUSY, labelNames, description: `Seconds that the requests took ${of}` });
    this.#timer = setInterval(() => this.publish(), EVERY).unref();
  }

  /** Adds a request. @param milliseconds from its head to its answer */
  add(organisation: string, milliseconds: number): void {
    const load = this.#loads.get(organisation);
    if (!load) this.#loads.set(organisation, { requests: 1, milliseconds });
    else {
      load.requests += 1;
      load.milliseconds += milliseconds;
    }
  }

  /** Exports the organisations of the time since the last call, in place of those before. */
  publish(): void {
    for (const name of [REQUESTS, BUSY]) (this.#metrics.getMetric(name) as unknown as { clear(): void } | null)?.clear();
    for (const [organisation, { requests, milliseconds }] of busiest(this.#loads)) {
      this.#metrics.set(REQUESTS, requests, { organisation });
      this.#metrics.set(BUSY, milliseconds / 1000, { organisation });
    }
    this.#loads = new Map();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
