/** A share of a file's work: part `index` of `of`. */
export interface Part {
  index: number;
  of: number;
}

let current: Part = { index: 0, of: 1 };

export function setPart(part: Part): void {
  current = part;
}

/**
 * The items this process handles when a file runs in parts: whole groups, spread so that every part gets about as many items, and
 * identically in every process.
 */
export function partOf<T>(items: readonly T[], groupOf: (item: T) => string, { index, of } = current): T[] {
  const groups = Map.groupBy(items, groupOf);
  const sizes = Array.from({ length: of }, () => 0);
  const mine: T[] = [];
  const largestFirst = [...groups].sort(([one, its], [other, others]) => others.length - its.length || (one < other ? -1 : 1));
  for (const [, group] of largestFirst) {
    const smallest = sizes.indexOf(Math.min(...sizes));
    sizes[smallest] = (sizes[smallest] as number) + group.length;
    if (smallest === index) mine.push(...group);
  }
  return mine;
}
