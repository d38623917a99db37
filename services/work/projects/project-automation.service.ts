import { lock } from "../../../core/database/write.ts";
import { type AutomationOutcome, unusableConfig } from "../../../core/declare/automation.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { canStillGetWork } from "../../../mixins/assignees.ts";
import { service } from "../../../mixins/resource.ts";
import { Project } from "./models.ts";
import { AssignProjectCall, SetProjectStatusCall } from "./project-automation-configs.ts";
import { changeProject } from "./project-writes.ts";

/** Only for the job that runs rules. */
const shared = {
  open: "the member who saved a rule has authorised its actions (platform §2.2)",
  needs: "everything",
  writes: true,
} as const;

interface Trigger {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly payload: unknown;
}

/** The project of an action: the one it names, else the one that triggered the rule or that its event names; null without one. */
function projectOf({ project_id }: { project_id?: string }, { entity_type, entity_id, payload }: Trigger): string | null {
  if (project_id !== undefined) return project_id.toLowerCase();
  if (entity_type === "project") return entity_id;
  const named = (payload as { project_id?: unknown }).project_id;
  return typeof named === "string" ? named : null;
}

/** The project, locked. @throws 404 */
async function lockProject(id: string) {
  const project = await lock(Project, id);
  if (!project) throw notFound();
  return project;
}

/** Actions of automation rules on projects, through the same function as every other path. */
export default service("projects.automation", {
  actions: {
    setStatus: internal({
      ...shared,
      summary: "Move a project to another status",
      body: SetProjectStatusCall,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const id = projectOf(config, trigger);
        if (id === null) return unusableConfig;
        await changeProject(await lockProject(id), { status: config.status });
        return { result: { project_id: id, status: config.status } };
      },
    }),

    assign: internal({
      ...shared,
      summary: "Assign a project to a member",
      body: AssignProjectCall,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const id = projectOf(config, trigger);
        if (id === null) return unusableConfig;
        const user_id = config.user_id.toLowerCase();
        const isAble = await canStillGetWork(user_id);
        if (isAble === null) throw notFound();
        if (!isAble) return { failed: "errors.inactive_member" };
        await changeProject(await lockProject(id), { assignees: [{ user_id, is_primary: true }] });
        return { result: { project_id: id, responsible_user_id: user_id } };
      },
    }),
  },
});
