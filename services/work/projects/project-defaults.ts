import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

/** Only current members are inherited, and no client logins. */
const MEMBER = "join member_access m on m.organisation_id = $1 and m.account_id = a.account_id and not m.is_client";
const STARRED = statement(`select coalesce(
  (select a.account_id from project_assignees a ${MEMBER} where a.organisation_id = $1 and a.project_id = $3 and a.is_primary),
  (select a.account_id from company_assignees a ${MEMBER} where a.organisation_id = $1 and a.company_id = $2 and a.is_primary)) as id`);

/** The starred person of a project, else of a client, as an account id; null if neither has one (work chapter §3.3). */
export async function starredOf({
  company_id,
  project_id,
}: {
  company_id?: string | null | undefined;
  project_id?: string | null | undefined;
}): Promise<string | null> {
  if (!company_id && !project_id) return null;
  const found = await queryOne<{ id: string | null }>(STARRED, [
    request().organisation.id,
    company_id ?? null,
    project_id ?? null,
  ]);
  return found?.id ?? null;
}
