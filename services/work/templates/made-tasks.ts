import { columns } from "../../../core/database/model.ts";
import { jsonArray } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { Task } from "../task-models.ts";
import { taskProjection } from "../tasks/task.list.ts";

const MADE = statement(
  `select ${jsonArray(
    taskProjection.rows(`(select ${columns(Task, "t")} from unnest($2::uuid[]) with ordinality made(id, n)
      join tasks t on t.organisation_id = $1 and t.id = made.id order by made.n)`),
  )} as items`,
);

/** The tasks just created, in the given order. */
export async function madeTasks(ids: readonly string[]): Promise<JsonText> {
  return new JsonText((await queryOne<{ items: string }>(MADE, [request().organisation.id, ids]))?.items ?? "[]");
}
