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
  mails: reportMails,
  records: {
    report: {
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
    report_tone: { readers: { permission: "reporting.profile.manage" }, client: null, trail: true },
    report_template: { readers: { permission: "reporting.profile.manage" }, client: null, trail: true },
    report_profile: {
      readers: { permission: "reporting.profile.manage" },
      client: { table: "report_profiles", of: "t.company_id" },
      trail: true,
    },
  },
  // Marketing shows the texts of the newest published report next to a client's figures.
  shows: {
    reports: ["id", "company_id", "audience", "period_start", "period_end", "published_at", "narrative"],
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
  demo: { position: 51, load: async () => (await import("./demo/demo-reports.ts")).fillReports },
  tags: { reporting: "Reports for clients, their templates and tones." },
  parameters: { ":report_id": "The report", ":template_id": "The template", ":tone_id": "The tone" },
});
