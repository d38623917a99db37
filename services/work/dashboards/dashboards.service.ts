import { sinceQuery } from "../../../core/database/lists/list.ts";
import { NOBODY_RESTRICTED } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { callerId, NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { integer, list, optional, readInstant } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import type { Statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { TaskListItem } from "../tasks/task-schemas.ts";
import { forStaffAndClients } from "../visibility.ts";
import { DashboardTaskGroup, DashboardTaskItem } from "./dashboard-schemas.ts";
import { groups, mine, mineOnDashboard } from "./open-tasks.ts";

/** Compiles a statement twice: without a selection, and with the caller's selection as its last value. */
const compiled = (make: (sources: string, clients: boolean) => Statement, slot: string) =>
  forStaffAndClients((clients) => ({ open: make(NOBODY_RESTRICTED, clients), selected: make(`${slot}::uuid[]`, clients) }));

const MINE = compiled(mine, "$5");
const ON_DASHBOARD = compiled(mineOnDashboard, "$5");
const GROUPS = compiled(groups, "$3");

async function listed(texts: ReturnType<typeof compiled>, values: readonly unknown[]): Promise<JsonText> {
  const { organisation, principal } = request();
  const sources = principal?.selection ?? null;
  const { open, selected } = texts();
  const given = [organisation.id, ...values];
  const row = await queryOne<{ items: string }>(
    sources === null ? open : selected,
    sources === null ? given : [...given, sources],
  );
  return new JsonText(row?.items ?? "[]");
}

const mineQuery = { limit: optional(integer(1, 100, { default: 20 })), ...sinceQuery };

/** Values for the lists of the caller's own open tasks. */
const asked = ({ limit = 20, updated_since: since }: { limit?: number; updated_since?: string }) => [
  callerId() ?? NO_PERSON,
  limit,
  since === undefined ? null : readInstant(since),
];

export default service("tasks.dashboards", {
  actions: {
    mine: action({
      rest: "GET /tasks/mine",
      summary: "The caller's own open tasks, those due first in front",
      permission: "tasks.task.read",
      query: mineQuery,
      returns: list(TaskListItem),
      tool: { name: "my_tasks", description: "The caller's own open tasks, those due first in front.", takes: ["limit"] },
      handler: (ctx) => listed(MINE, asked(ctx.params)),
    }),

    dashboardMine: action({
      rest: "GET /tasks/dashboard-mine",
      summary: "The caller's own open tasks with their clients",
      permission: "tasks.task.read",
      query: mineQuery,
      returns: list(DashboardTaskItem),
      handler: (ctx) => listed(ON_DASHBOARD, asked(ctx.params)),
    }),

    dashboardGroups: action({
      rest: "GET /tasks/dashboard-groups",
      summary: "Open tasks counted by project, else by client",
      permission: "tasks.task.read",
      returns: list(DashboardTaskGroup),
      handler: () => listed(GROUPS, [organisationToday()]),
    }),
  },
});
