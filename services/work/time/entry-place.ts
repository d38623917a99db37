import { queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { References } from "../references.ts";
import { projectsOfClient, projectsOfStaff, tasksOfClient, workOfStaff } from "../visibility.ts";

/** The client, project and task of an entry, as stored. */
export interface EntryPlace {
  readonly company_id: string | null;
  readonly project_id: string | null;
  readonly task_id: string | null;
}

/** The resolved references, with the project's billing default; undefined if nothing was looked up. */
export interface SettledPlace extends EntryPlace {
  readonly billable_default: boolean | undefined;
}

/** An id as PostgreSQL writes it, so that equal ids are equal strings. */
const asStored = (id: string | null | undefined): string | null | undefined => id?.toLowerCase() ?? id;

const NOWHERE: EntryPlace = { company_id: null, project_id: null, task_id: null };

type Row = { [Column in keyof EntryPlace]: string | null } & {
  billable_default: boolean | null;
  sees_company: boolean;
  sees_project: boolean;
  sees_task: boolean;
};

const company = "t.id in (select selected_companies($7::uuid[]))";
/** `$5` and `$6`: whether client and project are used as sent. A missing record counts as unseen. */
const settle = (clients: boolean) => {
  const seen = (visible: string) => `($7::uuid[] is null or ${visible}) as is_seen`;
  const project = (clients ? projectsOfClient : projectsOfStaff)("$7::uuid[]");
  const task = (clients ? tasksOfClient : workOfStaff)("$7::uuid[]");
  return statement(`with task as (
      select t.id, t.project_id, t.company_id, ${seen(task)} from tasks t where t.organisation_id = $1 and t.id = $4::uuid),
    project as (
      select t.id, t.company_id, t.billable_default, ${seen(project)} from projects t
       where t.organisation_id = $1 and t.id = case when $6::boolean then $3::uuid else (select project_id from task) end),
    company as (
      select t.id, ${seen(company)} from companies t where t.organisation_id = $1 and t.id = case when $5::boolean then $2::uuid
        else coalesce((select company_id from project), (select company_id from task)) end)
    select (select id from company) as company_id, (select id from project) as project_id, (select id from task) as task_id,
      (select billable_default from project) as billable_default, coalesce((select is_seen from company), false) as sees_company,
      coalesce((select is_seen from project), false) as sees_project, coalesce((select is_seen from task), false) as sees_task`);
};
const SETTLE = { staff: settle(false), client: settle(true) };

/**
 * Resolves the client, project and task of an entry, for every path that writes one (work chapter §4.1, "One place"). Sent values win,
 * including null. A task without a project takes the task's project, and without a client that project's client, else the task's. On an
 * update a new task or project derives the fields that the body omits; a cleared one derives nothing.
 * @param named undefined means not sent
 * @param before the references of the stored entry
 * @throws 404 for a new reference that the caller does not see
 */
export async function settledPlace(named: References, before: EntryPlace = NOWHERE): Promise<SettledPlace> {
  const sent = {
    company_id: asStored(named.company_id),
    project_id: asStored(named.project_id),
    task_id: asStored(named.task_id),
  };
  const task_id = sent.task_id === undefined ? before.task_id : sent.task_id;
  const isElsewhere = (one: string | null | undefined, stored: string | null) =>
    one !== undefined && one !== null && one !== stored;
  const movesTask = isElsewhere(sent.task_id, before.task_id);
  const derivesProject = sent.project_id === undefined && movesTask;
  const project_id = sent.project_id === undefined ? before.project_id : sent.project_id;
  const derivesCompany = sent.company_id === undefined && (movesTask || isElsewhere(sent.project_id, before.project_id));
  const company_id = sent.company_id === undefined ? before.company_id : sent.company_id;
  const movesCompany = isElsewhere(sent.company_id, before.company_id);
  if (!derivesProject && !derivesCompany && !movesTask && !movesCompany && !isElsewhere(sent.project_id, before.project_id))
    return { company_id, project_id, task_id, billable_default: undefined };

  const { organisation, principal } = request();
  const given = [company_id, project_id, task_id, !derivesCompany, !derivesProject];
  const look = SETTLE[principal?.isClientLogin ? "client" : "staff"];
  const row = (await queryOne<Row>(look, [organisation.id, ...given, principal?.selection ?? null])) as Row;
  const missing = (id: string | null, stored: string | null, isSeen: boolean) => id !== null && id !== stored && !isSeen;
  if (
    missing(task_id, before.task_id, row.sees_task) ||
    missing(derivesProject ? row.project_id : project_id, before.project_id, row.sees_project) ||
    missing(derivesCompany ? row.company_id : company_id, before.company_id, row.sees_company)
  )
    throw notFound();
  return {
    company_id: row.company_id,
    project_id: row.project_id,
    task_id: row.task_id,
    billable_default: row.billable_default ?? undefined,
  };
}
