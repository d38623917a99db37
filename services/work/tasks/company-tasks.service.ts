import { queryOne } from "../../../core/database/query.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { forStaffAndClients } from "../visibility.ts";
import { taskFilters, taskList } from "./task-rows.ts";

/** Tasks in a company's panel (clients chapter §3.8). */
const IN_PANEL = 50;

/** Counts the open tasks of a company the caller sees; for a client login only those visible to clients. */
const OPEN = forStaffAndClients((clients) =>
  statement(`select count(*)::int as open, count(*) filter (where t.due_date < $3::date)::int as overdue from tasks t
    join task_statuses s on s.organisation_id = t.organisation_id and s.key = t.status and not s.is_terminal
    where t.organisation_id = $1 and t.company_id = $2${clients ? " and t.visible_to_client" : ""}`),
);

interface Open {
  open: number;
  overdue: number;
}

async function openTasks(companyId: string): Promise<Open> {
  const found = await queryOne<Open>(OPEN(), [request().organisation.id, companyId, organisationToday()]);
  return found as Open;
}

export default service("tasks.company", {
  actions: {
    panel: internal({
      summary: "The first tasks of a company, and how many are open",
      permission: "tasks.task.read",
      contributes: { panel: { entity: "company", key: "tasks.company", position: 30 } },
      async handler(ctx) {
        const { company_id } = ctx.params;
        const [found, { open: open_count }] = await Promise.all([
          taskList(true, false).page({ limit: IN_PANEL, count: false }, taskFilters({ company_id })),
          openTasks(company_id),
        ]);
        return { items: (found.parse() as { items: object[] }).items, open_count };
      },
    }),

    tile: internal({
      summary: "Open tasks, and the number of overdue ones",
      permission: "tasks.task.read",
      contributes: { tile: { entity: "company", key: "tasks.open", position: 20 } },
      async handler(ctx) {
        const { open, overdue } = await openTasks(ctx.params.company_id);
        if (open === 0) return null;
        if (overdue === 0) return { value: String(open) };
        return { value: String(open), tone: "bad", hint_key: "summary.tasks.overdue", hint_params: { count: overdue } };
      },
    }),
  },
});
