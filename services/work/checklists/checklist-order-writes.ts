import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";

/** A kind of ordered children: `ids` reads a parent's children by position, then age; `put` stores their positions. */
interface Ordered {
  ids: Statement;
  put: Statement;
}

export const CHECKLISTS: Ordered = {
  ids: statement(`select id from task_checklists where organisation_id = $1 and task_id = $2 order by position, created_at, id`),
  put: statement(`update task_checklists t set position = o.n - 1, version = t.version + 1, updated_at = statement_timestamp()
    from unnest($2::uuid[]) with ordinality o(id, n) where t.organisation_id = $1 and t.id = o.id and t.position <> o.n - 1`),
};

export const ITEMS: Ordered = {
  ids: statement(
    `select id from task_checklist_items where organisation_id = $1 and checklist_id = $2 order by position, created_at, id`,
  ),
  put: statement(`update task_checklist_items t set position = o.n - 1, version = t.version + 1, updated_at = statement_timestamp()
    from unnest($2::uuid[]) with ordinality o(id, n) where t.organisation_id = $1 and t.id = o.id and t.position <> o.n - 1`),
};

/** SQL for the position after all rows `t`. After the highest number, the age of the row decides. */
export const LAST_PLACE = "least(coalesce(max(t.position)::bigint + 1, 0), 2147483647)::int";

/** The ids of a parent's children, in order. */
export async function idsInOrder({ ids }: Ordered, parentId: string): Promise<string[]> {
  return (await query<{ id: string }>(ids, [request().organisation.id, parentId])).map(({ id }) => id);
}

/** Stores each row's index as its position; rows already in position stay unchanged. */
export const putInOrder = ({ put }: Ordered, ids: readonly string[]): void => enqueue(put, [request().organisation.id, ids]);
