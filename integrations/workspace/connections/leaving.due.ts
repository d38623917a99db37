import { dueRows } from "../../../core/jobs/due-rows.ts";

/** Connections of members who left, and grants that are still to be revoked. */
export const leavers = dueRows(
  [
    "workspace_connections",
    "exists (select from member_access m where m.organisation_id = o.id and m.account_id = r.account_id and not m.is_live)",
  ],
  ["workspace_ended_grants", "true"],
);
