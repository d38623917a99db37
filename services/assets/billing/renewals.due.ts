import { dueRows, LATEST_TODAY } from "../../../core/jobs/due-rows.ts";
import { BILLABLE_STATUSES } from "../domains/billing-answer.ts";

const STATUSES = BILLABLE_STATUSES.map((status) => `'${status}'`).join(", ");

export const dueDomains = dueRows(["domains", `r.status in (${STATUSES}) and r.next_invoice_date <= ${LATEST_TODAY}`]);
