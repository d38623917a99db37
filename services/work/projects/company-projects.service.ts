import { internal } from "../../../core/declare/makers/internal.ts";
import { service } from "../../../mixins/resource.ts";
import { panelProjects, projectFilters } from "./project.list.ts";

/** Projects in a company's panel (clients chapter §3.8). */
const IN_PANEL = 5;

export default service("projects.company", {
  actions: {
    panel: internal({
      summary: "The first projects of a company, active ones first, and their number",
      permission: "projects.project.read",
      contributes: { panel: { entity: "company", key: "projects.company", position: 25 } },
      async handler(ctx) {
        const { company_id } = ctx.params;
        const found = await panelProjects().page({ limit: IN_PANEL }, projectFilters({ company_id }));
        const { items, total } = found.parse() as { items: object[]; total: number };
        return { items, total };
      },
    }),
  },
});
