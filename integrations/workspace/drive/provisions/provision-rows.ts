import { columns } from "../../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../../core/database/query.ts";
import type { EventHook } from "../../../../core/declare/events.ts";
import { clientOf } from "../../../../core/declare/records.ts";
import { schedulingFor } from "../../../../core/jobs/jobs.ts";
import { leavesWork } from "../../../../core/jobs/outbox.ts";
import { ByRevision } from "../../../../core/request/by-revision.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { tracing } from "../../../../core/tracing/tracing.ts";
import { IS_WORKING, WORKING_CONNECTIONS } from "../../../../mixins/google/connection.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "../../../../mixins/google/models.ts";
import { ENTITY_TYPES, type Entity, type EntityType } from "../drive-models.ts";
import { RECORDS } from "../linked-records.ts";

/** The job that creates the folder of one record. */
export const PROVISION = "workspace.drive.provision";
/** Failed attempts before a folder is given up, and minutes between attempts. */
export const MOST_ATTEMPTS = 5;
export const SWEEP_MINUTES = 5;
/** Most folders that one sweep schedules, about as many as are created before the next sweep. */
const AT_ONCE = 500;

const AGAIN = `on conflict (organisation_id, entity_id, entity_type) do update
    set state = 'waiting', attempts = 0, due_at = statement_timestamp(), last_error = null`;
const REQUEST: ReadonlyMap<EntityType, ReturnType<typeof statement>> = new Map(
  ENTITY_TYPES.map((kind) => [
    kind,
    statement(`insert into drive_provisions as p (id, organisation_id, ${kind}_id)
      select gen_random_uuid(), $1, r.id from ${RECORDS[kind].table} r where r.organisation_id = $1 and r.id = $2 ${AGAIN}`),
  ]),
);
const REQUEST_ALL = statement(`with made as (insert into drive_provisions as p (id, organisation_id, company_id)
    select gen_random_uuid(), $1, r.id from companies r where r.organisation_id = $1
      and ($2::uuid[] is null or r.id in (select selected_companies($2::uuid[])))
      and not exists (select 1 from drive_links l
        where l.organisation_id = $1 and l.entity_id = r.id and l.entity_type = 'company' and l.is_root)
    ${AGAIN} returning 1)
  select count(*)::int as queued from made`);

/** The jobs of requested folders. Those of one client run one after another, so that a project finds its client's folder. */
const JOBS = `select jsonb_build_object('provision_id', m.id) as payload, coalesce(m.company_id, m.entity_id)::text as key,
    m.id::text as dedupe from made m order by m.id`;
/** SQL: whether the organisation creates folders for new records automatically (workspace §2.4). */
const AUTOMATIC = `exists (select from workspace_settings s where s.organisation_id = $1 and s.drive_enabled and s.drive_auto_provision
  and s.automation_connection_user_id is not null and coalesce(s.drive_parent_folder_id, s.drive_shared_drive_id) is not null)`;
/** Requests folders for new clients and projects (ids in `$2`) if the organisation creates them automatically. */
const REQUEST_NEW = schedulingFor(
  PROVISION,
  `insert into drive_provisions as p (id, organisation_id, company_id, project_id)
    select gen_random_uuid(), $1, c.id, j.id from unnest($2::uuid[]) r (id)
      left join companies c on c.organisation_id = $1 and c.id = r.id
      left join projects j on j.organisation_id = $1 and j.id = r.id
     where ${AUTOMATIC} and (c.id is not null or j.id is not null) ${AGAIN}
    returning p.id, p.entity_id, (select j.company_id from projects j where j.organisation_id = $1 and j.id = p.project_id) as company_id`,
  JOBS,
  "$3::text",
);

const SETTINGS = statement(`select ${AUTOMATIC} as automatic`);
/** Whether an organisation creates folders automatically. The trigger of migration 0133 moves the revision when that changes. */
const known = new ByRevision<{ automatic: boolean }>();

