import { decimal } from "../../../core/values/money.ts";
import type { DrilldownRow } from "../sources/source.ts";

/** How to merge a figure of several links: sum, or mean weighted by another figure. */
export type Merging = Readonly<Record<string, "sum" | { mean: string }>>;

function mergedMetric(rows: readonly DrilldownRow[], name: string, how: Merging[string]): number | undefined {
  const having = rows.filter(({ metrics }) => metrics[name] !== undefined);
  const [first] = having;
  if (first === undefined || having.length === 1) return first?.metrics[name];
  const of = (row: DrilldownRow, metric: string) => decimal(row.metrics[metric] ?? 0);
  const sum = (terms: ReturnType<typeof of>[]) => terms.reduce((total, term) => total.plus(term), decimal(0));
  if (how === "sum") return sum(having.map((row) => of(row, name))).toNumber();
  const weight = sum(having.map((row) => of(row, how.mean)));
  if (weight.isZero()) return undefined;
  const weighted = sum(having.map((row) => of(row, name).times(of(row, how.mean))));
  return weighted.div(weight).toDecimalPlaces(4).toNumber();
}

/** Merges rows of several links that share a key, or a label if they have no key. */
export function mergedRows(lists: readonly (readonly DrilldownRow[])[], merging: Merging): DrilldownRow[] {
  if (lists.length === 1) return [...(lists[0] as readonly DrilldownRow[])];
  const groups = Map.groupBy(lists.flat(), ({ key, label }) => key ?? label);
  return [...groups.values()].map((rows) => {
    const metrics = Object.entries(merging).flatMap(([name, how]) => {
      const value = mergedMetric(rows, name, how);
      return value === undefined ? [] : [[name, value] as const];
    });
    return { ...(rows[0] as DrilldownRow), metrics: Object.fromEntries(metrics) };
  });
}

/** Rows with the largest figure first, then by label. */
export const largestFirst = (rows: readonly DrilldownRow[], name: string): DrilldownRow[] =>
  rows.toSorted(
    (one, other) => (other.metrics[name] ?? 0) - (one.metrics[name] ?? 0) || one.label.localeCompare(other.label, "en"),
  );

/** Looks up a row's figure in the compared span; null if that span lacks the row. */
export function beforeOf(before: readonly DrilldownRow[], name: string): (row: DrilldownRow) => number | null {
  const values = new Map(before.map((row) => [row.key ?? row.label, row.metrics[name]]));
  return ({ key, label }) => values.get(key ?? label) ?? null;
}
