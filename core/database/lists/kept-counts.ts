import type { Filter, ListingSpec } from "./listing-spec.ts";

/**
 * SQL of the number of rows that triggers count for a list of organisation `$1` (`keepsCount` of the migrations): what was folded, and what was
 * added and removed since. One snapshot reads both, so the number is exact in every transaction, also for its own writes.
 * @param keys condition on the column `key`, for some of the counts
 */
export function keptCount(table: string, keys?: string): string {
  const rows = (of: string) =>
    `(select coalesce(sum(k.rows), 0) from ${of} k where k.organisation_id = $1 and k.list = '${table}'${keys ? ` and ${keys}` : ""})`;
  return `(${rows("kept_counts")} + ${rows("count_changes")})::int`;
}

/**
 * The kept count of a page's rows; undefined if only counting them gives it.
 * @param present names of the filters with a value
 * @param slot the value of the first of them
 */
export function keptTotal(
  { table, kept, filters = {} }: ListingSpec,
  present: readonly string[],
  slot: string,
): string | undefined {
  if (kept === undefined) return undefined;
  if (present.length === 0) return keptCount(table);
  if (kept === true || present.length > 1 || present[0] !== kept.by) return undefined;
  const { type } = filters[kept.by] as Filter;
  return keptCount(table, type.endsWith("[]") ? `k.key = any(${slot}::${type}::text[])` : `k.key = ${slot}::${type}::text`);
}
