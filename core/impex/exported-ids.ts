import { type ListRequest, listing } from "../database/lists/list.ts";
import type { ListingSpec } from "../database/lists/listing-spec.ts";
import { projection } from "../database/projection.ts";
import { query, queryOne } from "../database/query.ts";
import { request } from "../request/context.ts";
import { answer, uuid } from "../schema/schema.ts";
import { statement, type TextRow } from "../sql/statement.ts";

/** More rows than any table has. */
const ALL = 2_147_483_646;

type ListFilter = Pick<ListRequest, "q" | "updated_since" | "filters">;

/**
 * Compiles the query for the ids of the caller's whole list, in the order of an export's key. Two statements for any number of rows.
 * @param key SQL to order by, over alias `t`; it must not depend on ids alone, or two organisations with the same rows would differ
 */
export function exportedIds(spec: ListingSpec, key: string): (wanted: ListFilter) => Promise<string[]> {
  const all = listing(spec, projection({ model: spec, schema: answer("ExportedRow", { id: uuid() }) }));
  const inOrder = statement(`select coalesce(json_agg(t.id order by ${key}), '[]') as ids from unnest($2::uuid[]) w(id)
    join ${spec.table} t on t.organisation_id = $1 and t.id = w.id`);
  return async (wanted) => {
    const { organisation, principal } = request();
    const selection = spec.visible ? (principal?.selection ?? null) : null;
    const { bound } = all.page(organisation.id, { ...wanted, limit: ALL, offset: 0, count: false, selection });
    const ids = (await query<TextRow>(...bound)).map(({ values }) => values[0]);
    return (await queryOne<{ ids: string[] }>(inOrder, [organisation.id, ids]))?.ids ?? [];
  };
}
