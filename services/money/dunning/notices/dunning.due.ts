import { dueRows } from "../../../../core/jobs/due-rows.ts";

/** Organisations that dun. */
export const dunningOrganisations = dueRows(["dunning_settings", "r.enabled"]);
