import { NOBODY_RESTRICTED } from "./projection.ts";

/** A type of record whose name is shown in rows that refer to it. */
export interface NamedRecord {
  table: string;
  /** SQL of its name, on alias `r`; `sources` is the caller's selection. */
  name: string | ((sources: string) => string);
  /** The condition of a restricted selection on alias `t`, the same as in the record's own list; `slot` holds its sources. */
  visible: (slot: string) => string;
}

/** Moves a condition on alias `t` to another alias. */
const onAlias = (condition: string, alias: string): string => condition.replaceAll(/\bt\./g, `${alias}.`);

/**
 * Condition that the caller can see record `alias`.
 * @param sources SQL of the caller's selection, null when there is none
 */
export function isSeen({ visible }: Pick<NamedRecord, "visible">, alias: string, sources: string): string {
  if (sources === NOBODY_RESTRICTED) return "true";
  return `(${sources} is null or ${onAlias(visible(sources), alias)})`;
}

/**
 * A lateral join with `id` and `name` of the record that row `t` refers to. Both are null if the record does not exist or the caller cannot
 * see it: a visible row may refer to a record of a hidden client (conventions §5, "references into other areas"). Every projection that
 * shows the name of another record uses it. Its limit makes the plan look up one record per row of the page.
 * @param alias the name of the join
 * @param id SQL of the record's id, on alias `t`
 * @param sources SQL of the caller's selection, null when there is none
 * @param row another alias than `t` for the referring row
 */
export const namedRecord = (alias: string, record: NamedRecord, id: string, sources: string, row = "t"): string =>
  `left join lateral (${selected(record, id, sources, row)} limit 1) ${alias} on true`;

/** Like `namedRecord`, for ordering by the name: without a limit, so that a plan may join all rows at once. */
export const namedForOrder = (alias: string, record: NamedRecord, id: string, sources: string): string =>
  `left join lateral (${selected(record, id, sources, "t")}) ${alias} on true`;

function selected(record: NamedRecord, id: string, sources: string, row: string): string {
  const { table, name } = record;
  const shown = typeof name === "string" ? name : name(sources);
  return `select r.id, ${shown} as name from ${table} r
    where r.organisation_id = ${row}.organisation_id and r.id = ${id} and ${isSeen(record, "r", sources)}`;
}
