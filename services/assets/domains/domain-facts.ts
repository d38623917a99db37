import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { Domain } from "./models.ts";

/** What rules of automation see of a domain. */
export const domainFacts: AutomationEntity = { model: Domain };
