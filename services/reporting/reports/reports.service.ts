import { LIST_DEFAULTS, listQuery } from "../../../core/database/lists/list.ts";
import { queueRemove } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { download } from "../../../core/declare/makers/download.ts";
import { REPORT_AUDIENCES } from "../../../core/declare/report-sections.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { fileAnswer, fileRow } from "../../../core/files/files.ts";
import { prepared } from "../../../core/request/context.ts";
import { choice, flag, optional, page, uuid } from "../../../core/schema/schema.ts";
import { trail } from "../../../core/trail/trail.ts";
import { shownPage } from "../../../mixins/documents/shown-page.ts";
import { resource } from "../../../mixins/resource.ts";
import { Report } from "../models.ts";
import { reportHtml } from "../rendering/report-document.ts";
import { publishReport, requirePublishable, withdrawReport } from "./publishing.ts";
import { pageOfReports, writtenReport } from "./report.list.ts";
import { kindOf } from "./report-kind.ts";
import { oneReport, reportForWrite, seenReport } from "./report-rows.ts";
import { PeriodicReportDetail, PeriodicReportRead, ReportNarrative, ReportRewrite } from "./report-schemas.ts";
import { editNarrative, type Rewritten, rewriteSection, storeRewritten } from "./texts.ts";
import { requireUnsent } from "./unsent.ts";

const READ = "reporting.report.read";
const WRITE = "reporting.report.write";
const ALREADY_SENT = "errors.reporting.already_sent";
const { q, updated_since, count, limit, offset } = listQuery({});

/** Periodic reports of clients (workspace-reporting §1.5). */
export default resource("reporting.reports", {
  model: Report,
  actions: {
    list: action({
      rest: "GET /reporting/reports",
      summary: "List reports, the newest period first, then by client",
      description:
        "Internal reports need `reporting.internal.read`. A client login sees the published ones of its own clients. `q` searches the title, the client's name and the first and last day of the period, as `2026-01-31`.",
      permission: READ,
      query: {
        company_id: optional({ ...uuid(), description: "Reports of this client" }),
        audience: optional(choice(REPORT_AUDIENCES, { description: "Reports for this audience" })),
        ...{ limit, offset, q, count, updated_since },
      },
      returns: page(PeriodicReportRead),
      tool: {
        name: "find_report",
        description: "Reports of a client or of all, the newest period first.",
        inArea: true,
        takes: ["company_id", "audience", "q", "limit", "offset"],
      },
      handler(ctx) {
        const { company_id, audience, ...asked } = ctx.params;
        return pageOfReports({ ...LIST_DEFAULTS, ...asked }, { company_id, audience });
      },
    }),

    get: action({
      rest: "GET /reporting/reports/:report_id",
      summary: "Read one report",
      permission: READ,
      returns: PeriodicReportDetail,
      handler: (ctx) => oneReport(ctx.params.report_id),
    }),

    preview: download({
      rest: "GET /reporting/reports/:report_id/preview",
      verb: "preview",
      summary: "A report as a page: what its PDF prints",
      description: "404 until a run has gathered its figures.",
      permission: READ,
      returnsFile: "text/html",
      async handler(ctx) {
        const report = await seenReport(ctx.params.report_id);
        if (!report.data_snapshot || !report.look) throw notFound();
        return shownPage("report.html", await reportHtml(report));
      },
    }),

    pdf: download({
      rest: "GET /reporting/reports/:report_id/pdf",
      summary: "A report as PDF",
      description: "404 while it has no document: before its first run has ended, and after its text was changed.",
      permission: READ,
      returnsFile: "application/pdf",
      otherStatuses: { 304: "The caller has it already." },
      errors: ["not_found errors.file_bytes_missing", "not_found errors.storage_backend_unavailable"],
      async handler(ctx) {
        const { pdf_file_id } = await seenReport(ctx.params.report_id);
        if (pdf_file_id === null) throw notFound();
        return fileAnswer(await fileRow(pdf_file_id));
      },
    }),

    narrative: action({
      rest: "PUT /reporting/reports/:report_id/narrative",
      summary: "Write the text of sections by hand",
      description:
        "Later runs keep these texts. The PDF is removed; generating the report again prints a new one with the figures that it has. Texts are fixed once one recipient has the report, or may have it.",
      permission: WRITE,
      body: ReportNarrative,
      returns: PeriodicReportDetail,
      errors: [`conflict ${ALREADY_SENT}`],
      async handler(ctx) {
        const report = await reportForWrite(ctx.params.report_id);
        await editNarrative(report, ctx.params.body.narrative);
        return writtenReport(report.id);
      },
    }),

    rewrite: action({
      rest: "POST /reporting/reports/:report_id/rewrite",
      summary: "Let the model rewrite the text of one section",
      description:
        "From the report's figures. The text counts as the model's, even if a person had written it. A failure becomes a warning of the report, and the text stays.",
      permission: WRITE,
      status: 200,
      conditional: true,
      body: ReportRewrite,
      returns: PeriodicReportDetail,
      errors: [`conflict ${ALREADY_SENT}`, "conflict errors.reporting.not_ready"],
      acts: "outside",
      prepare: (ctx) =>
        rewriteSection((name, params) => ctx.call(name, params), ctx.params.report_id, ctx.params.body.section_key),
      async handler(ctx) {
        const report = await reportForWrite(ctx.params.report_id);
        await storeRewritten(report, ctx.params.body.section_key, prepared<Rewritten>());
        return writtenReport(report.id);
      },
    }),

    publish: action({
      rest: "POST /reporting/reports/:report_id/publish",
      summary: "Show a report in the client's portal, or withdraw it",
      permission: WRITE,
      status: 200,
      conditional: true,
      query: { published: optional({ ...flag(true), description: "False withdraws it" }) },
      returns: PeriodicReportDetail,
      errors: ["validation errors.reporting.internal_not_publishable", "conflict errors.reporting.not_ready"],
      async handler(ctx) {
        const report = await reportForWrite(ctx.params.report_id);
        if (report.audience === "internal") throw refusal("validation", "errors.reporting.internal_not_publishable");
        if (ctx.params.published === false) withdrawReport(report);
        else {
          requirePublishable(report);
          publishReport(report);
        }
        return writtenReport(report.id);
      },
    }),

    remove: action({
      rest: "DELETE /reporting/reports/:report_id",
      summary: "Delete a report that was never sent, with its document",
      description: "A report that one recipient has, or may have, counts as sent, also if the mails to others failed.",
      permission: WRITE,
      errors: [`conflict ${ALREADY_SENT}`],
      async handler(ctx) {
        const report = await reportForWrite(ctx.params.report_id);
        await requireUnsent(report);
        const { id, audience, company_name, period_start } = report;
        queueRemove(Report, id);
        trail(kindOf(audience), id, "deleted", { company_name, period_start });
      },
    }),
  },
});
