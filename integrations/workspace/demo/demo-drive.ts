import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { FOLDER_TYPE } from "../drive/drive-query.ts";

const CLIENTS = 8;
const BUSY = statement("select 1 from drive_links where organisation_id = $1 limit 1");
/** The first clients, each with a project and one of its tasks, if there are any. */
const RECORDS = statement(`select c.id as company_id, c.name as company, p.id as project_id, p.name as project,
    (select k.id from tasks k where k.organisation_id = $1 and k.project_id = p.id order by k.id limit 1) as task_id
  from companies c left join lateral (select p.id, p.name from projects p
    where p.organisation_id = $1 and p.company_id = c.id order by p.id limit 1) p on true
  where c.organisation_id = $1 and c.status in ('active', 'onboarding') order by c.client_number, c.id limit ${CLIENTS}`);
const ADD =
  statement(`insert into drive_links (id, organisation_id, company_id, project_id, task_id, drive_file_id, drive_url, name, mime_type,
    is_folder, is_root, created_by_account_id, created_by_name)
  select r.id, $1, r.company_id, r.project_id, r.task_id, r.drive_file_id,
    'https://drive.google.com/' || case when r.is_folder then 'drive/folders/' else 'file/d/' end || r.drive_file_id,
    r.name, r.mime_type, r.is_folder, r.is_folder, $3, $4
  from jsonb_to_recordset($2::jsonb) r (id uuid, company_id uuid, project_id uuid, task_id uuid, drive_file_id text, name text,
    mime_type text, is_folder boolean)`);

interface Records {
  company_id: string;
  company: string;
  project_id: string | null;
  project: string | null;
  task_id: string | null;
}

const demoId = (what: string, at: number): string => `demo-${what}-${at}`;
const folder = (record: object, what: string, at: number, name: string) => ({
  id: newId(),
  ...record,
  drive_file_id: demoId(what, at),
  name,
  mime_type: FOLDER_TYPE,
  is_folder: true,
});
const file = (record: object, what: string, at: number, name: string, mime_type: string) => ({
  ...folder(record, what, at, name),
  mime_type,
  is_folder: false,
});

/** The links of one client, its project and a task. */
function linksOf({ company_id, company, project_id, project, task_id }: Records, at: number): object[] {
  return [
    folder({ company_id }, "client", at, company),
    file({ company_id }, "contract", at, "Overeenkomst.pdf", "application/pdf"),
    ...(project_id !== null && project !== null ? [folder({ project_id }, "project", at, project)] : []),
    ...(task_id !== null ? [file({ task_id }, "briefing", at, "Briefing", "application/vnd.google-apps.document")] : []),
  ];
}

/**
 * Links folders and files to clients, projects and tasks of the demo organisation, unless it has links already. They do not exist at
 * Google, where no demo user has an account.
 */
export async function fillDrive({
  organisation,
  colleagues,
}: Pick<DemoOrganisation, "organisation" | "colleagues">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const records = await query<Records>(RECORDS, [organisation.id]);
      const links = records.flatMap((one, at) => linksOf(one, at));
      const [creator] = colleagues;
      enqueue(ADD, [organisation.id, JSON.stringify(links), creator?.id ?? null, creator?.name ?? null]);
    },
  );
}
