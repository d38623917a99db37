import { internal } from "../../../core/declare/makers/internal.ts";
import { hangingOn, openWorkOf } from "../../../mixins/open-work.ts";
import { service } from "../../../mixins/resource.ts";

/** Agreements that have not been active yet, and whose first activation makes a task for the person. */
const PENDING = hangingOn(`select t.id, t.name as title, t.company_id from subscriptions t
  where t.organisation_id = $1 and t.activated_at is null and exists (select from subscription_type_task_templates l
    join task_templates k on k.organisation_id = l.organisation_id and k.id = l.task_template_id and k.active
    join task_template_items i on i.organisation_id = k.organisation_id and i.template_id = k.id
    where l.organisation_id = t.organisation_id and l.subscription_type_id = t.subscription_type_id and i.assignee_user_id = $2)`);

/** The agreements whose activation makes work for a member. */
export default service("subscriptions.openWork", {
  actions: {
    list: internal({
      summary: "The agreements that hang on a member",
      permission: "subscriptions.subscription.read",
      contributes: { openWork: true },
      handler: (ctx) => openWorkOf(ctx.params.user_id, { agreement: PENDING }),
    }),
  },
});
