import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { ReportAudience } from "../../../core/declare/report-sections.ts";
import { conflict, forbidden, notFound, refusal } from "../../../core/errors/errors.ts";
import { hasWorkers } from "../../../core/jobs/store.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { headOfReport, seesInternal, writtenReport } from "../reports/report.list.ts";
import { reportForWrite } from "../reports/report-rows.ts";
import {
  PeriodicReportDetail,
  ReportBatch,
  ReportGenerate,
  ReportGenerateBatch,
  ReportGenerated,
} from "../reports/report-schemas.ts";
import { addRevision } from "../reports/revisions.ts";
import { seedHouseTone } from "../tones/tone-rows.ts";
import { namedPeriod, type SentPeriod } from "./asked-period.ts";
import { clientToReport, enrolledClients, type PlannedReport, plannedReports } from "./planned-reports.ts";
import { noteNotQueued, type Outcome, queueReports, queueRun } from "./queue-reports.ts";

const counted = (linked: readonly string[]): Statement =>
  statement(`select count(*)::int as count from companies c where c.organisation_id = $1
    and ($2::uuid[] is null or c.id = any($2::uuid[])) and ($3::uuid[] is null or c.id in (select selected_companies($3::uuid[])))
    and c.id in (${linked.join(" union ")})
    and not exists (select from report_profiles p where p.organisation_id = c.organisation_id and p.company_id = c.id)`);
let known: Statement | undefined;

/**
 * Counts the visible clients with an active link to a source of figures, as declared by the sections' modules, but without a profile.
 * @param ids only these; null for all
 */
async function unconfiguredClients(ids: readonly string[] | null): Promise<number> {
  const linked = catalogue().built.flatMap(({ manifest }) => manifest.reportClients ?? []);
  if (linked.length === 0) return 0;
  known ??= counted(linked);
  const { organisation, principal } = request();
  return (await queryOne<{ count: number }>(known, [organisation.id, ids, principal?.selection ?? null]))?.count ?? 0;
}

const WRITE = "reporting.report.write";
const ALREADY_SENT = "errors.reporting.already_sent";
const NOT_SENT = "errors.reporting.not_sent";
const NOT_QUEUED = "not_queued errors.reporting.not_queued";

const SKIPPED =
  "a client of another organisation or outside the caller's selection is skipped like an unknown one (conventions §5, bulk); a separate test shows that";

interface RunRequest extends SentPeriod {
  audience?: ReportAudience | undefined;
  refresh_data?: boolean | undefined;
}
interface BatchRequest extends RunRequest {
  company_ids?: string[] | null | undefined;
}

/** @throws 403 for internal reports without their own permission */
function requireAudience({ audience = "client" }: RunRequest): ReportAudience {
  if (audience === "internal" && !seesInternal()) throw forbidden();
  return audience;
}

/** Plans the requested report. @throws 403, 404, 422 */
async function plannedOne(body: RunRequest & { company_id: string }): Promise<PlannedReport[]> {
  const audience = requireAudience(body);
  const named = namedPeriod(body, organisationToday());
  const client = await clientToReport(body.company_id);
  if (!client) throw notFound();
  return plannedReports([{ client, audience }], named);
}

/** Plans the requested reports of enrolled clients. @throws 403, 422 */
async function plannedBatch(body: BatchRequest): Promise<PlannedReport[]> {
  const audience = requireAudience(body);
  const named = namedPeriod(body, organisationToday());
  const clients = await enrolledClients(body.company_ids ?? null);
  return plannedReports(
    clients.map((client) => ({ client, audience })),
    named,
  );
}

/**
 * Refuses while no node runs jobs, before the request has a transaction: the reports keep their status and get a warning.
 * @throws 503 `not_queued`, and the errors of `plan`
 */
async function requireQueue(plan: () => Promise<PlannedReport[]>, { refresh_data: refresh = false }: RunRequest): Promise<void> {
  if (await hasWorkers()) return;
  const isAny = await inOwnTransaction(async () => noteNotQueued(await plan(), refresh));
  if (isAny) throw refusal("not_queued", "errors.reporting.not_queued");
}

