import { type AutomationEntity, seenOf } from "../../../core/declare/automation.ts";
import { Subscription } from "./models.ts";

/** The fields of an agreement that automation rules see. */
export const subscriptionFacts: AutomationEntity = {
  model: seenOf(Subscription, [
    "id",
    "company_id",
    "name",
    "status",
    "start_date",
    "end_date",
    "next_invoice_date",
    "activated_at",
  ]),
};
