import { dueRows } from "../../../../core/jobs/due-rows.ts";

export const watchedBudgets = dueRows(["projects", "r.status = 'active' and r.budget_hours > 0"]);
