import { query, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { grantsThatMeet } from "../../../core/declare/permissions.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import type { ReportRow } from "../models.ts";
import { eventOf } from "../reports/report-kind.ts";
import type { ReportWarning } from "../reports/snapshot.ts";

/** What a run ended with: it `failed`, or the report is ready and was not mailed because a section failed. */
export type ReportTrouble = "failed" | "section_failed";

const EVENTS = { failed: "report.failed", section_failed: "report.held" } as const;

/** Of one run, once: a sweep and the run itself may both report its end. Its warnings as the running transaction has them. */
const CLAIM = statement(`update reports set notified_run_id = $3
  where organisation_id = $1 and id = $2 and notified_run_id is distinct from $3::uuid returning warnings`);
/**
 * Members who read a report, by how close they are to it: 1 the client's starred assignee, 2 who had it made, 3 who may send reports.
 * `$4` grants that read it, `$5` those that send.
 */
const CANDIDATES = statement(`select m.account_id, case when ca.is_primary then 1 when m.account_id = $3 then 2 else 3 end as rank
  from member_access m
    left join company_assignees ca on ca.organisation_id = $1 and ca.company_id = $2 and ca.account_id = m.account_id and ca.is_primary
  where m.organisation_id = $1 and m.is_live and not m.is_client and m.membership_id in (select members_holding($1, $4::text[]))
    and ($2::uuid is null or m.selection is null or $2 in (select selected_companies(m.selection)))
    and (ca.is_primary or m.account_id = $3 or m.membership_id in (select members_holding($1, $5::text[])))`);

const READING = { client: "reporting.report.read:any", internal: "reporting.internal.read" } as const;

/** Why, in one code: the section that failed, else the last that the run has to say. */
const reasonOf = (what: ReportTrouble, warnings: readonly ReportWarning[]): string =>
  `reporting.warning.${what === "failed" ? (warnings.at(-1)?.code ?? "document_failed") : what}`;

/**
 * Notifies the client's responsible person of a run that failed or was held back, in the running transaction and once for a run (TRAPS P27).
 * Where the client has none who may read the report, it notifies who had it made, else everybody who may send reports.
 * @param report as it was while the run had it
 */
export async function tellResponsible(
  report: Pick<
    ReportRow,
    "id" | "company_id" | "company_name" | "audience" | "period_start" | "period_end" | "title" | "generated_by" | "run_id"
  >,
  what: ReportTrouble,
): Promise<void> {
  const { id: organisation } = request().organisation;
  const { id, company_id, company_name, title, audience, generated_by, run_id } = report;
  const claimed = await queryOne<{ warnings: ReportWarning[] }>(CLAIM, [organisation, id, run_id]);
  if (!claimed) return;
  const found = await query<{ account_id: string; rank: number }>(CANDIDATES, [
    organisation,
    company_id,
    generated_by,
    grantsThatMeet(READING[audience]),
    grantsThatMeet("reporting.report.send"),
  ]);
  const closest = Math.min(...found.map(({ rank }) => rank));
  const recipients = found.filter(({ rank }) => rank === closest).map(({ account_id }) => account_id);
  const reason = reasonOf(what, claimed.warnings);
  emit(EVENTS[what], "report", id, { ...eventOf(report), title: `${title} · ${company_name}`, reason, recipients });
}
