import { actionConfig, automationCall } from "../../../core/declare/automation.ts";
import { choice, optional, uuid } from "../../../core/schema/schema.ts";
import { PROJECT_STATUSES } from "./project-schemas.ts";

const PROJECT = "The project; absent for the project that triggered the rule, or that of its task";

/** The configuration of `project.set_status`; the default project is the one that triggered the rule. */
export const SetProjectStatusConfig = actionConfig(
  "project.set_status",
  "Moves a project to another status.",
  { status: choice(PROJECT_STATUSES), project_id: optional(uuid()) },
  { texts: { status: "The new status", project_id: PROJECT }, example: { status: "completed" } },
);
export const SetProjectStatusCall = automationCall(SetProjectStatusConfig);

/** The configuration of `project.assign`; the default project is the one that triggered the rule. */
export const AssignProjectConfig = actionConfig(
  "project.assign",
  "Replaces the roster of a project by one member.",
  { user_id: uuid(), project_id: optional(uuid()) },
  {
    texts: { user_id: "Account of the member", project_id: PROJECT },
    example: { user_id: "7d9a1f30-0c1e-4a5b-8d2f-7d9a1f300001" },
  },
);
export const AssignProjectCall = automationCall(AssignProjectConfig);
