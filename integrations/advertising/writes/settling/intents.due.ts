import { dueRows } from "../../../../core/jobs/due-rows.ts";

export const unsettledWrites = dueRows(["ads_intents", "r.state in ('pending', 'unknown')"]);
