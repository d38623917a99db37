import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { Project } from "./models.ts";

const STARRED = `(select o.account_id from project_assignees o
  where o.organisation_id = t.organisation_id and o.project_id = t.id and o.is_primary)`;

/** The project fields that automation rules see. */
export const projectFacts: AutomationEntity = {
  model: Project,
  derived: { responsible_user_id: STARRED },
};
