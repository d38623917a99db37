import { firstByRoster, personForOrder } from "../../../core/database/lists/first.ts";
import { linkedBy } from "../../../core/database/lists/linked.ts";
import { listing } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { callerId, NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { commaList, commaListed, flag, optional, uuid } from "../../../core/schema/schema.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { forStaffAndClients, projectsOfClient, projectsOfStaff } from "../visibility.ts";
import { Project } from "./models.ts";
import { PROJECT_STATUSES, ProjectRead } from "./project-schemas.ts";

/** How responses show a project; the agreements behind its budget are read separately and passed in as `sources`. */
const answered = (sources: string) =>
  projection({
    model: Project,
    schema: ProjectRead,
    columns: {
      company_name: "(select c.name from companies c where c.organisation_id = t.organisation_id and c.id = t.company_id)",
      assignees: "roster.people",
      responsible_user_id: "roster.primary_id",
      hours: "null::json",
      budget_sources: sources,
    },
    joins: `left join lateral (
      select coalesce(json_agg(json_build_object('user_id', pa.account_id, 'is_primary', pa.is_primary)
                               order by pa.is_primary desc, pa.created_at, pa.position), '[]') as people,
             (array_agg(pa.account_id) filter (where pa.is_primary))[1] as primary_id
        from project_assignees pa where pa.organisation_id = t.organisation_id and pa.project_id = t.id) roster on true`,
    keepsOrder: true,
  });

/** The one select behind every response with a project. */
export const projectProjection = answered("'[]'::json");
/** The same for the response to an update; `$3` holds the agreements as JSON. */
export const writtenProject = answered("$3::json").one();

/** The list of projects (work chapter §2.2). */
export const projectListing = listing(
  {
    table: "projects",
    searchable: true,
    order: "name",
    sorts: {
      name: { by: "t.name", text: true },
      status: { by: "t.status", text: true },
      assignee: {
        by: "sa.name",
        text: true,
        mayBeEmpty: true,
        join: `left join project_assignees sp on sp.organisation_id = t.organisation_id and sp.project_id = t.id and sp.is_primary
          ${personForOrder("sa", "sp.account_id")}`,
        first: firstByRoster({
          table: "projects",
          roster: "project_assignees",
          owner: "project_id",
          ties: "t.name collate kantoor_text, t.id",
        }),
      },
      start_date: { by: "t.start_date", mayBeEmpty: true },
      end_date: { by: "t.end_date", mayBeEmpty: true },
      budget_hours: { by: "t.budget_hours", mayBeEmpty: true },
      created_at: { by: "t.created_at" },
      updated_at: { by: "t.updated_at" },
    },
    filters: {
      company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
      status: { type: "text[]", when: (slot) => `t.status = any(${slot})` },
      unnamed: { type: "boolean", when: (slot) => `t.unnamed = ${slot}` },
      mine: linkedBy("project_assignees", "project_id", "account_id"),
      // A client login sees no projects without a client.
      of_client: { type: "boolean", when: (slot) => `(t.company_id is not null) = ${slot}` },
    },
    visible: projectsOfStaff,
    kept: { by: "status" },
  },
  projectProjection,
);

/** Projects of one company as its panel shows them: by status, active first, then by name. */
const panelListing = listing(
  {
    table: "projects",
    order: "status_order",
    ties: "name",
    sorts: {
      status_order: { by: `array_position(array['${PROJECT_STATUSES.join("', '")}'], t.status)`, unnamed: true, unindexed: true },
      name: { by: "t.name", text: true },
    },
    filters: {
      company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
      of_client: { type: "boolean", when: (slot) => `(t.company_id is not null) = ${slot}` },
    },
    visible: projectsOfStaff,
  },
  projectProjection,
);

/** The same rows as `projectRows`, in panel order. */
export const panelProjects = forStaffAndClients((clients) =>
  rowsOf({
    model: Project,
    projection: projectProjection,
    listing: panelListing,
    visible: clients ? projectsOfClient : projectsOfStaff,
  }),
);

/** The projects that the current request sees. */
export const projectRows = forStaffAndClients((clients) =>
  rowsOf({
    model: Project,
    projection: projectProjection,
    listing: projectListing,
    visible: clients ? projectsOfClient : projectsOfStaff,
  }),
);

/** Parameters of the list other than search and order; an export accepts the same. */
export const projectQuery = {
  company_id: optional(uuid()),
  status: optional(
    commaList(200, PROJECT_STATUSES, { description: "Comma-separated statuses; absent means every status, archived included" }),
  ),
  unnamed: optional(flag()),
  mine: optional(flag(false)),
};

interface ProjectQuery {
  company_id?: string | undefined;
  status?: string | undefined;
  unnamed?: boolean | undefined;
  mine?: boolean | undefined;
}

/** Converts the parameters to filters of the listing. */
export function projectFilters({ company_id, status, unnamed, mine }: ProjectQuery): Record<string, unknown> {
  const { principal } = request();
  return {
    company_id,
    status: commaListed(status),
    unnamed,
    mine: mine ? (callerId() ?? NO_PERSON) : undefined,
    of_client: principal?.isClientLogin ? true : undefined,
  };
}
