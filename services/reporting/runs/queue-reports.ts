import { newId } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { scheduleAll } from "../../../core/jobs/jobs.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trailAll } from "../../../core/trail/trail.ts";
import type { ReportRow } from "../models.ts";
import { kindOf } from "../reports/report-kind.ts";
import { HAS_LEFT } from "../reports/unsent.ts";
import type { PlannedReport } from "./planned-reports.ts";

/** Name of the job that makes one report; its payload is {@link RunPayload}. */
export const RUN_JOB = "reporting.run";
/** `prints_only`: keeps figures and texts, and only prints the document again. */
export type RunPayload = { report_id: string; run_id: string; prints_only: boolean };

/** Seconds after which a run that began, or could have begun, counts as lost (workspace-reporting §1.5). */
export const RUN_LOST_AFTER = 1200;

/** The planned reports, each with its newest revision. */
const WANTED = `jsonb_to_recordset($2::jsonb) w (id uuid, run_id uuid, company_id uuid, company_name text, audience text, locale text,
    title text, period_start date, period_end date, compare_start date, compare_end date, template_id uuid)
  cross join lateral (select coalesce(max(n.revision), 1) as revision from reports n where n.organisation_id = $1
    and n.company_id = w.company_id and n.audience = w.audience and n.period_start = w.period_start) newest`;
const KEPT = ["company_name", "locale", "title", "period_end", "compare_start", "compare_end", "template_id"];
const BY = ["generated_by", "generated_by_name"];
const NAMES = ["company_id", "audience", "period_start", ...KEPT].join(", ");

/**
 * Whether the run of report `r` is lost: it began too long ago; or it has waited too long, and no other run of the organisation has begun
 * since, so that it is not waiting for its turn in a large batch.
 * @param now SQL of the time
 */
export const isLost = (now: string): string => {
  const limit = `${now}::timestamptz - interval '${RUN_LOST_AFTER} seconds'`;
  return `(r.status = 'generating' and coalesce(r.run_begun_at, r.run_started_at) <= ${limit} and (r.run_begun_at is not null
    or not exists (select from reports o where o.organisation_id = r.organisation_id and o.run_begun_at > ${limit})))`;
};
/** A run of report `r` is in flight; `$4` is now. */
const IN_FLIGHT = `(r.status = 'generating' and not ${isLost("$4")})`;
/** Report `r` is finished and is not to be refreshed (`$3`). */
const IS_MADE = "(r.status in ('ready', 'sent') and not $3::boolean)";
/** Report `r` is finished, but a later text change removed its document. */
const LACKS_DOCUMENT = `(${IS_MADE} and r.pdf_file_id is null)`;
/** A report that has left is only printed again, of what it was when it left. */
const MAY_RUN = `not ${IN_FLIGHT} and (${LACKS_DOCUMENT} or (not ${HAS_LEFT} and not ${IS_MADE}))`;

const whole = (column: string) => `${column} = case when ${LACKS_DOCUMENT} then r.${column} else excluded.${column} end`;
const QUEUE =
  statement(`insert into reports as r (organisation_id, id, status, run_id, run_started_at, revision, ${NAMES}, ${BY.join(", ")})
  select $1, w.id, 'generating', w.run_id, $4, newest.revision, ${NAMES.split(", ")
    .map((name) => `w.${name}`)
    .join(", ")}, $5, $6 from ${WANTED} order by w.company_id, w.audience
  on conflict on constraint reports_one do update set status = 'generating', status_before = r.status, run_id = excluded.run_id,
    run_started_at = excluded.run_started_at, run_begun_at = null, gathered = null, version = r.version + 1, updated_at = statement_timestamp(),
    run_step = case when ${LACKS_DOCUMENT} then 'prose' end,
    published_at = case when ${LACKS_DOCUMENT} then r.published_at end,
    is_held = r.is_held or (r.published_at is not null and not ${LACKS_DOCUMENT}),
    warnings = case when ${LACKS_DOCUMENT} then r.warnings else '[]' end, ${[...KEPT, ...BY].map(whole).join(", ")}
  where ${MAY_RUN}
  returning r.id, r.company_id, r.audience, r.run_id, r.run_step is not null as prints_only`);
