import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { type AutomationOutcome, outcomeUnknown } from "../../../core/declare/automation.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { NotifyCall, WebhookCall } from "./action-configs.ts";
import { postWebhook } from "./webhook.ts";

const MEMBERS = statement("select account_id from memberships where organisation_id = $1 and account_id = any($2::uuid[])");

/** Only the job that runs rules calls these actions. */
const shared = { open: "the member who saved a rule has authorised its actions (platform §2.2)", needs: "everything" } as const;

/** Rule actions that belong to no other module. */
export default service("automation.actions", {
  actions: {
    notify: action({
      ...shared,
      summary: "Notify people about the record that triggered a rule",
      body: NotifyCall,
      writes: true,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const recipients = [...new Set(config.user_ids.map((id) => id.toLowerCase()))];
        const members = await query(MEMBERS, [ctx.meta.organisation.id, recipients]);
        if (members.length < recipients.length) throw notFound();
        const { message } = config;
        emit("automation.notify", trigger.entity_type, trigger.entity_id, { message, rule: trigger.rule_name, recipients });
        return { result: { user_ids: recipients } };
      },
    }),

    webhook: action({
      ...shared,
      summary: "Post the event that triggered a rule to another system",
      body: WebhookCall,
      writes: true,
      acts: "outside",
      // Runs before any transaction, so that none stays open during the request. Never repeats a request that may have been sent.
      prepare: async (ctx) => (request().mayHaveActed ? outcomeUnknown : postWebhook(ctx.params.body)),
      handler: (): AutomationOutcome => prepared<AutomationOutcome>(),
    }),
  },
});
