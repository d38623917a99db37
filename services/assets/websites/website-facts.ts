import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { Website } from "./models.ts";

/** What rules of automation see of a website; its client is its domain's. */
export const websiteFacts: AutomationEntity = {
  model: Website,
  client: "(select d.company_id from domains d where d.organisation_id = t.organisation_id and d.id = t.domain_id)",
};