/** A report as the answer of `generate` shows it. */
async function headOf(id: string): Promise<object> {
  const found = await queryOne<{ body: string }>(headOfReport, [request().organisation.id, id]);
  if (!found) throw notFound();
  return JSON.parse(found.body) as object;
}

/** Why no run was queued for a client. */
const REASONS: Readonly<Record<Exclude<Outcome["outcome"], "queued">, string>> = {
  ready: "already_ready",
  in_flight: "errors.reporting.not_ready",
  already_sent: ALREADY_SENT,
};

/** Generates reports on request (workspace-reporting §1.5). */
export default service("reporting.generation", {
  actions: {
    generate: action({
      rest: "POST /reporting/reports/generate",
      summary: "Have a client's report made",
      description:
        "There is one for each client, audience and first day, or its newest revision. A report that is ready or in progress is returned unchanged; a report with changed text is printed again. A report that was sent, or that a recipient may have, keeps its figures: `refresh_data` is 409, and `revise` makes a correction. New figures of a published report withdraw it from the portal. A job creates it: poll until its status is no longer `generating`.",
      permission: WRITE,
      status: 200,
      body: ReportGenerate,
      returns: ReportGenerated,
      errors: ["not_found", "forbidden", `conflict ${ALREADY_SENT}`, NOT_QUEUED],
      tool: {
        name: "make_report",
        description: "Has a client's report of a period made; read it until its status is no longer `generating`.",
        inArea: true,
        takes: ["company_id", "period_start", "period_end", "audience"],
      },
      prepare: ({ params: { body } }) => requireQueue(() => plannedOne(body), body),
      async handler({ params: { body } }) {
        await seedHouseTone();
        const [outcome] = await queueReports(await plannedOne(body), body.refresh_data ?? false);
        if (!outcome) throw notFound();
        if (outcome.outcome === "already_sent") throw conflict(ALREADY_SENT);
        return { report: await headOf(outcome.report_id), queued: outcome.outcome === "queued" };
      },
    }),

    revise: action({
      rest: "POST /reporting/reports/:report_id/revise",
      summary: "Have a sent report corrected as its next revision",
      description:
        "A sent report never changes. The correction is a new report of the same period, with the sent one's client, template and the texts that a person wrote, made from current figures by a job. It is not published or mailed automatically.",
      permission: WRITE,
      conditional: true,
      returns: PeriodicReportDetail,
      errors: ["not_found", `conflict ${NOT_SENT}`, NOT_QUEUED],
      async prepare() {
        if (!(await hasWorkers())) throw refusal("not_queued", "errors.reporting.not_queued");
      },
      async handler(ctx) {
        const run = await addRevision(await reportForWrite(ctx.params.report_id));
        queueRun({ ...run, prints_only: false });
        return writtenReport(run.report_id);
      },
    }),

    generateBatch: action({
      rest: "POST /reporting/reports/generate-batch",
      summary: "Generate the reports of all clients with an active profile",
      description: "A separate job creates each. Clients without a queued run are listed with the reason.",
      permission: WRITE,
      status: 200,
      body: ReportGenerateBatch,
      returns: ReportBatch,
      errors: ["forbidden", NOT_QUEUED],
      exceptions: { tenancy: SKIPPED, selection: SKIPPED },
      prepare: ({ params: { body } }) => requireQueue(() => plannedBatch(body), body),
      async handler({ params: { body } }) {
        await seedHouseTone();
        const planned = await plannedBatch(body);
        const outcomes = await queueReports(planned, body.refresh_data ?? false);
        const enrolled = new Set(planned.map(({ company_id }) => company_id));
        const asked = new Set((body.company_ids ?? []).map((id) => id.toLowerCase()));
        return {
          queued: outcomes.filter(({ outcome }) => outcome === "queued").length,
          skipped: [
            ...outcomes.flatMap(({ company_id, outcome }) =>
              outcome === "queued" ? [] : [{ company_id, reason: REASONS[outcome] }],
            ),
            ...[...asked].flatMap((company_id) => (enrolled.has(company_id) ? [] : [{ company_id, reason: "errors.not_found" }])),
          ],
          enrolled: enrolled.size,
          unconfigured: enrolled.size > 0 ? 0 : await unconfiguredClients(body.company_ids ?? null),
        };
      },
    }),
  },
});
