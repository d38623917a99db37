import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { GatherSection, ReportSection, ReportSectionData } from "../../../core/declare/report-sections.ts";
import { until } from "../../support/jobs.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { ok, type Row } from "./reporting-world.ts";

/** What gathers each section without a test, while a test replaces it. */
let own: ReadonlyMap<string, ReportSection["load"]> | null = null;
const declared = () => catalogue().reportSections as ReportSection[];

function load(section: ReportSection, gather: ReportSection["load"]): void {
  if (gather) section.load = gather;
  else delete section.load;
}

/** Gives sections a test's figures; the others have none. */
export function withFigures(figures: Readonly<Record<string, GatherSection>>): void {
  own ??= new Map(declared().map((section) => [section.key, section.load]));
  for (const section of declared()) {
    const gather = figures[section.key];
    load(section, gather && (async () => gather));
  }
}

/** Gives sections back what gathers them; without `withFigures` before it, they keep it. */
export function restoreFigures(): void {
  if (own) for (const section of declared()) load(section, own.get(section.key));
  own = null;
}

/** Figures of a span, of which one is compared. */
export const visits = (value: number, before: number | null = 100): ReportSectionData => ({
  totals: [
    {
      key: "sessions",
      label: { nl: "Bezoeken", en: "Visits" },
      kind: "count",
      value,
      before,
    },
  ],
});

export const BATCH = "/reporting/reports/generate-batch";
export const GENERATE = "/reporting/reports/generate";

/** Has a report made and waits until its run is over. @returns its detail */
export async function made(service: TestService, caller: Caller, body: object): Promise<Row> {
  const { report } = await ok(caller.post(GENERATE, body));
  return ended(service, caller, report.id);
}

/** The detail of a report once its run is over. */
export async function ended(service: TestService, caller: Caller, id: string): Promise<Row> {
  await until(async () => {
    const { rows } = await service.sql.query("select run_id from reports where id = $1", [id]);
    return rows[0]?.run_id === null;
  });
  return ok(caller.get(`/reporting/reports/${id}`));
}

/** Enables the modules whose sections reports have. */
export const enableReporting = ({ sql }: TestService, { organisation }: Tenant) =>
  sql.query("update organisations set enabled_modules = $2 where id = $1", [
    organisation.id,
    ["marketing", "ads_platform", "reporting"],
  ]);

/** Codes of a report's warnings without their prefix. */
export const codesOf = ({ warnings }: Row): string[] => warnings.map(({ code }: Row) => code.replace("reporting.warning.", ""));

/** A report as a finished run would leave it, written by SQL. @returns its id */
export async function storedReport(
  { sql }: TestService,
  { organisation }: Tenant,
  companyId: string | null,
  values: Record<string, unknown> = {},
): Promise<string> {
  const row: Record<string, unknown> = {
    organisation_id: organisation.id,
    company_id: companyId,
    company_name: "Zonneveld",
    audience: "client",
    status: "ready",
    locale: "nl",
    title: "Rapportage",
    period_start: "2026-01-01",
    period_end: "2026-01-31",
    compare_start: "2025-01-01",
    compare_end: "2025-01-31",
    ...values,
  };
  const names = Object.keys(row);
  const { rows } = await sql.query(
    `insert into reports (id, ${names.join(", ")}) values (gen_random_uuid(), ${names.map((_, n) => `$${n + 1}`).join(", ")}) returning id`,
    Object.values(row),
  );
  return rows[0].id;
}

const RUNNING = "select 1 from reports where organisation_id = $1 and run_id is not null";

/** Waits until no report of the organisation is being made. On a service that files share, other jobs may wait for hours. */
export const reportsMade = ({ sql }: Pick<TestService, "sql">, { organisation }: Tenant) =>
  until(async () => (await sql.query(RUNNING, [organisation.id])).rowCount === 0);
