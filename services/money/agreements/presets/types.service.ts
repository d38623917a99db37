import { sinceQuery } from "../../../../core/database/lists/list.ts";
import { projection } from "../../../../core/database/projection.ts";
import { enqueue, query } from "../../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../../core/database/write.ts";
import { action } from "../../../../core/declare/action.ts";
import { request } from "../../../../core/request/context.ts";
import { flag, list, optional } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../../core/trail/lost-references.ts";
import { resource, rowsOf } from "../../../../mixins/resource.ts";
import { badRequest, UNKNOWN_REFERENCE } from "../../refusals.ts";
import { SubscriptionType } from "../models.ts";
import { SubscriptionTypeCreate, SubscriptionTypeRead, SubscriptionTypeUpdate } from "./type-schemas.ts";

const LINKED = `(select coalesce(json_agg(l.task_template_id order by l.position), '[]') from subscription_type_task_templates l
  where l.organisation_id = t.organisation_id and l.subscription_type_id = t.id)`;
const shown = projection({ model: SubscriptionType, schema: SubscriptionTypeRead, columns: { task_template_ids: LINKED } });
const types = rowsOf({
  model: SubscriptionType,
  projection: shown,
  whole: { order: "t.position, t.key", by: { active: "boolean" } },
});

const KNOWN = statement("select id from task_templates where organisation_id = $1 and id = any($2::uuid[])");
const PRESENT = statement(`select task_template_id as id from subscription_type_task_templates
  where organisation_id = $1 and subscription_type_id = $2 order by position`);
const CLEAR = statement("delete from subscription_type_task_templates where organisation_id = $1 and subscription_type_id = $2");
const PUT =
  statement(`insert into subscription_type_task_templates (organisation_id, subscription_type_id, task_template_id, position)
  select $1, $2, u.id, u.n - 1 from unnest($3::uuid[]) with ordinality u(id, n)`);

/** The task templates of a body, without duplicates. @throws 400 `fields.task_template_ids` unless all exist */
async function templatesNamed(sent: readonly string[] | null | undefined): Promise<string[] | undefined> {
  if (sent === undefined) return undefined;
  const ids = [...new Set((sent ?? []).map((id) => id.toLowerCase()))];
  if (ids.length > 0 && (await query(KNOWN, [request().organisation.id, ids])).length < ids.length)
    throw badRequest({ task_template_ids: "errors.not_found" });
  return ids;
}

function storeTemplates(typeId: string, templates: readonly string[]): void {
  const place = [request().organisation.id, typeId];
  enqueue(CLEAR, place);
  if (templates.length > 0) enqueue(PUT, [...place, templates]);
}

export default resource("subscriptions.types", {
  model: SubscriptionType,
  actions: {
    list: action({
      rest: "GET /subscriptions/types",
      summary: "List the types of agreements, by position",
      permission: "subscriptions.subscription.read",
      query: { include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(SubscriptionTypeRead),
      handler({ params: { include_inactive: all, updated_since } }) {
        return types.all({ active: all ? undefined : true, updated_since });
      },
    }),

    create: action({
      rest: "POST /subscriptions/types",
      summary: "Create a type of agreement",
      description: "Its task templates are applied when an agreement of the type is first active.",
      permission: "subscriptions.type.manage",
      body: SubscriptionTypeCreate,
      example: { key: "maintenance", label_i18n: { nl: "Onderhoud", en: "Maintenance" } },
      returns: SubscriptionTypeRead,
      errors: [UNKNOWN_REFERENCE, "conflict"],
      async handler(ctx) {
        const { task_template_ids: sent, ...own } = ctx.params.body;
        const templates = await templatesNamed(sent);
        const id = queueInsert(SubscriptionType, own);
        if (templates) storeTemplates(id, templates);
        return types.answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /subscriptions/types/:type_id",
      summary: "Change a type of agreement; its key stays",
      permission: "subscriptions.type.manage",
      body: SubscriptionTypeUpdate,
      example: { label_i18n: { nl: "Onderhoud en hosting", en: "Maintenance and hosting" } },
      returns: SubscriptionTypeRead,
      errors: [UNKNOWN_REFERENCE],
      async handler(ctx) {
        const { type_id: id, body } = ctx.params;
        const { task_template_ids: sent, label_i18n: labels, ...own } = body;
        const before = await types.forWrite(id);
        const changed = differences(before, { ...own, label_i18n: labels === null ? {} : labels });
        const templates = await templatesNamed(sent);
        const present = templates && (await query<{ id: string }>(PRESENT, [ctx.meta.organisation.id, id]));
        const replaces = templates !== undefined && present?.map((one) => one.id).join() !== templates.join();
        if (replaces) storeTemplates(id, templates);
        if (changed || replaces) queueUpdate(SubscriptionType, id, changed ?? {});
        return types.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /subscriptions/types/:type_id",
      summary: "Delete a type of agreement; agreements stay, without a type",
      permission: "subscriptions.type.manage",
      async handler(ctx) {
        const id = ctx.params.type_id;
        await types.forWrite(id);
        await reportLostReferences(SubscriptionType, [id]);
        queueRemove(SubscriptionType, id);
      },
    }),
  },
});
