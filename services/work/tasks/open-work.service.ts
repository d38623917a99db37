import { internal } from "../../../core/declare/makers/internal.ts";
import { hangingOn, openWorkOf } from "../../../mixins/open-work.ts";
import { service } from "../../../mixins/resource.ts";
import { CLIENT_OF } from "../clients-of-work.ts";
import { ON_ROSTER, OPEN, onRoster } from "../open-tasks.ts";

/** SQL: whether task `t` carries a rule that makes work for a person. */
export const carriesFor = (slot: string): string =>
  `(t.recurrence is not null and (${onRoster(slot)} or (t.recurrence -> 'plan' ->> 'user_id')::uuid = ${slot}))`;

const work = (which: string): string =>
  `select t.id, t.title, ${CLIENT_OF} as company_id from tasks t where t.organisation_id = $1 and ${which}`;
const TASKS = hangingOn(work(`t.id = any(array(${ON_ROSTER.ids("$2::uuid")})) and ${OPEN}`));
const SERIES = hangingOn(work(carriesFor("$2::uuid")));
const TEMPLATES = hangingOn(`select t.id, t.name as title, null::uuid as company_id from task_templates t
  where t.organisation_id = $1 and exists (select from task_template_items i
    where i.organisation_id = t.organisation_id and i.template_id = t.id and i.assignee_user_id = $2)`);

/** The tasks, series and templates that name a member. */
export default service("tasks.openWork", {
  actions: {
    list: internal({
      summary: "The open tasks and series that hang on a member",
      permission: "tasks.task.read",
      contributes: { openWork: true },
      handler: (ctx) => openWorkOf(ctx.params.user_id, { task: TASKS, series: SERIES }),
    }),

    templates: internal({
      summary: "The task templates that name a member",
      permission: "tasks.template.apply",
      contributes: { openWork: true },
      handler: (ctx) => openWorkOf(ctx.params.user_id, { template: TEMPLATES }),
    }),
  },
});
