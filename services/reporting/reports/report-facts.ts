import { type AutomationEntity, seenOf } from "../../../core/declare/automation.ts";
import { Report } from "../models.ts";

/** The fields of a report that automation rules see: none of its content. */
export const reportFacts: AutomationEntity = {
  model: seenOf(Report, [
    "id",
    "company_id",
    "company_name",
    "audience",
    "status",
    "title",
    "period_start",
    "period_end",
    "sent_at",
  ]),
};
