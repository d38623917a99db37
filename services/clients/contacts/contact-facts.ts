import { type AutomationEntity, seenOf } from "../../../core/declare/automation.ts";
import { Contact } from "../models.ts";

/** The client of a contact of exactly one client; null for a contact of none or several. */
const ONLY_CLIENT = `(select (array_agg(l.company_id))[1] from contact_links l
  where l.organisation_id = t.organisation_id and l.contact_id = t.id having count(*) = 1)`;

/** The contact fields that automation rules see. */
export const contactFacts: AutomationEntity = {
  model: seenOf(Contact, ["id", "first_name", "last_name", "job_title", "email", "phone", "custom", "created_at", "updated_at"]),
  derived: { company_id: ONLY_CLIENT },
  client: ONLY_CLIENT,
};
