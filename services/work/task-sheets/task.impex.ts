import { columns } from "../../../core/database/model.ts";
import { namedRecord } from "../../../core/database/named-record.ts";
import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import { newValues } from "../../../core/impex/changes.ts";
import type { ImpexEntity, ImportRows, Opened, Outcome } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import { writeList } from "../../../core/impex/files/lists.ts";
import { askedIds, type Identified, knownIds, rememberedId } from "../../../core/impex/identity.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { type Match, matchRows, namesakesAmong, sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import type { Assignee } from "../../../core/rules/roster.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { clientWord } from "../../../mixins/named/named-clients.ts";
import { exportedProject } from "../impex/named-projects.ts";
import { peopleByColumn } from "../impex/roster-of-row.ts";
import { relabel } from "../labels/label-writes.ts";
import { statusRules } from "../statuses/status-rows.ts";
import { requireWritable, type StoredTask } from "../task-access.ts";
import { Task } from "../task-models.ts";
import { clientTaskListing, taskListing } from "../tasks/task.list.ts";
import { taskFilters, taskQuery } from "../tasks/task-rows.ts";
import { TaskCreate, TaskUpdate } from "../tasks/task-schemas.ts";
import { changeTask } from "../tasks/writes/task-changes.ts";
import { createTask } from "../tasks/writes/task-writes.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "../visibility.ts";
import { TASK_COLUMNS } from "./sheet-columns.ts";
import { type ReadTask, SheetMeanings } from "./sheet-meanings.ts";

const looks = forStaffAndClients((clients) => {
  const seen = `($3::uuid[] is null or ${(clients ? tasksOfClient : workOfStaff)("$3::uuid[]")})`;
  const found = "t.id, t.title, t.company_id, t.project_id, t.due_date";
  return {
    byId: statement(`select ${found}, ${seen} as is_visible from unnest($2::uuid[]) w(id)
      join tasks t on t.organisation_id = $1 and t.id = w.id order by t.id for no key update of t`),
    byTitle: statement(`select ${found}, true as is_visible from unnest($2::text[]) w(title)
      join tasks t on t.organisation_id = $1 and t.title collate kantoor_text = w.title where ${seen} order by t.id for no key update of t`),
  };
});

const ROWS = forStaffAndClients((clients) =>
  statement(`select ${columns(Task, "t")}, client.word as company, project.name as project, roster.responsible, roster.assignees,
    roster.people, marked.labels, marked.label_ids
  from unnest($2::uuid[]) with ordinality w(id, n) join tasks t on t.organisation_id = $1 and t.id = w.id
  left join lateral (select ${clientWord("$3::uuid[]")} as word from companies c
    where c.organisation_id = t.organisation_id and c.id = t.company_id) client on true
  ${namedRecord("project", exportedProject(clients), "t.project_id", "$3::uuid[]")}
  cross join lateral (
    select min(a.email) filter (where p.is_primary) as responsible,
           coalesce(array_agg(a.email order by p.is_primary desc, p.created_at, p.position), '{}') as assignees,
           coalesce(json_agg(json_build_object('user_id', p.account_id, 'is_primary', p.is_primary)
                             order by p.is_primary desc, p.created_at, p.position), '[]') as people
      from task_assignees p join accounts a on a.id = p.account_id
     where p.organisation_id = t.organisation_id and p.task_id = t.id) roster
  cross join lateral (
    select coalesce(array_agg(l.name order by l.position, l.name collate kantoor_text, l.id), '{}') as labels,
           coalesce(array_agg(l.id), '{}') as label_ids
      from task_label_links k join task_labels l on l.organisation_id = k.organisation_id and l.id = k.label_id
     where k.organisation_id = t.organisation_id and k.task_id = t.id) marked
  order by w.n`),
);

const exported = forStaffAndClients((clients) =>
  exportedIds((clients ? clientTaskListing : taskListing).spec, 't.title collate "C", t.due_date, t.created_at, t.id'),
);

const checkCreate: CheckFor<typeof TaskCreate> = compileBody(TaskCreate, true);
const checkUpdate: CheckFor<typeof TaskUpdate> = compileBody(TaskUpdate, false);

type ListedTask = Identified & Pick<StoredTask, "title" | "company_id" | "project_id" | "due_date">;
type StoredRow = Values & StoredTask & { people: Assignee[]; assignees: string[]; labels: string[]; label_ids: string[] };

const readRows = (wanted: readonly string[]) => {
  const { organisation, principal } = request();
  return query<StoredRow>(ROWS(), [organisation.id, wanted, principal?.selection ?? null]);
};

/** Titles repeat: only title, client, project and due date together identify a task. */
const keyOf = (title: unknown, ...place: unknown[]): string => sameName([title, ...place.map((part) => part ?? "")].join(" "));

