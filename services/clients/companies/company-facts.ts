import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { Company } from "../models.ts";

const STARRED = `(select o.account_id from company_assignees o
  where o.organisation_id = t.organisation_id and o.company_id = t.id and o.is_primary)`;

/** The fields of a client that automation rules see. */
export const companyFacts: AutomationEntity = { model: Company, derived: { responsible_user_id: STARRED } };
