import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { Website } from "./models.ts";

/** The fields of a website in automation rules. */
export const websiteFacts: AutomationEntity = {
  model: Website,
};
