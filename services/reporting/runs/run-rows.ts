import { columns } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { lock, queueUpdate } from "../../../core/database/write.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import {
  Report,
  ReportProfile,
  type ReportProfileRow,
  type ReportRow,
  ReportTemplate,
  type ReportTemplateRow,
  type ReportToneRow,
} from "../models.ts";
import { allTones } from "../prose/turn-rows.ts";
import { kindOf } from "../reports/report-kind.ts";
import { effectiveSchedule, type Schedule } from "../schedule/schedule.ts";
import { notifyResponsible } from "../sending/notify-responsible.ts";
import { settingsInForce } from "../settings/settings-rows.ts";
import type { ReportWarning } from "../snapshot.ts";
import { chosenTone } from "../tones/chosen-tone.ts";
import type { RunPayload } from "./queue-reports.ts";

const OF_RUN = statement(`select ${columns(Report)} from reports where organisation_id = $1 and id = $2 and run_id = $3`);
const BEGIN = statement(`update reports set run_begun_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and run_id = $3 and run_begun_at is null`);
const PROFILE = statement(`select ${columns(ReportProfile)} from report_profiles where organisation_id = $1 and company_id = $2`);
const TEMPLATE = statement(`select ${columns(ReportTemplate)} from report_templates where organisation_id = $1 and id = $2`);

/** Another run took over the report, or it was swept or deleted: this run must store nothing more. */
export class RunLost extends Error {
  override name = "RunLost";
}

/** Records that a run begins its work, in the running transaction; not again when another node continues it. */
export const beginRun = ({ report_id, run_id }: RunPayload): void =>
  enqueue(BEGIN, [request().organisation.id, report_id, run_id]);

/** The report of a run; undefined once the run has ended or lost it. */
export const reportOfRun = ({ report_id, run_id }: RunPayload): Promise<ReportRow | undefined> =>
  queryOne<ReportRow>(OF_RUN, [request().organisation.id, report_id, run_id]);

/** The same, locked until the transaction ends. @throws RunLost */
export async function heldReport({ report_id, run_id }: RunPayload): Promise<ReportRow> {
  const row = await lock(Report, report_id, "t.run_id = $3", [run_id]);
  if (!row) throw new RunLost(`report ${report_id} no longer belongs to this run`);
  return row;
}

/** The client's report settings; undefined without a profile or once the client is deleted. */
export const profileOf = async ({ company_id }: Pick<ReportRow, "company_id">): Promise<ReportProfileRow | undefined> =>
  company_id === null ? undefined : queryOne<ReportProfileRow>(PROFILE, [request().organisation.id, company_id]);

/** The template of a report; undefined for the shipped design. */
export const templateOf = async ({ template_id }: Pick<ReportRow, "template_id">): Promise<ReportTemplateRow | undefined> =>
  template_id === null ? undefined : queryOne<ReportTemplateRow>(TEMPLATE, [request().organisation.id, template_id]);

/** The stored tone of a report; null if the built-in one applies. */
export async function toneOf(report: Pick<ReportRow, "company_id" | "locale">): Promise<ReportToneRow | null> {
  const [tones, profile] = [await allTones(), await profileOf(report)];
  const tone = chosenTone(tones, profile?.tone_id ?? null, report.locale);
  return "id" in tone ? tone : null;
}

/** The effective schedule of a report's client. */
export async function scheduleOf(report: Pick<ReportRow, "company_id">): Promise<Schedule> {
  const profile = await profileOf(report);
  return effectiveSchedule((await settingsInForce()).schedule, profile?.schedule ?? {});
}

/** Values that clear a finished run from its report. */
export const OVER = { run_id: null, run_started_at: null, run_step: null, status_before: null, gathered: null } as const;

/** Fails a run that cannot continue, in the running transaction, and notifies its responsible person once. A sent report stays sent. */
export async function failReport(report: ReportRow, warnings: readonly ReportWarning[]): Promise<void> {
  queueUpdate(Report, report.id, {
    ...OVER,
    status: report.sent_at === null ? "failed" : "sent",
    warnings: [...report.warnings, ...warnings],
  });
  trail(kindOf(report.audience), report.id, "failed", { reasons: warnings.map(({ code }) => `reporting.warning.${code}`) });
  await notifyResponsible(report, "failed");
}
