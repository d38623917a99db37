import { type AutomationOutcome, unusableConfig } from "../../../core/declare/automation.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { canStillGetWork } from "../../../mixins/assignees.ts";
import { service } from "../../../mixins/resource.ts";
import { addComment } from "../comments/comment-writes.ts";
import { addLabel } from "../labels/label-writes.ts";
import { requireReferences } from "../references.ts";
import { inheritedFrom } from "../rosters/inheritance.ts";
import { knownStatuses } from "../statuses/status-rows.ts";
import { lockTask } from "../task-access.ts";
import { changeTask } from "../tasks/writes/task-changes.ts";
import { createTask } from "../tasks/writes/task-writes.ts";
import { applyTemplate, templateToApply } from "../templates/template-application.ts";
import { AddLabelCall, AssignCall, CommentCall, CreateCall, SetStatusCall } from "./automation-configs.ts";

/** Only for the job that runs rules. */
const shared = {
  open: "the member who saved a rule has authorised its actions (platform §2.2)",
  needs: "everything",
  writes: true,
} as const;

/** Whether a colleague can get work. For a rule, a person who never was one does not exist (platform §2.5). @throws 404 */
async function isAble(person: string): Promise<boolean> {
  const found = await canStillGetWork(person);
  if (found === null) throw notFound();
  return found;
}

interface Trigger {
  readonly entity_type: string;
  readonly entity_id: string;
}

/** The task of an action: the one it names, else the one that triggered the rule; null if a different record did. */
const taskOf = ({ task_id }: { task_id?: string }, { entity_type, entity_id }: Trigger): string | null =>
  task_id?.toLowerCase() ?? (entity_type === "task" ? entity_id : null);

/** Actions of automation rules on tasks, through the same functions as every other path. */
export default service("tasks.automation", {
  actions: {
    create: internal({
      ...shared,
      summary: "Make a task, or those of a template",
      body: CreateCall,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const { template_id, title = "", assignee_user_id, ...sent } = config;
        const company_id = sent.company_id ?? trigger.company_id;
        if (template_id !== undefined) {
          if (company_id === null) return unusableConfig;
          await requireReferences({ company_id });
          return { result: { task_ids: await applyTemplate(await templateToApply(template_id), company_id) } };
        }
        if (title.trim() === "") return unusableConfig;
        const named = assignee_user_id?.toLowerCase();
        const isNamed = named !== undefined && (await isAble(named));
        const body = { ...sent, title, company_id, ...(isNamed && { assignee_user_id: named }) };
        // The work of a person who is inactive goes to the next one, as if the rule named nobody (work §1).
        const passedOver = named === undefined || isNamed ? [] : [[{ user_id: named, is_primary: true, is_able: false }]];
        const people = passedOver.length > 0 ? await inheritedFrom(body, ...passedOver) : undefined;
        return { result: { task_ids: [await createTask(body, { action: "created", payload: {} }, undefined, people)] } };
      },
    }),

    setStatus: internal({
      ...shared,
      summary: "Move a task to another status",
      description: "Finishing stamps it as ever; deadline reason, closing moment and recurrence are left to people.",
      body: SetStatusCall,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const id = taskOf(config, trigger);
        if (id === null) return unusableConfig;
        const { status } = config;
        const [before, statuses] = await Promise.all([lockTask(id), knownStatuses()]);
        await changeTask(before, { status }, statuses, { isAutomated: true });
        return { result: { task_id: id, status } };
      },
    }),

    assign: internal({
      ...shared,
      summary: "Assign a task to a member",
      body: AssignCall,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const id = taskOf(config, trigger);
        if (id === null) return unusableConfig;
        const assignee_user_id = config.user_id.toLowerCase();
        if (!(await isAble(assignee_user_id))) return { failed: "errors.inactive_member" };
        await changeTask(await lockTask(id), { assignee_user_id }, undefined, { isAutomated: true });
        return { result: { task_id: id, assignee_user_id } };
      },
    }),

    addLabel: internal({
      ...shared,
      summary: "Add a label to a task",
      body: AddLabelCall,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const id = taskOf(config, trigger);
        if (id === null) return unusableConfig;
        const label_id = config.label_id.toLowerCase();
        await lockTask(id);
        await addLabel(id, label_id);
        return { result: { task_id: id, label_id } };
      },
    }),

    comment: internal({
      ...shared,
      summary: "Comment on a task as the system",
      body: CommentCall,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const id = taskOf(config, trigger);
        if (id === null) return unusableConfig;
        return { result: { task_id: id, comment_id: await addComment(await lockTask(id), { body: config.body }) } };
      },
    }),
  },
});
