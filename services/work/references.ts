import { query } from "../../core/database/query.ts";
import { notFound } from "../../core/errors/errors.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import { projectsOfClient, projectsOfStaff, tasksOfClient, workOfStaff } from "./visibility.ts";

/** The records a body refers to; null and undefined refer to nothing. */
export interface References {
  company_id?: string | null | undefined;
  project_id?: string | null | undefined;
  task_id?: string | null | undefined;
}

const company = "t.id in (select selected_companies($5::uuid[]))";
const missing = (clients: boolean) =>
  statement(
    [
      ["company", "companies", "$2", company],
      ["project", "projects", "$3", clients ? projectsOfClient("$5::uuid[]") : projectsOfStaff("$5::uuid[]")],
      ["task", "tasks", "$4", clients ? tasksOfClient("$5::uuid[]") : workOfStaff("$5::uuid[]")],
    ]
      .map(
        ([name, table, slot, visible]) => `select '${name}' as name where ${slot}::uuid is not null and not exists (
          select 1 from ${table} t where t.organisation_id = $1 and t.id = ${slot} and ($5::uuid[] is null or ${visible}))`,
      )
      .join(" union all "),
  );
const MISSING = { staff: missing(false), client: missing(true) };

/**
 * Requires that a body's references exist and the caller sees them. Runs no query without a reference.
 * @throws 404 `not_found` (work chapter §0, "References"), the same for another organisation's id
 */
export async function requireReferences({ company_id, project_id, task_id }: References): Promise<void> {
  const ids = [company_id ?? null, project_id ?? null, task_id ?? null];
  if (ids.every((id) => id === null)) return;
  const { organisation, principal } = request();
  const look = principal?.isClientLogin ? MISSING.client : MISSING.staff;
  if ((await query(look, [organisation.id, ...ids, principal?.selection ?? null])).length > 0) throw notFound();
}
