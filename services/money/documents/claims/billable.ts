import { clientOf } from "../../../../core/declare/records.ts";

/** Condition: hours on alias `t` that no document claims. */
export const UNCLAIMED = `not exists (select 1 from time_entry_claims k
  where k.organisation_id = t.organisation_id and k.time_entry_id = t.id)`;

/** Condition: invoiceable hours on alias `t` (money §8): finished, billable, approved, more than zero minutes, and on no document. */
export const BILLABLE = `(t.ended_at is not null and t.billable and t.approved_at is not null and t.minutes > 0
  and t.invoiced_at is null and ${UNCLAIMED})`;

/** The client of hours on alias `t`: stored with the entry, unaffected by later changes of its project or task (work chapter §4.1). */
export const CLIENT_OF_ENTRY = "t.company_id";

/** The client that decides who sees hours on alias `t`: its own, else its project's, else its task's (work chapter §0). */
export const CLIENT_IN_SIGHT = clientOf("time_entry");