/** Matches rows to stored tasks and locks those: by id, then by title, client, project and due date together. */
async function match(rows: ImportRows, meanings: SheetMeanings) {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const identities: { id: string | undefined; number: undefined; name: string | undefined }[] = [];
  const titles = new Set<string>();
  for await (const row of rows) {
    const title = row["title"] as string | undefined;
    if (title !== undefined) titles.add(sameName(title));
    const { company_id, project_id } = meanings.placeOf(row);
    const name = title === undefined ? undefined : keyOf(title, company_id, project_id, row["due_date"]);
    identities.push({ id: row["id"] as string | undefined, number: undefined, name });
  }
  const given = [...new Set(identities.flatMap(({ id }) => id ?? []))];
  const { byId: textById, byTitle } = looks();
  const { byId, hidden } = knownIds(
    "task",
    given,
    await query<ListedTask>(textById, [organisation.id, askedIds("task", given), selection]),
  );
  const named = await query<ListedTask>(byTitle, [organisation.id, [...titles], selection]);
  const byName = Map.groupBy(named, ({ title, company_id, project_id, due_date }) =>
    keyOf(title, company_id, project_id, due_date),
  );
  return { matches: await matchRows<ListedTask>(identities, { byId, byNumber: new Map(), byName }), hidden };
}

async function create(given: string | undefined, { values, roster, labels }: ReadTask): Promise<Outcome> {
  const { due_change_reason: _reason, ...own } = values;
  const body: Values = { ...own, ...(roster && { assignees: roster }), ...(labels && { label_ids: labels }) };
  checkCreate(body);
  await createTask(body, undefined, given === undefined ? undefined : rememberedId("task", given));
  return "created";
}

async function change(stored: StoredRow, { values, roster, labels }: ReadTask): Promise<Outcome> {
  const { people, ...row } = stored;
  const before = { ...row, roster: people };
  requireWritable(before.roster);
  const body: Values = { ...newValues(before, values), ...(roster && { assignees: roster }) };
  checkUpdate(body);
  const isChanged = await changeTask(before, body);
  const isRelabelled = labels !== undefined && (await relabel(before.id, labels));
  return isChanged || isRelabelled ? "updated" : "unchanged";
}

async function open(rows: ImportRows): Promise<Opened> {
  const meanings = await SheetMeanings.open(rows);
  const { matches, hidden } = await match(rows, meanings);
  let stored = new Map<string, StoredRow>();

  const changed = (index: number): string | undefined => {
    const found = matches[index] as Match<ListedTask>;
    return "change" in found ? found.change.id : undefined;
  };

  return {
    words: meanings.words,
    namesakes: namesakesAmong(matches),
    async load(from, to) {
      const asked = Array.from({ length: to - from }, (_, place) => changed(from + place)).flatMap((id) => id ?? []);
      const found = asked.length > 0 ? await readRows(asked) : [];
      stored = new Map(found.map((row) => [row.id, row]));
    },
    async write(index) {
      const row = rows.at(index);
      const given = row["id"] as string | undefined;
      const found = matches[index] as Match<ListedTask>;
      if ("refuse" in found) return { [found.refuse === "id" ? "id" : "title"]: "errors.duplicate" };
      if ("create" in found && hidden.has(given ?? "")) return { id: "errors.not_found" };
      const before = "change" in found ? (stored.get(found.change.id) as StoredRow) : null;
      const read = meanings.read(row, before?.people ?? null);
      if ("refused" in read) return read.refused;
      const outcome = await (before ? change(before, read) : create(given, read)).catch(refusedBy);
      return typeof outcome === "string" ? outcome : peopleByColumn(row, outcome);
    },
  };
}

/** Tasks with their client, project, people and labels, all of which must exist already. */
export const task: ImpexEntity = {
  name: "task",
  plural: "tasks",
  read: "tasks.task.read",
  write: "tasks.task.write",
  needs: () => ["tasks.task.create"],
  firstUse: () => statusRules(),
  fields: TASK_COLUMNS,
  identity: { keys: [], names: ["title"] },
  matching:
    "Rows match on id if the file is an export, then on title, client, project and due date together. company is a client number, a name or an id, company_name a name, project a name or an id; status a key, a name or a term of other tools; responsible and assignees are e-mail addresses or full names of members, assignees the whole roster, separated by semicolons; labels are all labels, by name. A due date that moves later needs due_change_reason.",
  known: { columns: ["status", "labels", "responsible", "assignees"], open: () => SheetMeanings.known() },
  open,
  filters: taskQuery,
  ids: ({ q, updated_since, ...filters }) =>
    exported()({
      q: q as string | undefined,
      updated_since: updated_since as string | undefined,
      filters: taskFilters(filters),
    }),
  async rows(wanted) {
    const found = await readRows(wanted);
    return found.map((row) => ({ ...row, assignees: writeList(row.assignees), labels: writeList(row.labels) }));
  },
};
