import { enqueue, query } from "../../../core/database/query.ts";
import { type Statement, statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";

interface Ordered {
  ids: Statement;
  put: Statement;
}

const ordered = (table: string, parent: string): Ordered => ({
  ids: statement(`select id from ${table} where organisation_id = $1 and ${parent} = $2 order by position, created_at, id`),
  put: statement(`update ${table} t set position = o.n - 1, version = t.version + 1, updated_at = statement_timestamp()
    from unnest($2::uuid[]) with ordinality o(id, n) where t.organisation_id = $1 and t.id = o.id and t.position <> o.n - 1`),
});

/** The checklists of a task, and the items of a checklist. */
export const CHECKLISTS = ordered("task_checklists", "task_id");
export const ITEMS = ordered("task_checklist_items", "checklist_id");

/** The ids under a parent in their order: position, then age. */
export async function idsInOrder({ ids }: Ordered, parentId: string): Promise<string[]> {
  return (await query<{ id: string }>(ids, [request().organisation.id, parentId])).map(({ id }) => id);
}

/** Gives each row its place in the list, from 0; those that have it already stay as they are. */
export const putInOrder = ({ put }: Ordered, ids: readonly string[]): void => enqueue(put, [request().organisation.id, ids]);
