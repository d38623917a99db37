import { defineModule } from "../../core/declare/module.ts";
import { reportEvents } from "./events.ts";
import { reportMails } from "./sending/mails.ts";
import { sendingEvents } from "./sending/sending-events.ts";

/** Periodic client reports: tones, templates, schedules and each client's settings (workspace-reporting §1). */
export default defineModule({
  key: "reporting",
  kind: "module",
  licence: "reporting",
  permissions: {
    "reporting.report.read": { position: 10, grants: { admin: "any", member: "any", client: "own" } },
    "reporting.report.write": { position: 20, grants: ["admin", "member"] },
    "reporting.report.send": { position: 30, grants: ["admin"] },
    "reporting.internal.read": { position: 40, grants: ["admin", "member"] },
    "reporting.profile.manage": { position: 50, grants: ["admin", "member"] },
    "reporting.settings.manage": { position: 60, grants: ["admin"] },
  },
  errors: {
    400: ["validation errors.reporting.no_recipient"],
    409: [
      "conflict errors.reporting.already_sent",
      "conflict errors.reporting.last_tone",
      "conflict errors.reporting.no_document",
      "conflict errors.reporting.not_ready",
      "conflict errors.reporting.not_sent",
    ],
    422: [
      "validation errors.reporting.internal_not_publishable",
      "validation errors.reporting.internal_not_sendable",
      "validation errors.reporting.template_render",
      "validation errors.reporting.template_too_large",
    ],
    502: ["email_failed errors.reporting.email_failed"],
    503: ["not_queued errors.reporting.not_queued"],
  },
  errorTexts: {
    "validation errors.reporting.no_recipient": [
      "No recipient has a valid e-mail address: neither those of the request nor, without any, the client's recipients or primary contacts.",
      "Send recipients with an address, or add an address to the client's contacts.",
    ],
    "conflict errors.reporting.already_sent": [
      "A recipient has received the report by mail, or may have, so its figures and texts are fixed and it cannot be deleted.",
      "Make a revision of it. Withdraw it from the portal if the client must not see it there.",
    ],
    "conflict errors.reporting.last_tone": [
      "At most one tone is active, and reports need one.",
      "Add or activate another tone first.",
    ],
    "conflict errors.reporting.no_document": [
      "The report has no PDF, or the content of its file is missing.",
      "Generate the report again.",
    ],
    "conflict errors.reporting.not_ready": [
      "The report has no finished run: its status is `draft`, `generating` or `failed`; or it was made again, or a person wrote the same section, while the model wrote.",
      "Wait for the end of the run, or generate the report. The text of that person is kept.",
    ],
    "conflict errors.reporting.not_sent": [
      "The newest revision of the report was not sent to a recipient, so that it can still be changed.",
      "Change or generate that one, or delete it.",
    ],
    "validation errors.reporting.internal_not_publishable": [
      "The report is internal, and the portal shows reports for clients only.",
      "Publish a report for clients.",
    ],
    "validation errors.reporting.internal_not_sendable": [
      "The report is internal, and the service mails reports for clients only.",
      "Send a report for clients.",
    ],
    "validation errors.reporting.template_render": [
      "The template fails to render, or makes a report of more than 600 pages; `details.reason` says how.",
      "Correct `custom_html` and `custom_css`, and check them with the preview.",
    ],
    "validation errors.reporting.template_too_large": [
      "`custom_html` has more than 200,000 characters, or `custom_css` has more than 100,000.",
      "Shorten the fields that `fields` names.",
    ],
    "email_failed errors.reporting.email_failed": [
      "A mail of the report failed, or its outcome is unknown; `details` has the reason and the numbers.",
      "Repeat the call: it mails only the remaining recipients. Send `repeat_unknown` to mail those with an unknown outcome again.",
    ],
    "not_queued errors.reporting.not_queued": [
      "No node runs jobs at the moment, so the run of the report did not start.",
      "Ask the operator to start a node that runs jobs, then repeat the call.",
    ],
  },
  resultTexts: {
    "errors.reporting.mail_unknown": [
      "A node stopped while it handed over the mail of the report, so it is not known whether it was sent.",
      "Ask the recipient, or send the report again.",
    ],
  },
  warnings: [
    "reporting.warning.ai_empty",
    "reporting.warning.ai_failed",
    "reporting.warning.ai_number",
    "reporting.warning.ai_timeout",
    "reporting.warning.ai_unavailable",
    "reporting.warning.banned_phrase",
    "reporting.warning.document_failed",
    "reporting.warning.no_data",
    "reporting.warning.not_queued",
    "reporting.warning.run_timeout",
    "reporting.warning.section_failed",
    "reporting.warning.send_failed",
  ],
  events: { ...reportEvents, ...sendingEvents },
  automation: {
    entities: { report: async () => (await import("./reports/report-facts.ts")).reportFacts },
    triggers: {
      "report.ready": {
        position: 200,
        payload: ["report_id", "company_id", "company_name", "audience", "period_start", "period_end", "warning_count"],
      },
      "report.sent": {
        position: 210,
        payload: ["report_id", "company_id", "company_name", "audience", "period_start", "period_end"],
      },
    },
  },
  mails: reportMails,
  records: {
    report: {
      copied: { list: "reporting.reports.list", table: "reports", needs: "reporting.internal.read" },
      seen: ["reporting.reports.get", "report_id"],
      readers: { permission: "reporting.report.read" },
      client: { table: "reports", of: "t.company_id" },
      trail: true,
      files: "managed",
    },
    internal_report: {
      seen: ["reporting.reports.get", "report_id"],
      readers: { permission: "reporting.internal.read" },
      client: { table: "reports", of: "t.company_id" },
      trail: true,
      files: "managed",
    },
    reporting_settings: { readers: { permission: "reporting.settings.manage" }, client: null, trail: true },
    report_tone: {
      copied: { list: "reporting.tones.list", table: "report_tones" },
      readers: { permission: "reporting.profile.manage" },
      client: null,
      trail: true,
    },
    report_template: {
      copied: { list: "reporting.templates.list", table: "report_templates" },
      readers: { permission: "reporting.profile.manage" },
      client: null,
      trail: true,
    },
    report_profile: {
      readers: { permission: "reporting.profile.manage" },
      client: { table: "report_profiles", of: "t.company_id" },
      trail: true,
    },
  },
  // Marketing shows the texts of the newest published report next to a client's figures.
  shows: {
    reports: ["id", "company_id", "audience", "period_start", "period_end", "revision", "published_at", "narrative"],
  },
  references: {
    "report_profiles.company_id": { oneBy: [] },
    "report_profiles.recipients": { to: "contact", holds: "json" },
    // A report that was sent is never deleted: that of the other client becomes a later revision of its period.
    "reports.company_id": { renumbered: { column: "revision", by: ["audience", "period_start"] } },
  },
  tables: [
    "report_mails",
    "report_profiles",
    "report_templates",
    "report_tones",
    "report_turns",
    "reporting_settings",
    "reports",
  ],
  reportSections: {
    "reporting.summary": {
      position: 5,
      audience: "both",
      title: { nl: "Samenvatting", en: "Summary" },
      source: "report",
      load: async () => (await import("./sections/summary.ts")).gatherSummary,
    },
  },
  demo: { position: 51, load: async () => (await import("./demo/demo-reports.ts")).fillReports },
  tags: { reporting: "Reports for clients, their templates and tones." },
  parameters: { ":report_id": "The report", ":template_id": "The template", ":tone_id": "The tone" },
});
