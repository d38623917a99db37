import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { Domain } from "./models.ts";

/** The fields of a domain in automation rules. */
export const domainFacts: AutomationEntity = { model: Domain };
