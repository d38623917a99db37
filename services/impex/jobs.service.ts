import { clearOld } from "../../core/clearing/clear.ts";
import { queryOne } from "../../core/database/query.ts";
import { action } from "../../core/declare/action.ts";
import type { Principal } from "../../core/declare/principal.ts";
import { notFound } from "../../core/errors/errors.ts";
import { DAYS_KEPT, starterId } from "../../core/impex/import-jobs.ts";
import { request } from "../../core/request/context.ts";
import { answer, choice, instant, integer, json, nullable, optional, Type, uuid } from "../../core/schema/schema.ts";
import { JsonText } from "../../core/sql/json-text.ts";
import { statement } from "../../core/sql/statement.ts";
import { ImportAnswer } from "../../mixins/impex/import-answers.ts";
import { service } from "../../mixins/resource.ts";
import { expiredImports, oldImports } from "./imports.due.ts";

const LISTS = ["errors", "left_out", "namesakes"] as const;

const ImportError = answer("ImportJobError", {
  code: Type.String({ description: "The code of the refusal" }),
  message: Type.String({ description: "Its translation key" }),
  fields: optional(json({ description: "Translation keys by field" })),
  details: optional(json({ description: "Facts for a program, such as the limit that was exceeded" })),
});

const ImportJobRead = answer(
  "ImportJobRead",
  {
    id: uuid(),
    entity: Type.String({ description: "The kind of record, as in `/impex/<entity>`" }),
    dry_run: Type.Boolean({ description: "True if nothing is written" }),
    status: choice(["queued", "running", "done", "failed"], {
      description: "`done` has a `result`, possibly with errors: then nothing was written. `failed` has an `error`",
    }),
    rows_done: integer(0, undefined, { description: "Rows that have been looked at; a run that begins again counts from 0" }),
    rows_total: integer(0, undefined, { description: "Rows of the file that hold anything" }),
    result: nullable(ImportAnswer()),
    errors_total: integer(0, undefined, { description: "Number of `errors`; the first 10,000 are kept" }),
    left_out_total: integer(0, undefined, { description: "Number of entries of `left_out`; the first 10,000 are kept" }),
    namesakes_total: integer(0, undefined, { description: "Number of `namesakes`; the first 10,000 are kept" }),
    error: nullable(ImportError),
    created_at: instant(),
    started_at: nullable(instant()),
    ended_at: nullable(instant()),
  },
  {
    id: "The job",
    result: "Result of the import, or of its dry run; null until it is done",
    error: "Why the import failed; null if it did not",
    created_at: "When it was started, UTC",
    started_at: "When the job began, UTC; null while it waits",
    ended_at: "When the job ended, UTC; null before",
  },
);

/** A page of one list of a report. */
const pageOf = (list: string): string => `(select coalesce(jsonb_agg(e.value order by e.n), '[]')
  from jsonb_array_elements(t.report -> '${list}') with ordinality e(value, n) where e.n > $4::int and e.n <= $4::int + $5::int)`;
const instantOf = (column: string): string => `to_char(t.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const READ =
  statement(`select t.version, json_build_object('id', t.id, 'entity', t.entity, 'dry_run', t.dry_run, 'status', t.status,
    'rows_done', t.rows_done, 'rows_total', t.rows_total,
    'result', case when t.report is not null then '{"taken_as": [], "ambiguous": []}'::jsonb || t.report ${LISTS.map((list) => `- '${list}_total'`).join(" ")}
      || jsonb_build_object(${LISTS.map((list) => `'${list}', ${pageOf(list)}`).join(", ")}) end,
    ${LISTS.map((list) => `'${list}_total', coalesce((t.report ->> '${list}_total')::int, 0)`).join(", ")},
    'error', t.error, 'created_at', ${instantOf("created_at")}, 'started_at', ${instantOf("started_at")}, 'ended_at', ${instantOf("ended_at")}
  )::text as body from impex_jobs t where t.organisation_id = $1 and t.id = $2 and t.starter_id = $3`);

/** Imports too long for one call. */
export default service("impex.jobs", {
  actions: {
    get: action({
      rest: "GET /impex/jobs/:job_id",
      summary: "Read the progress and result of an import",
      description: `Visible only to the person who started it. The result is that of a short import; of its lists \`errors\`, \`left_out\` and \`namesakes\` it shows a page. Kept for ${DAYS_KEPT} days from its start; the file is deleted when the import ends.`,
      permission: "impex.import",
      exceptions: { selection: "a job is visible only to the person who started it (conventions §22)" },
      query: {
        limit: optional(integer(1, 1000, { default: 200, description: "Entries of each list that are shown" })),
        offset: optional(integer(0, undefined, { default: 0, description: "Entries of each list that are passed over" })),
      },
      returns: ImportJobRead,
      async handler(ctx) {
        const { job_id: id, limit = 200, offset = 0 } = ctx.params;
        const { organisation, principal } = request();
        const values = [organisation.id, id, starterId(principal as Principal), offset, limit];
        const row = await queryOne<{ version: number; body: string }>(READ, values);
        if (!row) throw notFound();
        return new JsonText(row.body, row.version);
      },
    }),
  },
  jobs: {
    "impex.clean": {
      about: `Removes imports ${DAYS_KEPT} days after their start`,
      schedule: "20 3 * * *",
      due: oldImports,
      spread: 30,
      licenceExempt: "conventions §22: the results of an import are kept for days, whatever the plan",
      handler: (run) => clearOld(run, expiredImports),
    },
  },
});
