import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import type { Assignee } from "../../../core/rules/roster.ts";
import { type Bound, type Row, statement } from "../../../core/sql/statement.ts";
import type { ResolvedRoster } from "../../../mixins/assignees.ts";

/**
 * The stored roster of one kind of record.
 * @param table its table
 * @param owner the column that holds the record's id
 */
export function rosterRows(table: "project_assignees" | "task_assignees", owner: "project_id" | "task_id") {
  const OF = statement(`select account_id as user_id, is_primary from ${table}
    where organisation_id = $1 and ${owner} = $2 order by is_primary desc, created_at, position`);
  const REMOVE = statement(
    `delete from ${table} where organisation_id = $1 and ${owner} = $2 and not account_id = any($3::uuid[])`,
  );
  const UNSTAR = statement(`update ${table} set is_primary = false where organisation_id = $1 and ${owner} = $2 and is_primary`);
  const PUT = statement(`insert into ${table} (organisation_id, ${owner}, account_id, is_primary)
    select $1, $2, p.account_id, p.is_primary from unnest($3::uuid[], $4::boolean[]) with ordinality p(account_id, is_primary, n)
    order by p.n on conflict (organisation_id, ${owner}, account_id) do update set is_primary = excluded.is_primary`);

  return {
    /** The statement for a record's roster: the starred person first, then by age of the assignment. */
    of: (id: string): Bound => [OF, [request().organisation.id, id]],

    read: (id: string) => query<Assignee & Row>(OF, [request().organisation.id, id]),

    /** Replaces the roster of a record. @param isNew true for a record without a roster */
    store(id: string, roster: ResolvedRoster, isNew = false): void {
      const place = [request().organisation.id, id];
      const people = roster.map(({ user_id }) => user_id);
      if (!isNew) {
        enqueue(REMOVE, [...place, people]);
        enqueue(UNSTAR, place);
      }
      if (roster.length > 0) enqueue(PUT, [...place, people, roster.map(({ is_primary }) => is_primary)]);
    },
  };
}
