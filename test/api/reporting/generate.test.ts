import { expect } from "chai";
import { addDays, endOf, startOf, todayIn } from "../../../core/calendar/calendar.ts";
import { namedSpan } from "../../../core/calendar/named-spans.ts";
import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { mcpClient } from "../../support/mcp.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import {
  BATCH,
  enableReporting,
  GENERATE,
  made,
  reportsMade,
  restoreFigures,
  storedReport,
  visits,
  withFigures,
} from "./report-world.ts";
import { FORBIDDEN, NOT_FOUND, ok, type Row, refused } from "./reporting-world.ts";

const NOBODY = "0196a000-0000-7000-8000-000000000000";
const NOT_QUEUED = [503, "not_queued", "errors.reporting.not_queued"];
const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };

describe("having reports made (workspace-reporting §1.5)", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let company: Row;
  const figures: Record<string, GatherSection> = { "marketing.traffic_channels": async () => null };
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    company = await tenant.company();
    // No figures: a run ends at once, and this test's checks come before it.
    withFigures(figures);
  });
  afterEach(async () => {
    await reportsMade(service, tenant);
    restoreFigures();
  });
  after(() => service.stop());

  const body = (more: object = {}) => ({ company_id: company["id"], ...more });
  const generate = async (more: object = {}) => ok(tenant.owner.post(GENERATE, body(more)));
  const enrol = (id: string, more: object = {}) => ok(tenant.owner.put(`/reporting/companies/${id}/profile`, more));
  const today = () => todayIn(tenant.organisation.timezone, Date.now(), "Europe/Amsterdam");
  const rows = async () => (await ok(tenant.owner.get("/reporting/reports"))) as Row;
  /** Makes a call while no node has said that it takes jobs. */
  const withoutQueue = async <T>(call: () => Promise<T>): Promise<T> => {
    const { rows: working } = await service.sql.query("delete from jobs.workers returning node, figures");
    try {
      return await call();
    } finally {
      for (const { node, figures: known } of working)
        await service.sql.query("insert into jobs.workers (node, figures) values ($1, $2) on conflict do nothing", [node, known]);
    }
  };

  it("is about the previous whole month, or quarter where the client's reports are quarterly", async () => {
    const month = namedSpan("last_month", today());
    const { report } = await generate();
    expect([report.period_start, report.period_end]).to.deep.equal([month.from, month.to]);
    await enrol(company["id"], { schedule: { cadence: "quarterly" } });
    const quarter = namedSpan("last_quarter", today());
    const { report: other } = await generate({ audience: "internal" });
    expect([other.period_start, other.period_end]).to.deep.equal([quarter.from, quarter.to]);
    expect([startOf("quarter", other.period_start), endOf("quarter", other.period_start)]).to.deep.equal([
      other.period_start,
      other.period_end,
    ]);
  });

  it("names the report and its client in the client's language, never by the legal name", async () => {
    const named = await tenant.company({ legal_name: "Legal B.V." });
    const one = await ok(tenant.owner.post(GENERATE, { company_id: named.id, ...JANUARY }));
    expect([one["report"].company_name, one["report"].title]).to.deep.equal([named.name, "Rapportage januari 2026"]);
    await enrol(named.id, { display_name: "Shown", locale: "en" });
    const titles = [
      [{ period_start: "2026-01-01", period_end: "2026-03-31" }, "Internal report Q1 2026"],
      [{ period_start: "2026-02-03", period_end: "2026-02-10" }, "Internal report 3 February 2026 – 10 February 2026"],
    ] as const;
    for (const [period, title] of titles) {
      const { report } = await ok(tenant.owner.post(GENERATE, { company_id: named.id, audience: "internal", ...period }));
      expect([report.company_name, report.title]).to.deep.equal(["Shown", title]);
    }
  });

  it("is one report for each client, audience and first day", async () => {
    const first = await generate(JANUARY);
    await reportsMade(service, tenant);
    // Its run failed for lack of figures, so it is generated again, with the period requested now.
    const again = await generate({ ...JANUARY, period_end: "2026-01-20" });
    expect([again["report"].id, again["report"].period_end, again["queued"]]).to.deep.equal([
      first["report"].id,
      "2026-01-20",
      true,
    ]);
    const internal = await generate({ ...JANUARY, audience: "internal" });
    expect(internal["report"].id).to.not.equal(first["report"].id);
    await reportsMade(service, tenant);
    expect((await rows())["total"]).to.equal(2);
  });

  it("is one report, too, where several ask for it at once", async () => {
    let release = () => {};
    const held = new Promise<null>((resolve) => (release = () => resolve(null)));
    withFigures({ "marketing.traffic_channels": () => held });
    const answers = await Promise.all([1, 2, 3, 4].map(() => generate(JANUARY)));
    release();
    expect(new Set(answers.map(({ report }) => report.id)).size).to.equal(1);
    expect(answers.filter(({ queued }) => queued)).to.have.length(1);
  });

  it("leaves a report alone that is ready, was sent or is in the making; one that is ready is refreshed on request", async () => {
    const sent = { sent_at: "2026-02-05T08:00:00Z", status: "sent", period_start: "2025-11-01", period_end: "2025-11-30" };
    await storedReport(service, tenant, company["id"], sent);
    const id = await storedReport(service, tenant, company["id"]);
    const running = { status: "generating", run_started_at: new Date().toISOString(), period_start: "2025-12-01" };
    const inFlight = await storedReport(service, tenant, company["id"], running);
    const december = { period_start: "2025-12-01", period_end: "2025-12-31" };
    expect(await generate({ ...december, refresh_data: true })).to.deep.include({ queued: false });
    await service.sql.query("update reports set run_started_at = now() - interval '1201 seconds' where id = $1", [inFlight]);
    expect(await generate(december)).to.deep.include({ queued: true });
    const refreshed = await generate({ ...JANUARY, refresh_data: true });
    expect([refreshed["report"].id, refreshed["queued"]]).to.deep.equal([id, true]);
    const november = body({ period_start: "2025-11-01", period_end: "2025-11-30", refresh_data: true });
    expect(refused(await tenant.owner.post(GENERATE, november))).to.deep.equal([
      409,
      "conflict",
      "errors.reporting.already_sent",
    ]);
  });

  it("answers 404 for a client that the caller does not see", async () => {
    const other = await service.tenant();
    for (const company_id of [NOBODY, (await other.company()).id])
      expect(refused(await tenant.owner.post(GENERATE, { company_id }))).to.deep.equal(NOT_FOUND);
    const hidden = await tenant.company();
    const member = await tenant.member("member");
    await tenant.group("mine", [company["id"]], [member.membershipId]);
    expect(refused(await member.post(GENERATE, { company_id: hidden.id }))).to.deep.equal(NOT_FOUND);
    expect((await member.post(GENERATE, { company_id: company["id"] })).status).to.equal(200);
  });

  it("needs a permission of its own for internal reports", async () => {
    const grants = ["reporting.report.read:any", "reporting.report.write"];
    const writer = await tenant.member("member", { grants });
    for (const [path, more] of [
      [GENERATE, body({ audience: "internal" })],
      [BATCH, { audience: "internal" }],
    ] as const)
      expect(refused(await writer.post(path, more))).to.deep.equal(FORBIDDEN);
    expect((await writer.post(GENERATE, body())).status).to.equal(200);
    expect((await (await tenant.member("client")).post(GENERATE, body())).status).to.equal(403);
  });

  it("refuses an invalid period, and names the field", async () => {
    const tomorrow = addDays(today(), 1);
    const cases: [object, object][] = [
      [{ period_start: tomorrow, period_end: addDays(tomorrow, 30) }, { period_start: "errors.validation" }],
      [{ period_start: "2026-01-01" }, { period_end: "errors.required" }],
      [{ period_end: "2026-01-01" }, { period_start: "errors.required" }],
      [{ period_start: "2026-02-01", period_end: "2026-01-01" }, { period_end: "errors.validation" }],
      [{ period_start: "2024-01-01", period_end: "2026-01-01" }, { period_end: "errors.validation" }],
    ];
    for (const [period, fields] of cases)
      for (const [path, more] of [
        [GENERATE, body(period)],
        [BATCH, period],
      ] as const)
        expect(refused(await tenant.owner.post(path, more)), JSON.stringify(period)).to.deep.equal([
          422,
          "validation",
          "errors.validation",
          fields,
        ]);
  });

  it("refuses a period that has not begun over MCP, too, and leaves no report of it", async () => {
    await enrol(company["id"]);
    const tomorrow = addDays(today(), 1);
    const period = { period_start: tomorrow, period_end: addDays(tomorrow, 30) };
    const client = await mcpClient(service.port, { host: tenant.host, key: tenant.owner.key });
    try {
      for (const [operation, sent] of [
        ["reportingReportsGenerate", body(period)],
        ["reportingReportsGenerateBatch", period],
      ] as const) {
        const { structuredContent } = await client.callTool({
          name: "call_tool",
          arguments: { operation, arguments: { body: sent } },
        });
        const { status, error } = structuredContent as { status: number; error: { fields: object } };
        expect([status, error.fields], operation).to.deep.equal([422, { period_start: "errors.validation" }]);
      }
    } finally {
      await client.close();
    }
    expect((await rows())["total"]).to.equal(0);
    // One that begins today has begun.
    expect((await generate({ period_start: today(), period_end: today() }))["queued"]).to.equal(true);
  });

  it("answers 503 where no node takes jobs: a new report is a draft, one that is there keeps its status, and both say why", async () => {
    const ready = await storedReport(service, tenant, company["id"], { pdf_file_id: null, status: "failed" });
    const march = body({ period_start: "2026-03-01", period_end: "2026-03-31" });
    for (const asked of [body(JANUARY), body(JANUARY), march])
      expect(refused(await withoutQueue(() => tenant.owner.post(GENERATE, asked)))).to.deep.equal(NOT_QUEUED);
    // An invalid request is refused as always.
    expect(refused(await withoutQueue(() => tenant.owner.post(GENERATE, { company_id: NOBODY })))).to.deep.equal(NOT_FOUND);
    const warnings = [{ code: "reporting.warning.not_queued", detail: null }];
    expect(await ok(tenant.owner.get(`/reporting/reports/${ready}`))).to.deep.include({ status: "failed", warnings });
    const { items } = await rows();
    const [draft] = items;
    expect(draft).to.deep.include({ status: "draft", period_start: "2026-03-01", warning_count: 1 });
    expect(refused(await tenant.owner.post(`/reporting/reports/${draft.id}/publish`))).to.deep.equal([
      409,
      "conflict",
      "errors.reporting.not_ready",
    ]);
    const { report, queued } = await ok(tenant.owner.post(GENERATE, march));
    expect([report.id, report.warning_count, queued]).to.deep.equal([draft.id, 0, true]);
  });

  describe("of many clients", () => {
    it(
      "makes those of every active profile, and says of the others why not",
      oneProcess("replaces functions of the process", async () => {
        const [inactive, ready, running] = [await tenant.company(), await tenant.company(), await tenant.company()];
        await enrol(company["id"]);
        await enrol(inactive.id, { active: false });
        await enrol(ready.id);
        await enrol(running.id);
        const { rows: files } = await service.sql.query("select id from files where organisation_id = $1", [
          tenant.organisation.id,
        ]);
        expect(files).to.deep.equal([]);
        await storedReport(service, tenant, running.id, { status: "generating", run_started_at: new Date().toISOString() });
        figures["marketing.traffic_channels"] = async () => visits(1);
        withFigures(figures);
        await made(service, tenant.owner, { company_id: ready.id, ...JANUARY });
        figures["marketing.traffic_channels"] = async () => null;
        const answer = await ok(tenant.owner.post(BATCH, JANUARY));
        expect(answer).to.deep.include({ queued: 1, enrolled: 3, unconfigured: 0 });
        expect(answer["skipped"]).to.have.deep.members([
          { company_id: ready.id, reason: "already_ready" },
          { company_id: running.id, reason: "errors.reporting.not_ready" },
        ]);
      }),
    );

    it("takes the clients that are named alone", async () => {
      const other = await tenant.company();
      await enrol(company["id"]);
      await enrol(other.id);
      const answer = await ok(tenant.owner.post(BATCH, { company_ids: [company["id"], NOBODY] }));
      expect(answer).to.deep.equal({
        queued: 1,
        skipped: [{ company_id: NOBODY, reason: "errors.not_found" }],
        enrolled: 1,
        unconfigured: 0,
      });
    });

    it("counts the clients with a link and no profile if none has one", async () => {
      await service.sql.query(
        `insert into marketing_links (id, organisation_id, company_id, source, external_id, display_name)
         values (gen_random_uuid(), $1, $2, 'ga4', '1', 'Shop'), (gen_random_uuid(), $1, $2, 'gsc', '2', 'Shop')`,
        [tenant.organisation.id, company["id"]],
      );
      const none = { queued: 0, skipped: [], enrolled: 0 };
      expect(await ok(tenant.owner.post(BATCH, {}))).to.deep.equal({ ...none, unconfigured: 1 });
      await service.sql.query("update marketing_links set active = false where organisation_id = $1", [tenant.organisation.id]);
      expect(await ok(tenant.owner.post(BATCH, {}))).to.deep.equal({ ...none, unconfigured: 0 });
    });

    it("leaves out clients of which the caller sees nothing", async () => {
      const hidden = await tenant.company();
      await enrol(company["id"]);
      await enrol(hidden.id);
      const member = await tenant.member("member");
      await tenant.group("mine", [company["id"]], [member.membershipId]);
      expect(await ok(member.post(BATCH, {}))).to.deep.include({ queued: 1, enrolled: 1 });
      expect((await rows())["items"].map(({ company_id }: Row) => company_id)).to.deep.equal([company["id"]]);
    });

    it("is refused as a whole where no node takes jobs", async () => {
      await enrol(company["id"]);
      expect(refused(await withoutQueue(() => tenant.owner.post(BATCH, {})))).to.deep.equal(NOT_QUEUED);
      expect((await rows())["items"][0]).to.deep.include({ status: "draft", warning_count: 1 });
    });
  });
});
