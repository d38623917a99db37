import { query, queryOne } from "../../../core/database/query.ts";
import { grantsThatMeet } from "../../../core/declare/permissions.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { ReportRow } from "../models.ts";
import { eventOf } from "../reports/report-kind.ts";
import type { ReportWarning } from "../snapshot.ts";

/** The trouble of a run: it `failed`, or its ready report was not mailed because a section failed. */
export type ReportTrouble = "failed" | "section_failed";

const EVENTS = { failed: "report.failed", section_failed: "report.held" } as const;

/**
 * Claims the notification once per run: a sweep and the run itself may both report its end. Returns the warnings as this transaction sees
 * them.
 */
const CLAIM = statement(`update reports set notified_run_id = $3
  where organisation_id = $1 and id = $2 and notified_run_id is distinct from $3::uuid returning warnings`);
/**
 * Members who may read a report, ranked: 1 the client's primary assignee, 2 who requested it, 3 holders of the send permission. `$4` grants
 * to read, `$5` grants to send.
 */
const CANDIDATES = statement(`select m.account_id, case when ca.is_primary then 1 when m.account_id = $3 then 2 else 3 end as rank
  from member_access m
    left join company_assignees ca on ca.organisation_id = $1 and ca.company_id = $2 and ca.account_id = m.account_id and ca.is_primary
  where m.organisation_id = $1 and m.is_live and not m.is_client and m.membership_id in (select members_holding($1, $4::text[]))
    and ($2::uuid is null or m.selection is null or $2 in (select selected_companies(m.selection)))
    and (ca.is_primary or m.account_id = $3 or m.membership_id in (select members_holding($1, $5::text[])))`);

const READING = { client: "reporting.report.read:any", internal: "reporting.internal.read" } as const;

/** The reason as one code: the run's last warning if it failed, `section_failed` if the report is held. */
const reasonOf = (what: ReportTrouble, warnings: readonly ReportWarning[]): string =>
  `reporting.warning.${what === "failed" ? (warnings.at(-1)?.code ?? "document_failed") : what}`;

/**
 * Notifies the client's responsible person of a failed or held run, in the running transaction and once per run (TRAPS P27). If none may
 * read the report, it notifies who requested it, else everyone who may send reports.
 * @param report as it was during the run
 */
export async function notifyResponsible(
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
