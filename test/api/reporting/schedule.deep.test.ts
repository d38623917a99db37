import { expect } from "chai";
import sinon from "sinon";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { queueDueReports } from "../../../services/reporting/runs/scheduled-reports.ts";
import { fire, holdSchedules, settled } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { codesOf, enableReporting, GENERATE, made, restoreFigures, storedReport, visits, withFigures } from "./report-world.ts";
import { ok, type Row } from "./reporting-world.ts";

const HOUR = 3_600_000;
const ZONES = ["Europe/Amsterdam", "America/Santiago", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Kiritimati"];

describe('the scheduled work of reports (workspace-reporting §1.5 "Jobs")', function () {
  this.timeout(180_000);
  let service: TestService;
  let tenant: Tenant;
  let company: Row;
  let clock: sinon.SinonFakeTimers | undefined;
  before(async () => {
    service = await startService();
    await holdSchedules(service, "reporting.%");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    company = await tenant.company();
    // Runs end at once, for want of figures.
    withFigures({});
  });
  afterEach(async () => {
    clock?.restore();
    clock = undefined;
    await settled(service);
    restoreFigures();
  });
  after(() => service.stop());

  const enrol = (id: string, body: object = {}) => ok(tenant.owner.put(`/reporting/companies/${id}/profile`, body));
  const reports = async () =>
    (
      await service.sql.query(
        `select company_id, audience, period_start::text as start, period_end::text as "end", status, generated_by_name from reports
          where organisation_id = $1 order by period_start, company_name, audience`,
        [tenant.organisation.id],
      )
    ).rows;
  /** Does the hourly work as the engine would, at an instant and in a zone. */
  const strikeAt = (now: number, timezone = "Europe/Amsterdam") => {
    clock ??= sinon.useFakeTimers({ now, toFake: ["Date"] });
    clock.setSystemTime(now);
    const organisation = { ...tenant.organisation, timezone };
    const write = <T>(work: () => Promise<T>) => inTenancy(() => systemRequest("the job", organisation, "write"), work);
    return queueDueReports({ organisation, write } as unknown as OrganisationRun);
  };
  const at = (instant: string) => strikeAt(Date.parse(instant));

  it("comes at minute 5, and four times an hour for runs that broke off", async () => {
    const { rows } = await service.sql.query(
      "select name, repeat_interval from jobs.agenda_jobs where name like 'reporting.%' and type = 'single' order by name",
    );
    expect(rows).to.deep.equal([
      { name: "reporting.schedule", repeat_interval: "5 * * * *" },
      { name: "reporting.sweep", repeat_interval: "10,25,40,55 * * * *" },
    ]);
  });

  it("makes a report for each audience of every active profile, on the day and hour of its schedule alone", async () => {
    const [quarterly, plain, inactive] = [(await tenant.company()).id, (await tenant.company()).id, (await tenant.company()).id];
    await enrol(company["id"], { schedule: { day_of_month: 7, hour: 6 } });
    await enrol(quarterly, { schedule: { cadence: "quarterly" }, internal_enabled: false });
    await enrol(plain, { internal_enabled: false });
    await enrol(inactive, { active: false });
    for (const elsewhere of ["2026-03-05T06:05:00Z", "2026-03-05T08:05:00Z", "2026-03-06T07:05:00Z"]) await at(elsewhere);
    expect(await reports()).to.deep.equal([]);
    await at("2026-03-05T07:05:00Z");
    const february = { start: "2026-02-01", end: "2026-02-28", status: "generating", generated_by_name: null };
    expect(await reports()).to.deep.equal([{ company_id: plain, audience: "client", ...february }]);
    await at("2026-03-07T05:05:00Z");
    expect((await reports()).map(({ company_id, audience }) => [company_id, audience])).to.have.deep.members([
      [plain, "client"],
      [company["id"], "client"],
      [company["id"], "internal"],
    ]);
    await at("2026-04-05T06:05:00Z");
    const [first] = (await reports()).filter(({ company_id }) => company_id === quarterly);
    expect([first.start, first.end]).to.deep.equal(["2026-01-01", "2026-03-31"]);
  });

  it("creates an organisation's default tone before its first report", async () => {
    await enrol(company["id"]);
    const tones = async () =>
      (await service.sql.query("select key from report_tones where organisation_id = $1", [tenant.organisation.id])).rows;
    expect(await tones()).to.deep.equal([]);
    await at("2026-03-05T07:05:00Z");
    expect(await tones()).to.deep.equal([{ key: "standard" }]);
  });

  it("leaves reports alone that are ready, sent or in the making", async () => {
    const period = { period_start: "2026-02-01", period_end: "2026-02-28" };
    const started = { run_started_at: "2026-03-05T07:00:00Z", status: "generating" };
    const [ready, running, sent] = [company["id"], (await tenant.company()).id, (await tenant.company()).id];
    for (const id of [ready, running, sent]) await enrol(id, { internal_enabled: false });
    await storedReport(service, tenant, running, { ...period, ...started });
    withFigures({ "marketing.traffic_channels": async () => visits(1) });
    for (const company_id of [ready, sent]) await made(service, tenant.owner, { company_id, ...period });
    await service.sql.query("update reports set status = 'sent', sent_at = now() where company_id = $1", [sent]);
    const before = await reports();
    expect(before.map(({ status }) => status)).to.have.members(["ready", "generating", "sent"]);
    await at("2026-03-05T07:05:00Z");
    expect(await reports()).to.deep.equal(before);
  });

  for (const zone of ZONES)
    it(`makes the reports of two years in ${zone}, each once`, async () => {
      await enrol(company["id"], { schedule: { day_of_month: 5, hour: 2 }, internal_enabled: false });
      // The nights around each fifth, hour by hour; every other hour is proved by the table of the rule.
      for (let month = 0; month < 24; month++) {
        const noon = Date.UTC(2026, month, 4, 5, 5);
        for (let hour = 0; hour < 26; hour++) await strikeAt(noon + hour * HOUR, zone);
      }
      const starts = Array.from({ length: 24 }, (_, n) => new Date(Date.UTC(2025, 11 + n, 1)).toISOString().slice(0, 10));
      expect((await reports()).map(({ start }) => start)).to.deep.equal(starts);
      const { rows } = await service.sql.query(
        "select count(*)::int as n from activity where organisation_id = $1 and entity_type = 'report' and action = 'queued'",
        [tenant.organisation.id],
      );
      expect(rows).to.deep.equal([{ n: 24 }]);
    });

  it("fails interrupted runs, once, whatever the licence", async () => {
    const since = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
    const broken = await storedReport(service, tenant, company["id"], {
      status: "generating",
      run_started_at: since(1300),
      run_step: "prose",
    });
    const young = await storedReport(service, tenant, company["id"], {
      status: "generating",
      run_started_at: since(1100),
      period_start: "2025-01-01",
    });
    await service.sql.query("insert into product_licences (module, expires_at) values ('reporting', '2001-01-01')");
    try {
      await fire(service, "reporting.sweep");
      await fire(service, "reporting.sweep");
    } finally {
      await service.sql.query("delete from product_licences where module = 'reporting'");
    }
    const report = await ok(tenant.owner.get(`/reporting/reports/${broken}`));
    expect([report["status"], codesOf(report)]).to.deep.equal(["failed", ["run_timeout"]]);
    expect((await ok(tenant.owner.get(`/reporting/reports/${young}`)))["status"]).to.equal("generating");
  });

  it("leaves a run alone that waits for its turn behind others of a large batch", async () => {
    const since = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
    const waiting = { status: "generating", run_started_at: since(4000), period_start: "2026-01-01", period_end: "2026-01-31" };
    const last = await storedReport(service, tenant, company["id"], waiting);
    const other = await storedReport(service, tenant, (await tenant.company()).id, { ...waiting, run_begun_at: since(1100) });
    const statuses = async () => {
      await fire(service, "reporting.sweep");
      return Promise.all([last, other].map(async (id) => (await ok(tenant.owner.get(`/reporting/reports/${id}`)))["status"]));
    };
    expect(await statuses()).to.deep.equal(["generating", "generating"]);
    const again = { company_id: company["id"], period_start: "2026-01-01", period_end: "2026-01-31", refresh_data: true };
    expect((await ok(tenant.owner.post("/reporting/reports/generate", again)))["queued"]).to.equal(false);
    // One that has ended was begun as well.
    await service.sql.query("update reports set status = 'ready' where id = $1", [other]);
    expect(await statuses()).to.deep.equal(["generating", "ready"]);
    await service.sql.query("update reports set run_begun_at = now() - interval '1201 seconds' where id = $1", [other]);
    expect(await statuses()).to.deep.equal(["failed", "ready"]);
  });

  describe("a report on request", () => {
    const rows: [zone: string, now: string, month: string, quarter: string, nextOnThe1st: string][] = [
      ["Europe/Amsterdam", "2026-03-31T21:59:00Z", "2026-02-01 2026-02-28", "2025-10-01 2025-12-31", "2026-04-01"],
      ["Europe/Amsterdam", "2026-03-31T22:00:00Z", "2026-03-01 2026-03-31", "2026-01-01 2026-03-31", "2026-05-01"],
      ["America/Los_Angeles", "2026-04-01T06:59:00Z", "2026-02-01 2026-02-28", "2025-10-01 2025-12-31", "2026-04-01"],
      ["America/Los_Angeles", "2026-04-01T07:00:00Z", "2026-03-01 2026-03-31", "2026-01-01 2026-03-31", "2026-05-01"],
      ["Pacific/Kiritimati", "2025-12-31T10:00:00Z", "2025-12-01 2025-12-31", "2025-10-01 2025-12-31", "2026-02-01"],
    ];
    for (const [zone, now, month, quarter, nextOnThe1st] of rows)
      it(`is about the whole month or quarter before ${now} in ${zone}, and the next run is after that day`, async () => {
        await service.sql.query("update organisations set timezone = $2 where id = $1", [tenant.organisation.id, zone]);
        const quarterly = (await tenant.company()).id;
        await enrol(company["id"], { schedule: { day_of_month: 1 } });
        await enrol(quarterly, { schedule: { cadence: "quarterly" } });
        clock = sinon.useFakeTimers({ now: Date.parse(now), toFake: ["Date"] });
        const { next_run_on } = await ok(tenant.owner.get(`/reporting/companies/${company["id"]}/profile`));
        expect(next_run_on).to.equal(nextOnThe1st);
        for (const [company_id, period] of [
          [company["id"], month],
          [quarterly, quarter],
        ]) {
          const { report } = await ok(tenant.owner.post(GENERATE, { company_id }));
          expect(`${report.period_start} ${report.period_end}`).to.equal(period);
        }
      });
  });
});
