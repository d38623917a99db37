import { readInstant } from "../../schema/schema.ts";
import { type Bound, statement } from "../../sql/statement.ts";
import { columns, type Model } from "../model.ts";
import { jsonArray, type Projection } from "../projection.ts";
import type { Filter } from "./listing-spec.ts";

/** A list without pages: every row of the organisation that matches, in one order. */
export interface WholeListSpec {
  /** The order, as SQL on alias `t`. */
  order: string;
  /** The values that every request has, so that an index serves them: see `by`. */
  of?: Readonly<Record<string, string | Filter>>;
  /** Optional filters: for an equal value the PostgreSQL type of the column of that name, otherwise a condition of its own. */
  by?: Readonly<Record<string, string | Filter>>;
  /** A condition on alias `t` that every row has to meet. */
  where?: string;
  /** Most rows returned. */
  limit?: number;
  /** Further columns of the one row that the statement returns, next to `items`. */
  also?: string;
}

/** Values of the filters by name, and `updated_since` as the caller sent it; undefined does not filter. */
export type WholeListRequest = { updated_since?: string | undefined } & Readonly<Record<string, unknown>>;

/**
 * Compiles the one statement of a list without pages; its row has the list as JSON text in `items`.
 * @param visible condition for a restricted selection; omitted if every caller sees all rows
 * @param narrowed true if the projection itself takes the selection's sources, as `$3`
 * @returns the statement with its values: organisation, request and sources of the selection (null is unrestricted)
 */
export function wholeList(
  model: Model,
  projected: Projection,
  { order, of = {}, by = {}, where, limit, also }: WholeListSpec,
  visible?: (slot: string) => string,
  narrowed = false,
): (organisationId: string, wanted: WholeListRequest, sources: readonly string[] | null) => Bound {
  const selects = narrowed || visible !== undefined;
  const names = [...Object.keys(of), ...Object.keys(by)];
  const condition = (name: string, filter: string | Filter): [slot: string, sql: string] => {
    const { type, when } = typeof filter === "string" ? { type: filter, when: (slot: string) => `t.${name} = ${slot}` } : filter;
    const slot = `$${(selects ? 4 : 3) + names.indexOf(name)}::${type}`;
    return [slot, when(slot, "$3::uuid[]")];
  };
  const required = Object.entries(of).map(([name, filter]) => condition(name, filter)[1]);
  const optional = Object.entries(by).map(([name, filter]) => {
    const [slot, sql] = condition(name, filter);
    return `(${slot} is null or ${sql})`;
  });
  const conditions = [
    "t.organisation_id = $1",
    ...required,
    "($2::timestamptz is null or t.updated_at >= $2::timestamptz)",
    ...(visible ? [`($3::uuid[] is null or ${visible("$3::uuid[]")})`] : []),
    ...optional,
    ...(where === undefined ? [] : [where]),
  ];
  const inOrder = `order by ${order}${limit === undefined ? "" : ` limit ${limit}`}`;
  const source = `(select ${columns(model, "t")} from ${model.table} t where ${conditions.join(" and ")} ${inOrder})`;
  const shown = projected.rows(source, selects ? "$3::uuid[]" : undefined);
  const rows = jsonArray(projected.keepsOrder ? shown : `${shown} order by ${order}`);
  const text = statement(`select ${also === undefined ? "" : `${also}, `}${rows} as items`);
  return (organisationId, wanted, sources) => {
    const since = wanted.updated_since === undefined ? null : readInstant(wanted.updated_since);
    return [text, [organisationId, since, ...(selects ? [sources] : []), ...names.map((name) => wanted[name] ?? null)]];
  };
}
