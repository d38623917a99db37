import { addDays } from "../../../core/calendar/calendar.ts";
import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { ByRevision } from "../../../core/request/by-revision.ts";
import { type RequestStore, request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { ableAmong, inherited } from "../../../mixins/assignees.ts";
import { rostersOf } from "../rosters/inheritance.ts";
import { TaskTemplateItem } from "../task-models.ts";
import { createTask } from "../tasks/writes/task-writes.ts";
import type { TemplateTask } from "./template-rows.ts";

/** A template with its items. */
interface Applied {
  readonly id: string;
  readonly name: string;
  readonly items: readonly TemplateTask[];
}

const WITH_ITEMS = `select t.id, t.name, held.items from task_templates t cross join lateral (
  select coalesce(json_agg(i order by i.position, i.id), '[]') as items
    from (select ${columns(TaskTemplateItem)} from task_template_items
           where organisation_id = t.organisation_id and template_id = t.id) i) held`;
const ONE = statement(`${WITH_ITEMS} where t.organisation_id = $1 and t.id = $2`);
const OF_STATUS =
  statement(`${WITH_ITEMS} where t.organisation_id = $1 and t.trigger_status = $2 and t.active and t.trigger = 'company_status'
  order by t.name collate kantoor_text, t.id`);
const STATUSES = statement(`select distinct trigger_status as status from task_templates
  where organisation_id = $1 and active and trigger = 'company_status' and trigger_status is not null`);
const ACTIVE = statement(`${WITH_ITEMS} where t.organisation_id = $1 and t.id = any($2::uuid[]) and t.active
  order by array_position($2::uuid[], t.id)`);

export async function templateToApply(id: string): Promise<Applied> {
  const template = await queryOne<Applied>(ONE, [request().organisation.id, id]);
  if (!template) throw notFound();
  return template;
}

/**
 * Creates one task per item of a template for a client, in order (work chapter §3.10): in the default status, due the item's number of days
 * after today, with a checklist if it has items. The assignee is the client's starred person if the item asks for that and there is one,
 * else the item's own; a colleague who left or is inactive is no reason to refuse, and gets nothing (work chapter §1).
 * @param projectId the project of the tasks
 * @returns the ids of the tasks
 * @throws 404 for a client or project the caller does not see
 */
export async function applyTemplate(
  { id, name, items }: Applied,
  companyId: string,
  projectId: string | null = null,
): Promise<string[]> {
  const { company } = await rostersOf({ company_id: items.some((item) => item.assign_responsible) ? companyId : null });
  const able = await ableAmong(items.flatMap(({ assignee_user_id: id }) => id ?? []));
  const today = organisationToday();
  const made: string[] = [];
  for (const item of items) {
    const own = item.assignee_user_id;
    const named = own === null ? [] : [{ user_id: own, is_primary: true, is_able: able.has(own) }];
    made.push(
      await createTask(
        {
          title: item.title,
          description: item.description,
          priority: item.priority,
          company_id: companyId,
          project_id: projectId,
          due_date: item.relative_due_days === null ? null : addDays(today, item.relative_due_days),
          allocated_minutes: item.allocated_minutes,
          requires_interaction: item.requires_interaction,
          ...(item.checklist_items.length > 0 && {
            checklist: { title: item.checklist_title ?? name, items: [...item.checklist_items] },
          }),
        },
        { action: "template_applied", payload: { template_id: id, template_name: name } },
        undefined,
        inherited(item.assign_responsible ? company : [], named),
      ),
    );
  }
  return made;
}

/** Statuses with an active template. */
const withTemplates = new ByRevision<ReadonlySet<string>>();
/** Templates by status, cached per request: an import moves many clients into one status. */
const read = new WeakMap<RequestStore, Map<string, readonly Applied[]>>();

async function mayHaveTemplates(status: string): Promise<boolean> {
  let known = withTemplates.get();
  if (!known) {
    const found = await query<{ status: string }>(STATUSES, [request().organisation.id]);
    withTemplates.keep((known = new Set(found.map((row) => row.status))));
  }
  return known.has(status);
}

async function templatesOf(status: string): Promise<readonly Applied[]> {
  const known = read.get(request()) ?? new Map<string, readonly Applied[]>();
  read.set(request(), known);
  const asked = async () =>
    (await mayHaveTemplates(status)) ? query<Applied>(OF_STATUS, [request().organisation.id, status]) : [];
  const found = known.get(status) ?? (await asked());
  known.set(status, found);
  return found;
}

/** Applies every active template of a status to a client that enters it, in that write's transaction (work chapter §3.10). */
export const applyByStatus: Hook<"company.status_entered"> = async ({ company_id: companyId, status }) => {
  for (const template of await templatesOf(status)) await applyTemplate(template, companyId);
};

/** Applies the active templates of an agreement's type on its first activation, in that write's transaction (work chapter §3.10). */
export const applyByAgreement: Hook<"subscription.activated"> = async ({ company_id: companyId, task_template_ids: ids }) => {
  if (ids.length === 0) return;
  for (const template of await query<Applied>(ACTIVE, [request().organisation.id, ids])) await applyTemplate(template, companyId);
};
