import { dueRows, LATEST_TODAY } from "../../../../core/jobs/due-rows.ts";

export const dueAgreements = dueRows(["subscriptions", `r.status = 'active' and r.next_invoice_date <= ${LATEST_TODAY}`]);
