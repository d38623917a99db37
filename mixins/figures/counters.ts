import type { Middleware } from "moleculer";
import { catalogue } from "../../core/declare/catalogue/catalogue.ts";
import { onCount } from "../../core/figures/counting.ts";

/** Every combination of labels. */
function combinations(labels: Readonly<Record<string, readonly string[]>>): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [label, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}

/** Exports the counters that modules declare (`counters`) from 0 on, if metrics are on. */
export function countersMiddleware(): Middleware {
  let stop = () => {};
  return {
    name: "Counters",
    created(broker) {
      if (!broker.isMetricsEnabled()) return;
      const { metrics } = broker;
      const declared = catalogue().built.flatMap(({ manifest }) => Object.entries(manifest.counters ?? {}));
      for (const [name, { description, labels = {} }] of declared) {
        metrics.register({ type: "counter", name, description, labelNames: Object.keys(labels) });
        for (const of of combinations(labels)) metrics.increment(name, of, 0);
      }
      stop = onCount((name, labels) => metrics.increment(name, labels));
    },
    async stopped() {
      stop();
    },
  };
}
