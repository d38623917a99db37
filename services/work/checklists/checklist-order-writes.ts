import { enqueue, query } from "../../../core/database/query.ts";
import { type Statement, statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";

/** What is put in order below a parent: how its ids are read, position before age, and how each gets its place. */
interface Ordered {
  ids: Statement;
  put: Statement;
}

/** The checklists of a task. */
export const CHECKLISTS: Ordered = {
  ids: statement(`select id from task_checklists where organisation_id = $1 and task_id = $2 order by position, created_at, id`),
  put: statement(`update task_checklists t set position = o.n - 1, version = t.version + 1, updated_at = statement_timestamp()
    from unnest($2::uuid[]) with ordinality o(id, n) where t.organisation_id = $1 and t.id = o.id and t.position <> o.n - 1`),
};

/** The items of a checklist. */
export const ITEMS: Ordered = {
  ids: statement(
    `select id from task_checklist_items where organisation_id = $1 and checklist_id = $2 order by position, created_at, id`,
  ),
  put: statement(`update task_checklist_items t set position = o.n - 1, version = t.version + 1, updated_at = statement_timestamp()
    from unnest($2::uuid[]) with ordinality o(id, n) where t.organisation_id = $1 and t.id = o.id and t.position <> o.n - 1`),
};

/** The ids below a parent in their order. */
export async function idsInOrder({ ids }: Ordered, parentId: string): Promise<string[]> {
  return (await query<{ id: string }>(ids, [request().organisation.id, parentId])).map(({ id }) => id);
}

/** Gives each row its place in the list, from 0; those that have it already stay as they are. */
export const putInOrder = ({ put }: Ordered, ids: readonly string[]): void => enqueue(put, [request().organisation.id, ids]);
