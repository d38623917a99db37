import { dueRows, LATEST_TODAY } from "../../../../core/jobs/due-rows.ts";

export const dueCarriers = dueRows(["tasks", `r.recurrence_next_run <= ${LATEST_TODAY}`]);