/** A report that could not be queued keeps its status, a new one becomes a draft, and a warning says why. */
const REFUSE = statement(`insert into reports as r (organisation_id, id, status, warnings, revision, ${NAMES}, ${BY.join(", ")})
  select $1, w.id, 'draft', '[{"code": "not_queued", "detail": null}]', newest.revision, ${NAMES.split(", ")
    .map((name) => `w.${name}`)
    .join(", ")}, $5, $6 from ${WANTED} order by w.company_id, w.audience
  on conflict on constraint reports_one do update set version = r.version + 1, updated_at = statement_timestamp(),
    warnings = jsonb_path_query_array(r.warnings, '$[*] ? (@.code != "not_queued")') || excluded.warnings
  where ${MAY_RUN} returning r.id`);
const JOINED = `${WANTED} join reports r on r.organisation_id = $1 and r.company_id = w.company_id and r.audience = w.audience
    and r.period_start = w.period_start and r.revision = newest.revision`;
/** Waits for mails of the reports that are being claimed, so that the next statement sees them. */
const LOCK = statement(`select r.id, r.published_at from ${JOINED} order by r.id for update of r`);
const STANDING = statement(`select r.id, r.company_id, ${IS_MADE} as is_made, r.status = 'generating' as is_running
  from ${JOINED} order by r.company_name, r.id`);

interface Queued {
  id: string;
  company_id: string;
  audience: "client" | "internal";
  run_id: string;
  prints_only: boolean;
}

interface Standing extends Pick<Queued, "id" | "company_id"> {
  is_made: boolean;
  is_running: boolean;
}

/** The outcome of queueing a report. */
export interface Outcome {
  report_id: string;
  company_id: string;
  /** `in_flight`: another run is making it; `already_sent`: it has left, so its figures are not gathered again. */
  outcome: "queued" | "ready" | "in_flight" | "already_sent";
}

const valuesOf = (planned: readonly PlannedReport[], refresh: boolean): unknown[] => [
  request().organisation.id,
  JSON.stringify(planned.map((report) => ({ ...report, id: newId(), run_id: newId() }))),
  refresh,
  new Date().toISOString(),
];
const by = (): unknown[] => {
  const { principal } = request();
  return [principal?.accountId ?? null, principal?.name ?? null];
};

/**
 * Queues a run for the newest revision of each report, in the running transaction and with a fixed number of statements. A report with a run
 * in flight, or finished with its document, stays unchanged. A published one whose figures are gathered again is withdrawn from the portal.
 * @param refresh also remakes finished reports, but none that has left
 */
export async function queueReports(planned: readonly PlannedReport[], refresh: boolean): Promise<Outcome[]> {
  if (planned.length === 0) return [];
  const values = valuesOf(planned, refresh);
  const before = refresh ? await query<Pick<ReportRow, "id" | "published_at">>(LOCK, values.slice(0, 2)) : [];
  const queued = await query<Queued>(QUEUE, [...values, ...by()]);
  const standing = await query<Standing>(STANDING, values.slice(0, 3));
  const published = new Set(before.flatMap(({ id, published_at }) => (published_at === null ? [] : [id])));
  for (const [kind, some] of Map.groupBy(queued, ({ audience }) => kindOf(audience))) {
    const ids = some.map(({ id }) => id);
    trailAll(kind, ids, "queued");
    trailAll(
      kind,
      some.flatMap(({ id, prints_only }) => (published.has(id) && !prints_only ? [id] : [])),
      "withdrawn",
    );
  }
  scheduleAll(
    RUN_JOB,
    queued.map(({ id, run_id, prints_only }) => ({
      payload: { report_id: id, run_id, prints_only } satisfies RunPayload,
      dedupe: run_id,
    })),
  );
  const isQueued = new Set(queued.map(({ id }) => id));
  return standing.map(({ id, company_id, is_made, is_running }) => ({
    report_id: id,
    company_id,
    outcome: isQueued.has(id) ? "queued" : is_made ? "ready" : is_running ? "in_flight" : "already_sent",
  }));
}

/** Queues the run of a report that was added for it, in the running transaction. */
export const queueRun = (payload: RunPayload): void => scheduleAll(RUN_JOB, [{ payload, dedupe: payload.run_id }]);

/** Adds a warning to reports whose runs could not be queued, in the running transaction. @returns whether there were any */
export async function noteNotQueued(planned: readonly PlannedReport[], refresh: boolean): Promise<boolean> {
  if (planned.length === 0) return false;
  return (await query(REFUSE, [...valuesOf(planned, refresh), ...by()])).length > 0;
}
