/**
 * Gauges of the whole installation that one query fills, read by one node at a time (mixins/figures/shared-figures.ts). Its cost must not
 * grow with the installation: indexes and limits, no scan of a large table.
 */
export interface FiguresDeclaration {
  /** SQL that runs outside of organisations. Its columns are the labels, as text, and the gauges' values, as float8; null sets none. */
  sql: string;
  /** The columns that are labels. Their values must be few, however many organisations there are. */
  labels?: readonly string[];
  /** The rows are a choice, such as the largest: what is chosen no more is exported no more. Otherwise it is 0. */
  chosen?: true;
  /** Gauges by column: the name, such as `kantoor.outbox.waiting`, and a description that names the unit. */
  gauges: Readonly<Record<string, readonly [name: string, description: string]>>;
}

/** A counter of each node, which begins at 0 for every combination of its labels' values (core/figures/counting.ts). */
export interface CounterDeclaration {
  /** What one stands for. */
  description: string;
  /** All values of each label. */
  labels?: Readonly<Record<string, readonly string[]>>;
}
