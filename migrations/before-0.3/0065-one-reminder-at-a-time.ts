import type { Step } from "../step.ts";

/**
 * Who is reminding of an invoice now, a member's request or the daily job, and until when it must have ended: two at once are one mail and
 * one step of the schedule. A row that a reminder makes before the daily job ever took up the invoice has `mailed_on` `-infinity`, which
 * nodes of the version before understand: they compare it with a day.
 */
const step: Step = {
  async up({ sql }) {
    await sql("alter table invoice_daily_mails add column reminder_by uuid, add column reminder_until timestamptz");
  },
};

export default step;
