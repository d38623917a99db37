import { dueRows } from "../../../core/jobs/due-rows.ts";

/** A client's own schedule may be off: the job knows. */
export const clientsWithReports = dueRows(["report_profiles", "r.active"]);

export const reportsUnderWay = dueRows(["reports", "r.status = 'generating'"]);
