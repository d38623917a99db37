import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { Task } from "./models.ts";
import { STARRED } from "./task-columns.ts";

/** What rules of automation see of a task. */
export const taskFacts: AutomationEntity = { model: Task, derived: { assignee_user_id: STARRED } };
