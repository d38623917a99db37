import { expect } from "chai";
import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { RUN_STEPS, type RunStep } from "../../../services/reporting/runs/run-steps.ts";
import { eventsAbout, recordEvents } from "../../support/answers.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { textsOfPdf } from "./printed-texts.ts";
import { codesOf, enableReporting, made, restoreFigures, visits, withFigures } from "./report-world.ts";
import { ok, type Row } from "./reporting-world.ts";

const SECTION = "marketing.traffic_channels";
const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };

/** Calls `work` before every step of a run. @returns what puts the steps back */
function beforeSteps(work: (step: string, reportId: string) => Promise<void>): () => void {
  const steps = RUN_STEPS as [string, RunStep][];
  const own = [...steps];
  for (const [at, [name, step]] of own.entries())
    steps[at] = [
      name,
      async (run, report) => {
        await work(name, report.id);
        return step(run, report);
      },
    ];
  return () => steps.splice(0, steps.length, ...own);
}

describe('the steps of a report\'s run (workspace-reporting §1.5 "Run order")', function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let company: Row;
  let restoreSteps = () => {};
  before(async () => {
    service = await startService();
    await recordEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    company = await tenant.company();
    withFigures({ [SECTION]: async () => visits(120) });
  });
  afterEach(() => {
    restoreSteps();
    restoreFigures();
  });
  after(() => service.stop());

  const make = (more: object = {}) => made(service, tenant.owner, { company_id: company["id"], ...JANUARY, ...more });
  const sql = async (text: string, id: string): Promise<Row> => (await service.sql.query(text, [id])).rows[0];

  it("freezes the figures before it writes, prints before it is ready, publishes then, and reports it at the end", async () => {
    const seen: string[] = [];
    const stored = `select concat_ws(' ', status, case when data_snapshot is not null then 'frozen' end, case when pdf_file_id is not null
        then 'printed' end, case when published_at is not null then 'published' end) as state from reports where id = $1`;
    restoreSteps = beforeSteps(async (step, id) => {
      const events = (await eventsAbout(service, id)).map(({ event }) => event);
      seen.push([`${step}:`, (await sql(stored, id))["state"], ...events].join(" "));
    });
    const { id } = await make();
    expect(seen).to.deep.equal([
      "gather: generating",
      "freeze: generating",
      "prose: generating frozen",
      "draw: generating frozen",
      "pdf: generating frozen",
      "ready: generating frozen printed",
      "publish: ready frozen printed",
      "mail: ready frozen printed published report.published",
    ]);
    expect((await eventsAbout(service, id)).map(({ event }) => event)).to.deep.equal(["report.published", "report.ready"]);
  });

  it("gathers no section of a module that the organisation has not enabled", async () => {
    const asked: string[] = [];
    const gathering =
      (key: string): GatherSection =>
      async () => {
        asked.push(key);
        return visits(1);
      };
    withFigures({ [SECTION]: gathering(SECTION), "ads.performance": gathering("ads.performance") });
    await service.sql.query("update organisations set enabled_modules = $2 where id = $1", [
      tenant.organisation.id,
      ["marketing", "reporting"],
    ]);
    expect((await make())["sections"].map(({ key }: Row) => key)).to.deep.equal([SECTION]);
    expect(asked).to.deep.equal([SECTION]);
  });

  it("fails after 900 s, with the step that it did not begin, and not before", async () => {
    const lasting = (seconds: number) =>
      withFigures({
        [SECTION]: async ({ company_id }) => {
          await service.sql.query(
            `update reports set run_begun_at = now() - interval '${seconds} seconds' where company_id = $1 and status = 'generating'`,
            [company_id],
          );
          return visits(1);
        },
      });
    lasting(905);
    const late = await make();
    expect([late["status"], late["warnings"]]).to.deep.equal([
      "failed",
      [{ code: "reporting.warning.run_timeout", detail: "freeze" }],
    ]);
    lasting(850);
    const next = await make();
    expect([next["id"], next["status"], codesOf(next).includes("run_timeout")]).to.deep.equal([late["id"], "ready", false]);
  });

  it("prints a text that a person wrote while it was being printed", async () => {
    let printings = 0;
    restoreSteps = beforeSteps(async (step, id) => {
      if (step !== "pdf") return;
      printings += 1;
      if (printings > 1) return;
      await ok(tenant.owner.put(`/reporting/reports/${id}/narrative`, { narrative: { [SECTION]: "Tussendoor geschreven." } }));
    });
    const report = await make();
    expect([report["status"], report["narrative"], report["edited_sections"], printings]).to.deep.equal([
      "ready",
      { [SECTION]: "Tussendoor geschreven." },
      [SECTION],
      2,
    ]);
    const { bytes } = await tenant.owner.get(`/reporting/reports/${report["id"]}/pdf`);
    expect((await textsOfPdf(bytes)).join(" ")).to.include("Tussendoor geschreven.");
    const { rows } = await service.sql.query("select id from files where entity_id = $1", [report["id"]]);
    expect(rows).to.deep.equal([{ id: report["pdf_file_id"] }]);
  });

  it("is reported once for each time that a person publishes its report", async () => {
    const schedule = { publish_to_portal: false };
    await ok(tenant.owner.put(`/reporting/companies/${company["id"]}/profile`, { schedule }));
    const { id } = await make();
    const publish = (published: boolean) => ok(tenant.owner.post(`/reporting/reports/${id}/publish?published=${published}`));
    const published = async () => (await eventsAbout(service, id)).filter(({ event }) => event === "report.published");
    expect(await published()).to.deep.equal([]);
    for (const shown of [true, true, false, false, true]) await publish(shown);
    expect((await published()).map(({ payload }) => payload)).to.deep.equal(
      Array.from({ length: 2 }, () => ({
        report_id: id,
        company_id: company["id"],
        company_name: company["name"],
        audience: "client",
        ...JANUARY,
      })),
    );
  });
});
