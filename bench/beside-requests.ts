import { type Agency, AMOUNTS, type Compared } from "./beside-sides.ts";
import { NEW_COMPANY, rareWords } from "./companies.ts";

/** One kind of request to all servers of the comparison. */
export interface Question {
  name: string;
  /** Least rate of Kantoor as a multiple of the bare server's; null where there is no aim. */
  aim: number | null;
  /** Number of rows that an answer has; null for one row. */
  rows: number | null;
  requests(side: Compared): string[];
}

const PEOPLE = (of: string) =>
  `${of}AssigneesByOrganisationIdAnd${of === "company" ? "Company" : "Task"}Id { nodes { accountId isPrimary } }`;
const COMPANY = `rowId organisationId name legalName clientNumber website phone vatNumber cocNumber addressLine1 houseNumber addressLine2
  postalCode city notes invoiceEmail country status logoFileId custom createdAt updatedAt ${PEOPLE("company")}`;
const TASK = `rowId organisationId companyId projectId title unnamed description status priority dueDate assigneeContactId allocatedMinutes
  position completedAt requiresInteraction closingInteractionId visibleToClient recurrence recurrenceNextRun aiStatus createdAt updatedAt
  ${PEOPLE("task")}`;
const LABELS =
  "taskLabelLinksByOrganisationIdAndTaskId { nodes { taskLabelByOrganisationIdAndLabelId { rowId name color position } } }";
const LISTED = `${TASK} ${LABELS} taskCommentsByOrganisationIdAndTaskId { totalCount }
  taskChecklistsByOrganisationIdAndTaskId { nodes { taskChecklistItemsByOrganisationIdAndChecklistId { totalCount } } }`;
const WHOLE = `${TASK} ${LABELS} taskCommentsByOrganisationIdAndTaskId { nodes { rowId body authorAccountId createdAt } }
  taskChecklistsByOrganisationIdAndTaskId { nodes { rowId title taskChecklistItemsByOrganisationIdAndChecklistId { nodes { rowId title done } } } }`;
const QUERIES = {
  clients: `{ allCompanies(first: 50, orderBy: [CREATED_AT_DESC]) { nodes { ${COMPANY} } totalCount } }`,
  clientsUncounted: `{ allCompanies(first: 50, orderBy: [CREATED_AT_DESC]) { nodes { ${COMPANY} } } }`,
  search: `query ($q: String!) { benchSearchCompanies(q: $q, first: 50) { nodes { ${COMPANY} } } }`,
  client: `query ($id: UUID!) { companyByRowId(rowId: $id) { ${COMPANY} } }`,
  updateClient: `mutation ($id: UUID!, $patch: CompanyPatch!) { updateCompanyByRowId(input: { rowId: $id, companyPatch: $patch }) { company { ${COMPANY} } } }`,
  createClient: `mutation ($company: CompanyInput!) { createCompany(input: { company: $company }) { company { ${COMPANY} } } }`,
  tasks: `{ allTasks(first: 50, orderBy: [POSITION_ASC]) { nodes { ${LISTED} } totalCount } }`,
  task: `query ($id: UUID!) { taskByRowId(rowId: $id) { ${WHOLE} } }`,
  updateTask: `mutation ($id: UUID!, $patch: TaskPatch!) { updateTaskByRowId(input: { rowId: $id, taskPatch: $patch }) { task { ${TASK} } } }`,
  createTask: `mutation ($task: TaskInput!) { createTask(input: { task: $task }) { task { ${TASK} } } }`,
};

const COMPANY_BODY = { ...NEW_COMPANY, client_number: "N{n}" };
/** A column's name in PostGraphile. */
const camel = (body: object) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name.replace(/_./g, (part) => part.slice(1).toUpperCase()), value]),
  );

/** The requests of the comparison: reads first, as writes enlarge the tables. */
export function questionsOf({ id: organisationId, companies, tasks }: Agency): Question[] {
  /** The same request to each server: by its route, or as a query with variables. */
  const each =
    (
      [method, target, body]: [method: string, target: string, body?: object],
      query: keyof typeof QUERIES,
      variables?: object,
    ): ((side: Compared) => string) =>
    (side) =>
      side.name === "PostGraphile"
        ? side.ask("POST", "/graphql", { query: QUERIES[query].replace(/\s+/g, " "), ...(variables && { variables }) })
        : side.ask(method, target, body);
  const all = (made: readonly ((side: Compared) => string)[]) => (side: Compared) => made.map((one) => one(side));
  const [renamed, retitled] = [{ name: "Bakker Advies {n}", city: "Plaats {n}" }, { title: "Changed task {n}" }];
  const task = { title: "New task {n}", company_id: companies[0], status: "open" };
  return [
    {
      name: "50 clients with their total",
      aim: null,
      rows: 50,
      requests: all([each(["GET", "/companies?limit=50&sort=-created_at"], "clients")]),
    },
    {
      name: "50 clients",
      aim: null,
      rows: 50,
      requests: all([each(["GET", "/companies?limit=50&sort=-created_at&count=false"], "clientsUncounted")]),
    },
    {
      name: "clients with a rare word",
      aim: null,
      rows: 1,
      requests: all(
        rareWords(AMOUNTS.companies).map((q) =>
          each(["GET", `/companies?limit=50&sort=-created_at&count=false&q=${q}`], "search", { q }),
        ),
      ),
    },
    { name: "50 tasks with their total", aim: null, rows: 50, requests: all([each(["GET", "/tasks?limit=50"], "tasks")]) },
    {
      name: "one client",
      aim: 0.6,
      rows: null,
      requests: all(companies.map((id) => each(["GET", `/companies/${id}`], "client", { id }))),
    },
    {
      name: "one whole task",
      aim: 0.6,
      rows: null,
      requests: all(tasks.map((id) => each(["GET", `/tasks/${id}`], "task", { id }))),
    },
    {
      name: "change a client",
      aim: 0.5,
      rows: null,
      requests: all(companies.map((id) => each(["PATCH", `/companies/${id}`, renamed], "updateClient", { id, patch: renamed }))),
    },
    {
      name: "change a task",
      aim: 0.5,
      rows: null,
      requests: all(tasks.map((id) => each(["PATCH", `/tasks/${id}`, retitled], "updateTask", { id, patch: retitled }))),
    },
    {
      name: "create a client",
      aim: 0.5,
      rows: null,
      requests: all([
        each(["POST", "/companies", COMPANY_BODY], "createClient", { company: { organisationId, ...camel(COMPANY_BODY) } }),
      ]),
    },
    {
      name: "create a task",
      aim: 0.5,
      rows: null,
      requests: all([each(["POST", "/tasks", task], "createTask", { task: { organisationId, position: 1024, ...camel(task) } })]),
    },
  ];
}
