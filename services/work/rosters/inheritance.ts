import { query } from "../../../core/database/query.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import type { Candidate } from "../../../core/rules/roster.ts";
import { statement } from "../../../core/sql/statement.ts";
import { canGetWork, type Inherited, inherited, NO_ONE } from "../../../mixins/assignees.ts";

/** The records whose rosters new work inherits. */
interface Place {
  company_id?: string | null | undefined;
  project_id?: string | null | undefined;
}

const ROSTERS = statement(`select a.source, a.account_id as user_id, a.is_primary, ${canGetWork("a.account_id")} as is_able
  from (select 'project' as source, p.account_id, p.is_primary, p.created_at, p.position from project_assignees p
         where p.organisation_id = $1 and p.project_id = $3
        union all
        select 'company', c.account_id, c.is_primary, c.created_at, c.position from company_assignees c
         where c.organisation_id = $1 and c.company_id = $2) a
 order by a.source, a.is_primary desc, a.created_at, a.position`);

/** The rosters of a project and a client as sources of new work, in one statement. */
export async function rostersOf({ company_id, project_id }: Place): Promise<{ project: Candidate[]; company: Candidate[] }> {
  if (!company_id && !project_id) return { project: [], company: [] };
  const values = [request().organisation.id, company_id ?? null, project_id ?? null];
  const found = await query<Candidate & { source: string }>(ROSTERS, values);
  const of = (wanted: string) => found.filter(({ source }) => source === wanted);
  return { project: of("project"), company: of("company") };
}

/**
 * The roster of new work that names no one: from its project, else from its client (work chapter §1, §2.1, §3.3).
 * @param ahead rosters that come before these
 */
export async function inheritedFrom(place: Place, ...ahead: readonly Candidate[][]): Promise<Inherited> {
  if (!place.company_id && !place.project_id && ahead.length === 0) return NO_ONE;
  const { project, company } = await rostersOf(place);
  return inherited(...ahead, project, company);
}

/** Members to notify of work without assignee: the client's responsible, and the owners. */
const HEARERS = statement(`select m.account_id as user_id, coalesce(a.is_primary, false) as is_responsible
  from member_access m
  left join company_assignees a on a.organisation_id = $1 and a.account_id = m.account_id and a.is_primary and a.company_id = coalesce($2::uuid,
    (select p.company_id from projects p where p.organisation_id = $1 and p.id = $3))
 where m.organisation_id = $1 and m.is_live and not m.is_client
   and (a.is_primary or m.membership_id in (select members_holding($1, array['*'])))`);

/**
 * Notifies the client's responsible person, else the owners, of new work that has no assignee because those who would have got it are inactive
 * or gone.
 */
export async function reportOrphan(
  kind: "task" | "project",
  id: string,
  { title, company_id = null, project_id = null }: { title: string } & Place,
): Promise<void> {
  const found = await query<{ user_id: string; is_responsible: boolean }>(HEARERS, [
    request().organisation.id,
    company_id,
    project_id,
  ]);
  const responsible = found.filter(({ is_responsible }) => is_responsible);
  const recipients = (responsible.length > 0 ? responsible : found).map(({ user_id }) => user_id);
  if (kind === "task") emit("task.left_unassigned", "task", id, { task_id: id, title, company_id, project_id, recipients });
  else emit("project.left_unassigned", "project", id, { project_id: id, title, company_id, recipients });
}
