import { type Locale, localeOf } from "../../../core/config/defaults.ts";
import { query } from "../../../core/database/query.ts";
import type { ReportAudience, ReportSpan } from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { ReportProfileRow, ReportTemplateRow } from "../models.ts";
import { reportTitle } from "../rendering/report-title.ts";
import { effectiveSchedule, type Schedule } from "../schedule/schedule.ts";
import { settingsInForce } from "../settings/settings-rows.ts";
import { chosenTemplate } from "../templates/chosen-template.ts";
import { comparedPeriod, usualPeriod } from "./asked-period.ts";

/** A client to report on. */
export type PlannedClient = Pick<ReportProfileRow, "template_id" | "internal_template_id" | "internal_enabled"> & {
  company_id: string;
  /** The name that its reports print, never the legal one. */
  company_name: string;
  locale: string | null;
  schedule: ReportProfileRow["schedule"] | null;
};

/** A report before its run starts. */
export interface PlannedReport {
  company_id: string;
  company_name: string;
  audience: ReportAudience;
  locale: Locale;
  title: string;
  period_start: string;
  period_end: string;
  compare_start: string;
  compare_end: string;
  template_id: string | null;
}

const CLIENT = `c.id as company_id, coalesce(p.display_name, c.name) as company_name, p.locale, p.schedule, p.template_id,
  p.internal_template_id, coalesce(p.internal_enabled, true) as internal_enabled`;
const SEEN = "($3::uuid[] is null or c.id in (select selected_companies($3::uuid[])))";
const PROFILE = "p.organisation_id = c.organisation_id and p.company_id = c.id";
const ONE = statement(`select ${CLIENT} from companies c left join report_profiles p on ${PROFILE}
  where c.organisation_id = $1 and c.id = $2 and ${SEEN} for key share of c`);
const ENROLLED = statement(`select ${CLIENT} from companies c join report_profiles p on ${PROFILE} and p.active
  where c.organisation_id = $1 and ($2::uuid[] is null or c.id = any($2::uuid[])) and ${SEEN} order by c.id for key share of c`);
const TEMPLATES = statement(
  "select id, audience, is_default, created_at from report_templates where organisation_id = $1 order by created_at, id",
);

const selection = () => request().principal?.selection ?? null;

/** A client the caller may see, with or without a profile; else undefined. */
export const clientToReport = async (id: string): Promise<PlannedClient | undefined> =>
  (await query<PlannedClient>(ONE, [request().organisation.id, id, selection()]))[0];

/** The visible clients with an active profile. @param ids only these; null for all */
export const enrolledClients = (ids: readonly string[] | null): Promise<PlannedClient[]> =>
  query<PlannedClient>(ENROLLED, [request().organisation.id, ids, selection()]);

/** The effective schedule of each client. */
export async function schedulesOf(clients: readonly PlannedClient[]): Promise<Map<PlannedClient, Schedule>> {
  const { schedule } = await settingsInForce();
  return new Map(clients.map((client) => [client, effectiveSchedule(schedule, client.schedule ?? {})]));
}

/**
 * Plans reports for clients and audiences, in two statements however many.
 * @param named the period; null for each client's default
 */
export async function plannedReports(
  wanted: readonly { client: PlannedClient; audience: ReportAudience }[],
  named: ReportSpan | null,
): Promise<PlannedReport[]> {
  const templates = await query<Pick<ReportTemplateRow, "id" | "audience" | "is_default" | "created_at">>(TEMPLATES, [
    request().organisation.id,
  ]);
  const { default_locale, schedule: organisations } = await settingsInForce();
  const today = organisationToday();
  return wanted.map(({ client, audience }) => {
    const schedule = effectiveSchedule(organisations, client.schedule ?? {});
    const locale = localeOf((client.locale ?? default_locale).slice(0, 2));
    const span = named ?? usualPeriod(schedule, today);
    const compared = comparedPeriod(span, schedule);
    const own = audience === "internal" ? client.internal_template_id : client.template_id;
    return {
      company_id: client.company_id,
      company_name: client.company_name,
      audience,
      locale,
      title: reportTitle(locale, audience, span),
      period_start: span.start,
      period_end: span.end,
      compare_start: compared.start,
      compare_end: compared.end,
      template_id: chosenTemplate(templates, audience, own)?.id ?? null,
    };
  });
}
