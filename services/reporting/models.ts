import type { Locale } from "../../core/config/defaults.ts";
import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import type { ReportAudience } from "../../core/declare/report-sections.ts";
import { conflict, notFound } from "../../core/errors/errors.ts";
import type { OwnSchedule } from "./schedule/schedule.ts";
import type { Layout } from "./sections/layout.ts";
import type { GatheredSection, ReportWarning, Snapshot } from "./snapshot.ts";

const { boolean, date, instant, integer, json, text, texts, uuid } = column;

export const ReportingSettings = tenantModel("reporting_settings", {
  default_locale: text().withDefault().tracked(),
  footer_text: text().orNull().blankIsNull().tracked(),
  schedule: json<OwnSchedule>().withDefault(),
});
export type ReportingSettingsRow = RowOf<typeof ReportingSettings>;

/** The tone of voice of report texts. */
export const ReportTone = tenantModel("report_tones", {
  key: text(),
  name: text().tracked(),
  description: text().orNull().blankIsNull().tracked(),
  instructions: text().withDefault(),
  banned_phrases: texts().withDefault(),
  preferred_phrases: texts().withDefault(),
  is_default: boolean().withDefault().tracked(),
  active: boolean().withDefault().tracked(),
  position: integer().withDefault().tracked(),
});
export type ReportToneRow = RowOf<typeof ReportTone>;

export const ReportTemplate = tenantModel("report_templates", {
  name: text().tracked(),
  audience: text<ReportAudience>().withDefault().tracked(),
  design: text().withDefault().tracked(),
  layout: json<Layout>().withDefault(),
  custom_html: text().orNull().blankIsNull(),
  custom_css: text().orNull().blankIsNull(),
  accent_color: text().orNull().blankIsNull().tracked(),
  cover_image_file_id: uuid().orNull().tracked(),
  intro_text: text().orNull().blankIsNull(),
  is_default: boolean().withDefault().tracked(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  report_templates_organisation_id_cover_image_file_id_fkey: notFound,
});
export type ReportTemplateRow = RowOf<typeof ReportTemplate>;

/** A recipient of a client's report: a contact of the client, or an address. */
export interface Recipient {
  contact_id: string | null;
  email: string | null;
  name: string | null;
}

/** A recipient of a mailed report with the outcome; instants are ISO 8601, UTC. */
export interface SentTo extends Recipient {
  delivery: "sent" | "bounced" | "failed" | "unknown" | "unreachable";
  /** An error key, or the mail server's answer. */
  reason: string | null;
  sent_at: string | null;
}

/** The report settings of one client. */
export const ReportProfile = tenantModel("report_profiles", {
  company_id: uuid(),
  display_name: text().orNull().blankIsNull().tracked(),
  tone_id: uuid().orNull().tracked(),
  template_id: uuid().orNull().tracked(),
  internal_template_id: uuid().orNull().tracked(),
  locale: text().orNull().blankIsNull().tracked(),
  business_context: text().orNull().blankIsNull(),
  goals: text().orNull().blankIsNull(),
  seo_focus: text().orNull().blankIsNull(),
  sea_focus: text().orNull().blankIsNull(),
  key_services: text().orNull().blankIsNull(),
  priority_pages: text().orNull().blankIsNull(),
  conversion_goals: text().orNull().blankIsNull(),
  scope_notes: text().orNull().blankIsNull(),
  avoid_topics: text().orNull().blankIsNull(),
  recipients: json<readonly Recipient[]>().withDefault(),
  schedule: json<OwnSchedule>().withDefault(),
  sections: json<Readonly<Record<string, boolean>>>().withDefault(),
  internal_enabled: boolean().withDefault().tracked(),
  active: boolean().withDefault().tracked(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  report_profiles_organisation_id_company_id_fkey: notFound,
  report_profiles_organisation_id_tone_id_fkey: notFound,
  report_profiles_organisation_id_template_id_fkey: notFound,
  report_profiles_organisation_id_internal_template_id_fkey: notFound,
});
export type ReportProfileRow = RowOf<typeof ReportProfile>;

/** A report for one client, audience, first day and revision (workspace-reporting §1.5). */
export const Report = tenantModel("reports", {
  company_id: uuid().orNull(),
  company_name: text(),
  audience: text<ReportAudience>(),
  status: text<"draft" | "generating" | "ready" | "sent" | "failed">().withDefault().tracked(),
  locale: text<Locale>(),
  title: text(),
  period_start: date(),
  period_end: date(),
  /** 1, and one more for each correction of a sent report about the same period. */
  revision: integer().withDefault(),
  compare_start: date(),
  compare_end: date(),
  template_id: uuid().orNull(),
  /** Whether runs leave publishing to a person: it was withdrawn from the portal, or corrects a sent report. */
  is_held: boolean().withDefault(),
  published_at: instant().orNull().tracked(),
  sent_at: instant().orNull().tracked(),
  sent_to: json<readonly SentTo[]>().withDefault(),
  pdf_file_id: uuid().orNull(),
  generated_by: uuid().orNull(),
  generated_by_name: text().orNull(),
  sections: json<readonly { key: string; title: string }[]>().withDefault(),
  data_snapshot: json<Snapshot>().orNull(),
  look: json<object>().orNull(),
  narrative: json<Readonly<Record<string, string>>>().withDefault(),
  edited_sections: texts().withDefault(),
  warnings: json<readonly ReportWarning[]>().withDefault(),
  gathered: json<readonly GatheredSection[]>().orNull(),
  run_id: uuid().orNull(),
  /** When the run was queued. */
  run_started_at: instant().orNull(),
  /** When the run, or the last one that has ended, began its work; null while it waits for others. */
  run_begun_at: instant().orNull(),
  notified_run_id: uuid().orNull(),
  run_step: text().orNull(),
  status_before: text().orNull(),
  search_text: text().byDatabase(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  reports_organisation_id_company_id_fkey: notFound,
  // Of two concurrent corrections, the second finds the first.
  reports_one: () => conflict("errors.reporting.not_sent"),
});
export type ReportRow = RowOf<typeof Report>;