async function isAutomatic(organisationId: string): Promise<boolean> {
  let settings = known.get();
  if (!settings)
    known.keep((settings = (await queryOne<{ automatic: boolean }>(SETTINGS, [organisationId])) ?? { automatic: false }));
  return settings.automatic;
}

/**
 * Requests folders for the clients and projects that a transaction adds, in one statement sent with its commit; none for an organisation
 * that creates none automatically. Older records get folders by `POST /workspace/drive/provision-all`.
 */
export const requestNewFolders: EventHook = async (recorded) => {
  const { organisation, guarded } = request();
  // A job checks no revision, so it leaves the question to the statement.
  if (guarded && !(await isAutomatic(organisation.id))) return;
  enqueue(REQUEST_NEW, [organisation.id, recorded.map(({ entityId }) => entityId), tracing?.traceparent() ?? null]);
};

/** SQL: the client of a provision's record, on alias `p`. */
const CLIENT = `case p.entity_type ${ENTITY_TYPES.map(
  (kind) => `when '${kind}' then (select ${clientOf(kind, "r")} from ${RECORDS[kind].table} r
    where r.organisation_id = p.organisation_id and r.id = p.entity_id)`,
).join(" ")} end`;
/** Schedules a job for every folder that is due. */
const SCHEDULE = schedulingFor(
  PROVISION,
  `select p.id, p.entity_id, ${CLIENT} as company_id from drive_provisions p
    where p.organisation_id = $1 and p.state = 'waiting' and p.due_at <= statement_timestamp() and ($2::uuid is null or p.entity_id = $2)
    order by p.due_at limit ${AT_ONCE}`,
  JOBS,
  "$3::text",
);

/** Schedules due folders in the running transaction. @param entityId limits it to one record; by default all, longest due first */
export function scheduleDue(entityId: string | null = null): void {
  enqueue(SCHEDULE, [request().organisation.id, entityId, tracing?.traceparent() ?? null]);
  leavesWork();
}

/** Requests the folder of a record in the running transaction and resets earlier attempts. Does nothing if the record does not exist. */
export function requestFolder({ entity_type, entity_id }: Entity): void {
  enqueue(REQUEST.get(entity_type) as ReturnType<typeof statement>, [request().organisation.id, entity_id]);
  scheduleDue(entity_id);
}

/** Requests folders for all visible clients without one. @returns their number */
export async function requestFolders(): Promise<number> {
  const { organisation, principal } = request();
  const found = await queryOne<{ queued: number }>(REQUEST_ALL, [organisation.id, principal?.selection ?? null]);
  if (found?.queued) scheduleDue();
  return found?.queued ?? 0;
}

const rootFile = (kind: EntityType, id: string): string => `(select l.drive_file_id from drive_links l
  where l.organisation_id = p.organisation_id and l.entity_id = ${id} and l.entity_type = '${kind}' and l.is_root)`;
/** SQL: the parent of a record's folder: for a project its client's folder; for a task its project's, else its client's. */
const PARENT = `case p.entity_type
  when 'project' then ${rootFile("company", `(${CLIENT})`)}
  when 'task' then coalesce(
    ${rootFile("project", "(select k.project_id from tasks k where k.organisation_id = p.organisation_id and k.id = p.task_id)")},
    ${rootFile("company", `(${CLIENT})`)}) end`;
const NAME = `case p.entity_type ${ENTITY_TYPES.map(
  (kind) => `when '${kind}' then (select ${RECORDS[kind].name} from ${RECORDS[kind].table} r
    where r.organisation_id = p.organisation_id and r.id = p.entity_id)`,
).join(" ")} end`;

/** A folder to create, with its current context. */
export interface Provision {
  id: string;
  entity_type: EntityType;
  entity_id: string;
  state: "waiting" | "failed";
  attempts: number;
  /** The folder, if an earlier run created it. */
  drive_file_id: string | null;
  name: string;
  /** The folder of the parent record; null if it has none. */
  parent_id: string | null;
  /** The record's own folder as linked now. */
  root_id: string | null;
}

