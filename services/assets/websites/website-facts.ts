import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { Website } from "./models.ts";

/** What rules of automation see of a website. */
export const websiteFacts: AutomationEntity = {
  model: Website,
};
