import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { service } from "../../../mixins/resource.ts";
import { writtenReport } from "../reports/report.list.ts";
import { PeriodicReportDetail } from "../reports/report-schemas.ts";
import { noteSent } from "./note-sent.ts";
import type { Mailed } from "./recipients.ts";
import { mailReport } from "./send-report.ts";
import { ReportSend } from "./sending-schemas.ts";

/** Longest time for mails to 50 recipients, in milliseconds. */
const LONGEST = 300_000;

/** Sends reports by mail (workspace-reporting §1.5). */
export default service("reporting.sending", {
  actions: {
    send: action({
      rest: "POST /reporting/reports/:report_id/send",
      summary: "Mail a report to the client",
      description:
        "One mail for each recipient, with the PDF, in the report's language and in the name of the client's responsible person. A recipient who has this document already gets no second mail: after a failure the same call continues with the others. `sent_to` lists addresses that the mail server refuses; they do not stop other mails.",
      permission: "reporting.report.send",
      conditional: true,
      status: 200,
      timeout: LONGEST,
      body: ReportSend,
      returns: PeriodicReportDetail,
      errors: [
        "not_found",
        "validation errors.reporting.internal_not_sendable",
        "conflict errors.reporting.not_ready",
        "validation errors.reporting.no_recipient",
        "conflict errors.reporting.no_document",
        "email_not_configured",
        "email_failed errors.reporting.email_failed",
      ],
      acts: "outside",
      prepare: (ctx) => mailReport(ctx.call.bind(ctx), ctx.params.report_id, ctx.params.body),
      async handler(ctx) {
        const { report_id, body } = ctx.params;
        await noteSent(report_id, prepared<Mailed>(), body.publish ?? true);
        return writtenReport(report_id);
      },
    }),
  },
});
