import type { Middleware, ServiceBroker } from "moleculer";
import { databaseIsOpen, queryUnbound } from "../../core/database/connection/database.ts";
import { Lease } from "../../core/database/lease.ts";
import { catalogue } from "../../core/declare/catalogue/catalogue.ts";
import type { FiguresDeclaration } from "../../core/declare/figures.ts";
import { uncounted } from "../../core/request/statement-count.ts";
import { statement } from "../../core/sql/statement.ts";

/** How often one node reads the figures of the database, in milliseconds. */
const EVERY = 15_000;
/** Seconds until another node takes over from a dead node. */
const LEASE = 40;

type Row = Readonly<Record<string, string | number | null>>;

/** The gauges of one declaration on this node. */
class SharedGauges {
  readonly #metrics: ServiceBroker["metrics"];
  readonly #declared: FiguresDeclaration;
  readonly #read: () => Promise<Row[]>;
  /** Combinations of labels seen since this node reads: one without a row any more is 0. */
  readonly #known = new Map<string, Record<string, string>>();

  constructor(metrics: ServiceBroker["metrics"], declared: FiguresDeclaration) {
    this.#metrics = metrics;
    this.#declared = declared;
    const text = statement(declared.sql);
    this.#read = () => uncounted(() => queryUnbound<Row>(text));
    const labelNames = [...(declared.labels ?? [])];
    for (const [name, description] of Object.values(declared.gauges))
      metrics.register({ type: "gauge", name, description, labelNames });
  }

  async update(): Promise<void> {
    const { labels = [], gauges, chosen } = this.#declared;
    const rows = new Map<string, Row>();
    const read = await this.#read();
    if (chosen) this.clear();
    for (const row of read) {
      const of = Object.fromEntries(labels.map((label) => [label, String(row[label])]));
      const key = JSON.stringify(of);
      rows.set(key, row);
      this.#known.set(key, of);
    }
    for (const [key, of] of this.#known)
      for (const [column, [name]] of Object.entries(gauges)) {
        const row = rows.get(key);
        const value = row ? row[column] : 0;
        if (value !== null && value !== undefined) this.#metrics.set(name, Number(value), of);
      }
  }

  /** Exports nothing until the next update: another node has newer values. */
  clear(): void {
    this.#known.clear();
    for (const [name] of Object.values(this.#declared.gauges))
      (this.#metrics.getMetric(name) as unknown as { clear(): void } | null)?.clear();
  }
}

/**
 * Exports the figures of the database that modules declare (`figures`), if metrics are on. One node at a time reads and exports them, so
 * that the number of nodes costs PostgreSQL nothing and no sum counts them twice.
 */
export function sharedFiguresMiddleware(): Middleware {
  let timer: NodeJS.Timeout | undefined;
  let lease: Lease | undefined;
  return {
    name: "SharedFigures",
    async started(broker) {
      if (!broker.isMetricsEnabled()) return;
      const { metrics, nodeID } = broker;
      const declared = catalogue().built.flatMap(({ manifest }) => manifest.figures ?? []);
      const gauges = declared.map((figures) => new SharedGauges(metrics, figures));
      const own = new Lease("figures", nodeID, LEASE);
      lease = own;
      const logger = broker.getLogger("database");
      const clear = () => gauges.forEach((one) => one.clear());
      const measure = async () => {
        if (!databaseIsOpen()) return;
        try {
          if (!(await uncounted(() => own.take()))) return clear();
          for (const one of gauges) await one.update();
        } catch (error) {
          clear();
          const { message: reason } = error as Error;
          logger.warn({ event: "database.outbox_not_measured", reason }, "the figures of the database were not read");
        }
      };
      timer = setInterval(measure, EVERY).unref();
      await measure();
    },
    async stopping() {
      clearInterval(timer);
      if (databaseIsOpen()) await lease?.release().catch(() => {});
    },
  };
}
