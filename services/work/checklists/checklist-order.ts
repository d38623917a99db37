import { invalid, notFound } from "../../../core/errors/errors.ts";

/**
 * The full order after `/order`: the named ids first in the order named, then the owned ones not named in their current order
 * (work chapter §3.7). A row's position is its index.
 * @param current the owned ids in their current order
 * @throws 422 `order: errors.required` for an empty list, `order: errors.duplicate` for a repeat; 404 for an id not among `current`
 */
export function reordered(current: readonly string[], named: readonly string[]): string[] {
  const first = new Set(named.map((id) => id.toLowerCase()));
  if (first.size === 0) throw invalid({ order: "errors.required" });
  if (first.size < named.length) throw invalid({ order: "errors.duplicate" });
  const owned = new Set(current);
  for (const id of first) if (!owned.has(id)) throw notFound();
  return [...first, ...current.filter((id) => !first.has(id))];
}

/** The full order with a copy placed directly after its source (work chapter §3.7, `/duplicate`). Without the source the copy goes last. */
export function insertedAfter(current: readonly string[], source: string, copy: string): string[] {
  const at = current.indexOf(source);
  return at < 0 ? [...current, copy] : current.toSpliced(at + 1, 0, copy);
}
