import { clientOf } from "../../../../core/declare/records.ts";

/** An hour on alias `t` that is on no document. */
export const UNCLAIMED = `not exists (select 1 from time_entry_claims k
  where k.organisation_id = t.organisation_id and k.time_entry_id = t.id)`;

/** Hours on alias `t` that are to be invoiced (money §8): finished, billable, approved, of more than no minutes, and on no document. */
export const BILLABLE = `(t.ended_at is not null and t.billable and t.approved_at is not null and t.minutes > 0
  and t.invoiced_at is null and ${UNCLAIMED})`;

/** The client an hour on alias `t` belongs to: the one that was stored with it, whatever has become of its project or task (work chapter §4.1). */
export const CLIENT_OF_ENTRY = "t.company_id";

/** The client whose selection shows an hour on alias `t`: its own, else its project's, else that of its task (work chapter §0). */
export const CLIENT_IN_SIGHT = clientOf("time_entry");
