import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { flag, integer, list, optional, page, type Static } from "../../../core/schema/schema.ts";
import { JsonText, WrittenRow } from "../../../core/sql/json-text.ts";
import { resource } from "../../../mixins/resource.ts";
import { agreementsOf, fillBudgets } from "./budgets/budgets.ts";
import { budgetSources, type LinkedAgreement } from "./budgets/burn-down.ts";
import { hottestBudgets } from "./budgets/hottest-budgets.ts";
import { Project } from "./models.ts";
import { projectFilters, projectListing, projectQuery, projectRows, writtenProject } from "./project.list.ts";
import { DashboardBudgetProject, ProjectCreate, ProjectRead, ProjectUpdate } from "./project-schemas.ts";
import { changeProject, createProject, removeProject } from "./project-writes.ts";

export default resource("projects", {
  model: Project,
  actions: {
    list: action({
      rest: "GET /projects",
      summary: "List projects",
      description:
        "`hours` adds the burn-down of each project's budget in its current period, for staff who can read time entries; for all others it is null.",
      permission: "projects.project.read",
      query: { ...listQuery(projectListing.spec.sorts), ...projectQuery, hours: optional(flag(false)) },
      returns: page(ProjectRead),
      tool: {
        name: "find_project",
        description: "Finds projects by a part of their name, of one client or of all.",
        inArea: true,
        takes: ["q", "company_id", "status", "mine", "limit", "offset"],
      },
      async handler(ctx) {
        const found = await projectRows().page(ctx.params, projectFilters(ctx.params));
        if (!ctx.params.hours) return found;
        const listed = found.parse() as { items: Static<typeof ProjectRead>[] };
        await fillBudgets(ctx, listed.items, true);
        return listed;
      },
    }),

    create: action({
      rest: "POST /projects",
      summary: "Create a project",
      description: "Without its own roster it gets the starred person of its client.",
      permission: "projects.project.write",
      body: ProjectCreate,
      returns: ProjectRead,
      errors: ["invalid_assignee", "validation errors.inactive_member", "multiple_primary_assignees", "not_found"],
      async handler(ctx) {
        return projectRows().answerWith(await createProject(ctx.params.body));
      },
    }),

    dashboardBudgets: action({
      rest: "GET /projects/dashboard-budgets",
      summary: "Active projects that have spent the largest part of their budget",
      description: "Empty for client logins and for callers who cannot read time entries.",
      permission: "projects.project.read",
      query: { limit: optional(integer(1, 20, { default: 4 })) },
      returns: list(DashboardBudgetProject),
      handler: (ctx) => hottestBudgets(ctx, ctx.params.limit ?? 4),
    }),

    get: action({
      rest: "GET /projects/:project_id",
      summary: "Read one project",
      description: "`hours` as in the list.",
      permission: "projects.project.read",
      query: { hours: optional(flag(false)) },
      returns: ProjectRead,
      async handler(ctx) {
        const found = await projectRows().one(ctx.params.project_id);
        const project = found.parse() as Static<typeof ProjectRead>;
        await fillBudgets(ctx, [project], ctx.params.hours === true);
        return new JsonText(JSON.stringify(project), found.version);
      },
    }),

    update: action({
      rest: "PATCH /projects/:project_id",
      summary: "Change a project",
      permission: "projects.project.write",
      body: ProjectUpdate,
      returns: ProjectRead,
      errors: [
        "invalid_assignee",
        "validation errors.inactive_member",
        "multiple_primary_assignees",
        "conflict errors.projects_budget_hours_locked",
        "validation errors.projects_company_required",
      ],
      prepare: async (ctx) => (await agreementsOf(ctx, [ctx.params.project_id]))(ctx.params.project_id),
      async handler(ctx) {
        const id = ctx.params.project_id;
        const agreements = prepared<readonly LinkedAgreement[]>();
        await changeProject(await projectRows().forWrite(id), ctx.params.body, agreements);
        return new WrittenRow([writtenProject, [request().organisation.id, id, JSON.stringify(budgetSources(agreements))]]);
      },
    }),

    remove: action({
      rest: "DELETE /projects/:project_id",
      summary: "Delete a project",
      description: "Its tasks and hours stay, without a project; the trail survives.",
      permission: "projects.project.delete",
      async handler(ctx) {
        await removeProject(ctx.params.project_id);
      },
    }),
  },
});
