import { query } from "../../../core/database/query.ts";
import type { AutomationOutcome } from "../../../core/declare/automation.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { hasLeft } from "../../../mixins/assignees.ts";
import { service } from "../../../mixins/resource.ts";
import { NotifyCall, WebhookCall } from "./action-configs.ts";
import { postWebhook } from "./webhook.ts";

/**
 * Which of the accounts `$2` a message about a record of client `$3` (null for none) reaches: active colleagues who see that client. Accounts
 * that never were members are unknown.
 */
const RECIPIENTS = statement(`select p.id, m.account_id is not null or ${hasLeft("p.id")} as is_known,
    coalesce(m.is_live and not m.is_client
      and ($3::uuid is null or m.selection is null or $3 in (select selected_companies(m.selection))), false) as is_reached
  from unnest($2::uuid[]) with ordinality p(id, n)
  left join member_access m on m.organisation_id = $1 and m.account_id = p.id order by p.n`);

/** Only the job that runs rules calls these actions. */
const shared = { open: "the member who saved a rule has authorised its actions (platform §2.2)", needs: "everything" } as const;

/** Rule actions that belong to no other module. */
export default service("automation.actions", {
  actions: {
    notify: internal({
      ...shared,
      summary: "Notify people about the record that triggered a rule",
      body: NotifyCall,
      writes: true,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const named = [...new Set(config.user_ids.map((id) => id.toLowerCase()))];
        const values = [ctx.meta.organisation.id, named, trigger.company_id];
        const people = await query<{ id: string; is_known: boolean; is_reached: boolean }>(RECIPIENTS, values);
        if (people.some(({ is_known }) => !is_known)) throw notFound();
        const recipients = people.flatMap(({ id, is_reached }) => (is_reached ? [id] : []));
        if (recipients.length === 0) return { failed: "errors.automation_no_recipient" };
        const { message } = config;
        emit("automation.notify", trigger.entity_type, trigger.entity_id, { message, rule: trigger.rule_name, recipients });
        return { result: { user_ids: recipients } };
      },
    }),

    webhook: internal({
      ...shared,
      summary: "Post the event that triggered a rule to another system",
      body: WebhookCall,
      writes: true,
      acts: "outside",
      // Runs before any transaction, so that none stays open during the request. A node that takes over from one that died sends the message
      // again under its id.
      prepare: async (ctx) => postWebhook(ctx.params.body, request().workId as string),
      handler: (): AutomationOutcome => prepared<AutomationOutcome>(),
    }),
  },
});
