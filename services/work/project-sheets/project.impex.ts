import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import type { CustomValues } from "../../../core/custom-fields/values.ts";
import { columns, type RowOf } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import { mergedCustom, newValues } from "../../../core/impex/changes.ts";
import type { ImpexEntity, ImportRows, Opened, Outcome, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import { askedIds, type Identified, knownIds, rememberedId } from "../../../core/impex/identity.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { type Match, matchRows, namesakesAmong, sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import type { Assignee } from "../../../core/rules/roster.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { clientWord, type Named, NamedClients } from "../../../mixins/named/named-clients.ts";
import { NamedPeople } from "../impex/named-people.ts";
import { peopleByColumn, rosterOfRow } from "../impex/roster-of-row.ts";
import type { LinkedAgreement } from "../projects/budgets/burn-down.ts";
import { Project } from "../projects/models.ts";
import { projectFilters, projectListing, projectQuery } from "../projects/project.list.ts";
import { ProjectCreate, ProjectUpdate } from "../projects/project-schemas.ts";
import { withNumbers } from "../projects/project-values.ts";
import { changeProject, createProject } from "../projects/project-writes.ts";
import { forStaffAndClients, projectsOfClient, projectsOfStaff } from "../visibility.ts";
import { linkedAgreements } from "./linked-agreements.ts";
import { PROJECT_COLUMNS } from "./project-columns.ts";

const looks = forStaffAndClients((clients) => {
  const seen = `($3::uuid[] is null or ${(clients ? projectsOfClient : projectsOfStaff)("$3::uuid[]")})`;
  return {
    byId: statement(`select t.id, t.name, t.company_id, ${seen} as is_visible from unnest($2::uuid[]) w(id)
      join projects t on t.organisation_id = $1 and t.id = w.id order by t.id for no key update of t`),
    byName: statement(`select t.id, t.name, t.company_id, true as is_visible from unnest($2::text[]) w(name)
      join projects t on t.organisation_id = $1 and t.name collate kantoor_text = w.name where ${seen} order by t.id for no key update of t`),
  };
});

const ROWS =
  statement(`select ${columns(Project, "t")}, client.word as company, roster.responsible, roster.assignees, roster.people
  from unnest($2::uuid[]) with ordinality w(id, n) join projects t on t.organisation_id = $1 and t.id = w.id
  left join lateral (select ${clientWord("$3::uuid[]")} as word from companies c
    where c.organisation_id = t.organisation_id and c.id = t.company_id) client on true
  cross join lateral (
    select min(a.email) filter (where p.is_primary) as responsible,
           coalesce(array_agg(a.email order by p.is_primary desc, p.created_at, p.position), '{}') as assignees,
           coalesce(json_agg(json_build_object('user_id', p.account_id, 'is_primary', p.is_primary)
                             order by p.is_primary desc, p.created_at, p.position), '[]') as people
      from project_assignees p join accounts a on a.id = p.account_id
     where p.organisation_id = t.organisation_id and p.project_id = t.id) roster
  order by w.n`);
const ids = exportedIds(projectListing.spec, 't.name collate "C", t.created_at, t.id');

const checkCreate: CheckFor<typeof ProjectCreate> = compileBody(ProjectCreate, true);
const checkUpdate: CheckFor<typeof ProjectUpdate> = compileBody(ProjectUpdate, false);

type StoredProject = Identified & { name: string; company_id: string | null };
type StoredRow = RowOf<typeof Project> & { people: Assignee[] };

const readRows = (wanted: readonly string[]) => {
  const { organisation, principal } = request();
  return query<Values & StoredRow>(ROWS, [organisation.id, wanted, principal?.selection ?? null]);
};

/** The client a row names, with the column that names it; null if neither column does. */
function clientOf(row: Values, clients: NamedClients): (Named & { column: string }) | null {
  const [word, name] = [row["company"], row["company_name"]] as (string | undefined)[];
  const found = word === undefined ? undefined : clients.of(word.trim());
  if (found && ("id" in found || name === undefined)) return { ...found, column: "company" };
  return name === undefined ? null : { ...clients.of(name.trim()), column: "company_name" };
}

/** The lookup key of a project's name, within its client if the row names one. */
const keyOf = (name: string, companyId = ""): string => sameName(`${companyId} ${name}`);

/** Matches rows to stored projects and locks those: by id, then by a name that is unique within the client. */
async function match(rows: ImportRows, clients: NamedClients) {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const identities: { id: string | undefined; number: undefined; name: string | undefined }[] = [];
  const names = new Set<string>();
  for await (const row of rows) {
    const [id, name] = [row["id"], row["name"]] as (string | undefined)[];
    const client = clientOf(row, clients);
    if (name !== undefined) names.add(sameName(name));
    const companyId = client && "id" in client ? client.id : undefined;
    identities.push({ id, number: undefined, name: name === undefined ? undefined : keyOf(name, companyId) });
  }
  const given = [...new Set(identities.flatMap(({ id }) => id ?? []))];
  const { byId: textById, byName: textByName } = looks();
  const { byId, hidden } = knownIds(
    "project",
    given,
    await query<StoredProject>(textById, [organisation.id, askedIds("project", given), selection]),
  );
  const named = await query<StoredProject>(textByName, [organisation.id, [...names], selection]);
  const byName = Map.groupBy(
    named.flatMap((one) => [
      { key: keyOf(one.name), one },
      ...(one.company_id === null ? [] : [{ key: keyOf(one.name, one.company_id), one }]),
    ]),
    ({ key }) => key,
  );
  const found = new Map([...byName].map(([key, list]) => [key, list.map(({ one }) => one)]));
  return { matches: await matchRows<StoredProject>(identities, { byId, byNumber: new Map(), byName: found }), hidden };
}

const OWN = new Set(
  PROJECT_COLUMNS.map(({ key }) => key).filter(
    (key) => !["id", "company", "company_name", "responsible", "assignees"].includes(key),
  ),
);

/** The row's values of the project itself, as a request body has them. */
function ownValues(row: Values, companyId: string | undefined): Values {
  const values = Object.fromEntries(Object.entries(row).filter(([key]) => OWN.has(key) || key === "custom"));
  for (const key of ["budget_hours", "budget_amount"]) if (values[key] !== undefined) values[key] = Number(values[key]);
  return { ...values, ...(companyId !== undefined && { company_id: companyId }) };
}

/** Errors of a row by its columns. */
const asColumns = (refused: Refused): Refused =>
  Object.fromEntries(Object.entries(refused).map(([field, error]) => [field === "company_id" ? "company" : field, error]));

async function open(rows: ImportRows): Promise<Opened> {
  const words = new Set<string>();
  for await (const row of rows)
    for (const word of [row["company"], row["company_name"]] as (string | undefined)[])
      if (word !== undefined) words.add(word.trim());
  const clients = await NamedClients.open(words);
  const people = await NamedPeople.open();
  const { matches, hidden } = await match(rows, clients);
  let stored = new Map<string, Values & StoredRow>();
  let agreements: ReadonlyMap<string, readonly LinkedAgreement[]> = new Map();

  const changed = (index: number): string | undefined => {
    const found = matches[index] as Match<StoredProject>;
    return "change" in found ? found.change.id : undefined;
  };

  async function create(row: Values, companyId: string | undefined): Promise<Outcome> {
    if (hidden.has(row["id"] as string)) return { id: "errors.not_found" };
    const roster = rosterOfRow(row, people, null);
    if ("refused" in roster) return roster.refused;
    const body: Values = { ...ownValues(row, companyId), ...(roster.assignees && { assignees: roster.assignees }) };
    checkCreate(body);
    const given = row["id"] as string | undefined;
    await createProject(body, given === undefined ? undefined : rememberedId("project", given));
    return "created";
  }

  async function change(before: Values & StoredRow, row: Values, companyId: string | undefined): Promise<Outcome> {
    const roster = rosterOfRow(row, people, before.people);
    if ("refused" in roster) return roster.refused;
    const { custom: given, ...values } = ownValues(row, companyId);
    const custom = mergedCustom(before.custom, given as CustomValues | undefined, await activeDefinitions("project"));
    const body: Values = {
      ...newValues(withNumbers(before), values),
      ...(custom && { custom }),
      ...(roster.assignees && { assignees: roster.assignees }),
    };
    if (Object.keys(body).length === 0) return "unchanged";
    checkUpdate(body);
    return (await changeProject(before, body, agreements.get(before.id))) ? "updated" : "unchanged";
  }

  return {
    namesakes: namesakesAmong(matches),
    async load(from, to) {
      const asked = Array.from({ length: to - from }, (_, place) => changed(from + place)).flatMap((id) => id ?? []);
      const found = asked.length > 0 ? await readRows(asked) : [];
      stored = new Map(found.map((row) => [row.id, row]));
      agreements = await linkedAgreements(asked);
    },
    async write(index) {
      const row = rows.at(index);
      const found = matches[index] as Match<StoredProject>;
      if ("refuse" in found) return { [found.refuse === "id" ? "id" : "name"]: "errors.duplicate" };
      const client = clientOf(row, clients);
      if (client && "error" in client) return { [client.column]: client.error };
      const work = "create" in found ? create(row, client?.id) : change(stored.get(found.change.id) as never, row, client?.id);
      const outcome = await work.catch(refusedBy);
      return typeof outcome === "string" ? outcome : peopleByColumn(row, asColumns(outcome));
    },
  };
}

/** Projects, each with its client and its people, all of which must exist already. */
export const project: ImpexEntity = {
  name: "project",
  plural: "projects",
  read: "projects.project.read",
  write: "projects.project.write",
  custom: "project",
  fields: PROJECT_COLUMNS,
  identity: { keys: [], names: ["name"] },
  matching:
    "Rows match on id if the file is an export, then on the name within the client. company is a client number, a name or an id, company_name a name; responsible and assignees are e-mail addresses or full names of members, assignees the whole roster, separated by semicolons.",
  known: {
    columns: ["responsible", "assignees"],
    async open() {
      const { known } = await NamedPeople.open();
      return { responsible: known, assignees: known };
    },
  },
  open,
  filters: projectQuery,
  ids: ({ q, updated_since, ...filters }) =>
    ids({
      q: q as string | undefined,
      updated_since: updated_since as string | undefined,
      filters: projectFilters(filters),
    }),
  rows: readRows,
};
