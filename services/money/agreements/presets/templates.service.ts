import { sinceQuery } from "../../../../core/database/lists/list.ts";
import type { UpdateOf } from "../../../../core/database/model.ts";
import { projection } from "../../../../core/database/projection.ts";
import { query } from "../../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../../core/database/write.ts";
import { action } from "../../../../core/declare/action.ts";
import { invalid } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { flag, list, optional, type Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../../core/trail/lost-references.ts";
import { trailEach } from "../../../../core/trail/trail.ts";
import { formatAmount } from "../../../../core/values/money.ts";
import { resource, rowsOf } from "../../../../mixins/resource.ts";
import { UNKNOWN_REFERENCE } from "../../refusals.ts";
import { SubscriptionTemplate } from "../models.ts";
import { referencesOf } from "../references.ts";
import { termsValues } from "../subscription-values.ts";
import { SubscriptionTemplateCreate, SubscriptionTemplateRead, SubscriptionTemplateUpdate } from "./template-schemas.ts";

const shown = projection({ model: SubscriptionTemplate, schema: SubscriptionTemplateRead });
const templates = rowsOf({
  model: SubscriptionTemplate,
  projection: shown,
  whole: { order: "t.position, t.name collate kantoor_text, t.id", by: { active: "boolean" } },
});

/** Agreements that still bear their preset's name, locked in id order. */
const RENAME = statement(`update subscriptions s set name = $4, version = s.version + 1, updated_at = statement_timestamp()
    from (select id from subscriptions where organisation_id = $1 and subscription_template_id = $2 and name = $3 order by id for update) n
   where s.organisation_id = $1 and s.id = n.id returning s.id`);

type SentTemplate = Static<typeof SubscriptionTemplateCreate> | Static<typeof SubscriptionTemplateUpdate>;

/** The stored values of a body; contains only sent fields. @throws 422 naming every field that breaks a rule */
function templateValues(sent: SentTemplate): UpdateOf<typeof SubscriptionTemplate> {
  const refused: Record<string, string> = {};
  const { name, amount, active, position } = sent;
  const values = {
    ...termsValues(sent, refused),
    name: name?.trim(),
    amount: amount === undefined ? undefined : formatAmount(amount),
    active,
    position,
  };
  if (values.name === "") refused["name"] = "errors.validation";
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}

/** Renames the agreements that still bear the preset's old name (money §9 "Price increase"). */
async function renameAgreements(templateId: string, from: string, to: string): Promise<void> {
  const renamed = await query<{ id: string }>(RENAME, [request().organisation.id, templateId, from, to]);
  const payload = { changes: { name: { from, to } } };
  trailEach(
    "subscription",
    "updated",
    renamed.map(({ id }) => ({ entityId: id, payload })),
  );
}

export default resource("subscriptions.templates", {
  model: SubscriptionTemplate,
  actions: {
    list: action({
      rest: "GET /subscriptions/templates",
      summary: "List the presets of agreements, by position and name",
      permission: "subscriptions.subscription.read",
      query: { include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(SubscriptionTemplateRead),
      handler({ params: { include_inactive: all, updated_since } }) {
        return templates.all({ active: all ? undefined : true, updated_since });
      },
    }),

    create: action({
      rest: "POST /subscriptions/templates",
      summary: "Create a preset of agreements",
      permission: "subscriptions.template.manage",
      body: SubscriptionTemplateCreate,
      example: {
        name: "Onderhoud website",
        amount: "99.00",
        interval: "monthly",
        included_hours: "2",
        subscription_type_id: "a0eecedf-0c1e-4a5b-8d2f-a0eecedf0001",
      },
      returns: SubscriptionTemplateRead,
      errors: [UNKNOWN_REFERENCE],
      async handler(ctx) {
        const values = templateValues(ctx.params.body);
        await referencesOf(values);
        return templates.answerWith(queueInsert(SubscriptionTemplate, { ...values, name: values.name as string }));
      },
    }),

    update: action({
      rest: "PATCH /subscriptions/templates/:template_id",
      summary: "Change a preset of agreements",
      description: "A new name also applies to agreements with the old one; new terms apply to new agreements only.",
      permission: "subscriptions.template.manage",
      body: SubscriptionTemplateUpdate,
      example: { amount: "105.00" },
      returns: SubscriptionTemplateRead,
      errors: [UNKNOWN_REFERENCE],
      async handler(ctx) {
        const { template_id: id, body } = ctx.params;
        const before = await templates.forWrite(id);
        const changed = differences(before, templateValues(body));
        if (changed) {
          await referencesOf(changed);
          // An increase starts from an amount that was set.
          const set = changed.amount === undefined ? {} : { increased_from: null, increased_on: null };
          queueUpdate(SubscriptionTemplate, id, { ...changed, ...set });
          if (changed.name !== undefined) await renameAgreements(id, before.name, changed.name);
        }
        return templates.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /subscriptions/templates/:template_id",
      summary: "Delete a preset; agreements made from it stay",
      permission: "subscriptions.template.manage",
      async handler(ctx) {
        const id = ctx.params.template_id;
        await templates.forWrite(id);
        await reportLostReferences(SubscriptionTemplate, [id]);
        queueRemove(SubscriptionTemplate, id);
      },
    }),
  },
});