const LOAD = statement(`select p.id, p.entity_type, p.entity_id, p.state, p.attempts, p.drive_file_id, ${NAME} as name,
    ${PARENT} as parent_id,
    (select l.drive_file_id from drive_links l where l.organisation_id = p.organisation_id and l.entity_id = p.entity_id
      and l.entity_type = p.entity_type and l.is_root) as root_id
  from drive_provisions p where p.organisation_id = $1 and p.id = $2`);
const UNFINISHED = statement(
  "select drive_file_id from drive_provisions where organisation_id = $1 and entity_id = $2 and entity_type = $3",
);
const LOCK = statement("select drive_file_id from drive_provisions where organisation_id = $1 and id = $2 for update");
const WORKING = statement(
  `select ${columns(WorkspaceConnection, "c")} from ${WORKING_CONNECTIONS} where ${IS_WORKING} and c.account_id = $2`,
);
const TAKEN =
  statement(`select drive_file_id from drive_links where organisation_id = $1 and is_root and drive_file_id = any($2::text[])
  and not (entity_id = $3 and entity_type = $4)`);
const FOUND = statement("update drive_provisions set drive_file_id = $3 where organisation_id = $1 and id = $2");
const DONE = statement("delete from drive_provisions where organisation_id = $1 and id = $2");
const POSTPONE = statement(`update drive_provisions set due_at = statement_timestamp() + $3 * interval '1 second', last_error = $4
  where organisation_id = $1 and id = $2 and state = 'waiting'`);
const FAILED = statement(`update drive_provisions set attempts = attempts + 1, last_error = $3,
    due_at = statement_timestamp() + interval '${SWEEP_MINUTES} minutes',
    state = case when attempts + 1 < ${MOST_ATTEMPTS} then 'waiting' else 'failed' end
  where organisation_id = $1 and id = $2 and state = 'waiting' returning state`);

const placeOf = (id: string) => [request().organisation.id, id];

export const loadProvision = (id: string): Promise<Provision | undefined> => queryOne<Provision>(LOAD, placeOf(id));

/** The pending folder of a record, if any. */
export const loadUnfinished = ({ entity_id, entity_type }: Entity): Promise<{ drive_file_id: string | null } | undefined> =>
  queryOne(UNFINISHED, [request().organisation.id, entity_id, entity_type]);

/** Locks a pending folder until the transaction ends; undefined if it is done. */
export const lockProvision = (id: string): Promise<{ drive_file_id: string | null } | undefined> => queryOne(LOCK, placeOf(id));

/** The connection that automation uses, if it works and its owner is still a member. */
export const workingConnection = (accountId: string): Promise<WorkspaceConnectionRow | undefined> =>
  queryOne<WorkspaceConnectionRow>(WORKING, [request().organisation.id, accountId]);

/** Which of the folders are another record's own: two clients of the same name each have a folder. */
export async function takenByOthers(ids: readonly string[], { entity_id, entity_type }: Entity): Promise<Set<string>> {
  const rows = await query<{ drive_file_id: string }>(TAKEN, [request().organisation.id, ids, entity_id, entity_type]);
  return new Set(rows.map(({ drive_file_id }) => drive_file_id));
}

/** Stores the folder of a record, in the running transaction. */
export const noteFolder = (id: string, fileId: string): void => enqueue(FOUND, [...placeOf(id), fileId]);

/** Deletes a completed folder request, in the running transaction. */
export const endProvision = (id: string): void => enqueue(DONE, placeOf(id));

/** Postpones a folder without counting an attempt, in the running transaction. @param why the stored reason, redacted */
export const postpone = (id: string, seconds: number, why: string): void => enqueue(POSTPONE, [...placeOf(id), seconds, why]);

/** Counts a failed attempt, in the running transaction. @returns whether it was the last one */
export async function countFailure(id: string, why: string): Promise<boolean> {
  const row = await queryOne<{ state: string }>(FAILED, [...placeOf(id), why]);
  return row?.state === "failed";
}
