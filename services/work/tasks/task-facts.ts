import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { Task } from "../task-models.ts";
import { STARRED } from "./task-columns.ts";

/** The task fields that automation rules see. */
export const taskFacts: AutomationEntity = { model: Task, derived: { assignee_user_id: STARRED } };
