import { actionConfig, automationCall } from "../../../core/declare/automation.ts";
import { choice, optional, uuid } from "../../../core/schema/schema.ts";
import { STATUSES } from "./company-schemas.ts";

/** The configuration of `company.set_status`; the default client is that of the record that triggered the rule. */
export const SetCompanyStatusConfig = actionConfig(
  "company.set_status",
  "Moves a client to another status, with the templates of tasks that belong to it.",
  { status: choice(STATUSES), company_id: optional(uuid()) },
  {
    texts: { status: "The new status", company_id: "The client; absent for the client of the record that triggered the rule" },
    example: { status: "active" },
  },
);
export const SetCompanyStatusCall = automationCall(SetCompanyStatusConfig);
