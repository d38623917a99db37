import { dueRows, LATEST_TODAY } from "../../../core/jobs/due-rows.ts";

/** Documents that the daily job may expire, report, make, send or remind of. */
export const dueDocuments = dueRows(
  ["quotes", `r.status = 'open' and r.valid_until < ${LATEST_TODAY}`],
  ["invoices", `r.status = 'open' and r.due_date < ${LATEST_TODAY}`],
  ["quote_instalments", `r.invoice_id is null and r.due_on <= ${LATEST_TODAY}`],
  ["invoices", "r.auto_send and r.status in ('open', 'paid')"],
);
