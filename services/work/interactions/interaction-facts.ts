import { type AutomationEntity, seenOf } from "../../../core/declare/automation.ts";
import { Interaction } from "./models.ts";

/** The fields of a contact moment that automation rules see, without what a message says. */
export const interactionFacts: AutomationEntity = {
  model: seenOf(Interaction, [
    "id",
    "kind",
    "status",
    "source",
    "direction",
    "occurred_at",
    "owner_account_id",
    "company_id",
    "project_id",
    "task_id",
    "subject",
    "created_at",
    "updated_at",
  ]),
};
