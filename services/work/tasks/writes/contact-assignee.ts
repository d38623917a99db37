import { queryOne } from "../../../../core/database/query.ts";
import { invalid } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import type { Assignee } from "../../../../core/rules/roster.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { contactOfAnotherClient } from "../../task-models.ts";

const LINKED = statement("select 1 from contact_links where organisation_id = $1 and contact_id = $2 and company_id = $3");

/**
 * Requires that a task is assigned to employees or to one contact of its own client, never to both (work chapter §3.5).
 * @throws 422 on `assignee_contact_id`
 */
export async function requireContactAssignee(
  contactId: string | null,
  companyId: string | null,
  roster: readonly Assignee[],
): Promise<void> {
  if (contactId === null) return;
  if (roster.length > 0) throw invalid({ assignee_contact_id: "errors.tasks_assignee_conflict" });
  const linked = companyId && (await queryOne(LINKED, [request().organisation.id, contactId, companyId]));
  if (!linked) throw contactOfAnotherClient();
}
