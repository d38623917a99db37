import { column, columns, type RowOf, tenantModel } from "../database/model.ts";
import { enqueue, query, queryOne } from "../database/query.ts";
import type { Principal } from "../declare/principal.ts";
import { request } from "../request/context.ts";
import { statement } from "../sql/statement.ts";
import type { DateOrder } from "./files/dates.ts";
import type { UnknownWords } from "./known-words.ts";
import type { ImportReport } from "./report.ts";

/** The caller's options for the file. */
export interface ImportAsked {
  map: string | null;
  sheet: string | null;
  header_row: number | null;
  /** Absent in jobs of earlier versions. */
  date_order?: DateOrder | null;
  unknown?: UnknownWords;
  company_id?: string | undefined;
  /** Keys of the enabled switches. */
  switches: string[];
}

/** The reason of a failed import, in the form of an API error. */
export interface StoredError {
  code: string;
  message: string;
  fields?: Record<string, string>;
  details?: Record<string, string | number | boolean>;
}

/** A report as stored: the first entries of each list, and their total number. */
export interface StoredReport extends ImportReport {
  errors_total: number;
  left_out_total: number;
  namesakes_total: number;
}

/** Imports that run as jobs. */
export const ImportJob = tenantModel("impex_jobs", {
  entity: column.text(),
  starter_id: column.uuid(),
  starter: column.json<Principal>(),
  options: column.json<ImportAsked>(),
  dry_run: column.boolean(),
  file_id: column.uuid(),
  status: column.text<"queued" | "running" | "done" | "failed">().withDefault(),
  run: column.uuid().orNull(),
  rows_done: column.integer().withDefault(),
  rows_total: column.integer(),
  report: column.json<StoredReport>().orNull(),
  error: column.json<StoredError>().orNull(),
  started_at: column.instant().orNull(),
  ended_at: column.instant().orNull(),
});
export type ImportJobRow = RowOf<typeof ImportJob>;

/** The entity type of a job's file. */
export const IMPORT_JOB = "impex_job";
/** Days after its creation for which a job and its report are kept. */
export const DAYS_KEPT = 7;
/** Maximum stored entries per list of a report; further ones are only counted. */
const MOST_KEPT = 10_000;

const BEGIN =
  statement(`update impex_jobs t set status = 'running', run = $3, rows_done = 0, started_at = coalesce(t.started_at, now()),
    version = t.version + 1, updated_at = now()
  where t.organisation_id = $1 and t.id = $2 and t.status in ('queued', 'running') returning ${columns(ImportJob, "t")}`);
const PROGRESS = statement(`update impex_jobs set rows_done = least($4, rows_total), version = version + 1, updated_at = now()
  where organisation_id = $1 and id = $2 and run = $3 and status = 'running' and rows_done < $4`);
const END =
  statement(`update impex_jobs set status = $4, report = $5, error = $6, ended_at = now(), version = version + 1, updated_at = now(),
    rows_done = case when $4 = 'done' then rows_total else rows_done end
  where organisation_id = $1 and id = $2 and run = $3 and status = 'running' returning file_id`);

/** Another run has taken over the job, or it has ended: discard this run's work. */
export class Superseded extends Error {
  override name = "Superseded";
}

/** The starter of a job: the person, the service account, or the operator's visit. */
export const starterId = ({ accountId, serviceAccountId, credential }: Principal): string =>
  accountId ?? serviceAccountId ?? credential.id;

/** Claims a job for a run, in the running transaction. @returns undefined if it has ended */
export const beginImport = (id: string, run: string): Promise<ImportJobRow | undefined> =>
  queryOne<ImportJobRow>(BEGIN, [request().organisation.id, id, run]);

/** Records the number of finished rows. */
export const noteProgress = (id: string, run: string, done: number): void =>
  enqueue(PROGRESS, [request().organisation.id, id, run, done]);

/**
 * Ends a job in the running transaction, for a successful import that of its rows, so that both are stored together.
 * @throws Superseded if another run has taken over the job
 */
export async function endImport(
  id: string,
  run: string,
  outcome: { report: ImportReport } | { error: StoredError },
): Promise<string> {
  const [status, report, error] =
    "report" in outcome ? ["done", storedReport(outcome.report), null] : ["failed", null, outcome.error];
  const values = [request().organisation.id, id, run, status, report && JSON.stringify(report), error && JSON.stringify(error)];
  const [row] = await query<{ file_id: string }>(END, values);
  if (!row) throw new Superseded(`the import ${id} belongs to another run`);
  return row.file_id;
}

const storedReport = (report: ImportReport): StoredReport => ({
  ...report,
  errors: report.errors.slice(0, MOST_KEPT),
  left_out: report.left_out.slice(0, MOST_KEPT),
  namesakes: report.namesakes.slice(0, MOST_KEPT),
  errors_total: report.errors.length,
  left_out_total: report.left_out.length,
  namesakes_total: report.namesakes.length,
});
