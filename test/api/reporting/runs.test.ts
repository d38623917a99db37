import { expect } from "chai";
import type { GatherSection, ReportSectionData } from "../../../core/declare/report-sections.ts";
import { eventsAbout, recordEvents } from "../../support/answers.ts";
import { settled, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { dieInSteps } from "./dying-steps.ts";
import { codesOf, enableReporting, ended, GENERATE, made, restoreFigures, visits, withFigures } from "./report-world.ts";
import { ok, type Row, refused } from "./reporting-world.ts";

const at = <T>(list: readonly T[], index: number) => list[index] as T;
const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };

describe("the run of a report (workspace-reporting §1.5)", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let company: Row;
  let figures: Record<string, GatherSection>;
  before(async () => {
    service = await startService();
    await recordEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    company = await tenant.company();
    figures = { "marketing.traffic_channels": async () => visits(120), "ads.performance": async () => null };
    withFigures(figures);
  });
  afterEach(restoreFigures);
  after(() => service.stop());

  const body = (more: object = {}) => ({ company_id: company["id"], ...JANUARY, ...more });
  const events = async (id: string) => (await eventsAbout(service, id)).map(({ event }: Row) => event as string);

  it("gathers, freezes, prints and publishes, and reports that it is ready", async () => {
    await ok(tenant.owner.put(`/reporting/companies/${company["id"]}/profile`, { display_name: "Zonneveld", locale: "en" }));
    const { report, queued } = await ok(tenant.owner.post(GENERATE, body()));
    expect(queued).to.equal(true);
    expect(report).to.deep.include({
      company_id: company["id"],
      company_name: "Zonneveld",
      audience: "client",
      status: "generating",
      locale: "en",
      title: "Report January 2026",
      ...JANUARY,
      published_at: null,
      sent_at: null,
      pdf_file_id: null,
    });
    const detail = await ended(service, tenant.owner, report.id);
    expect(detail).to.deep.include({
      status: "ready",
      compare_start: "2025-01-01",
      compare_end: "2025-01-31",
      sections: [{ key: "marketing.traffic_channels", title: "Traffic by channel" }],
      edited_sections: [],
      sent_to: [],
      template_id: null,
    });
    expect(detail["data_snapshot"].sections[0].data).to.deep.equal(visits(120));
    expect(detail["published_at"]).to.be.a("string");
    const pdf = await tenant.owner.get(`/reporting/reports/${report.id}/pdf`);
    expect([pdf.status, pdf.headers["content-type"], pdf.text.slice(0, 5)]).to.deep.equal([200, "application/pdf", "%PDF-"]);
    const page = await tenant.owner.get(`/reporting/reports/${report.id}/preview`);
    expect([page.status, page.headers["content-type"]]).to.deep.equal([200, "text/html; charset=utf-8"]);
    expect(page.text).to.include("Zonneveld").and.to.include("120");
    expect(await events(report.id)).to.have.members(["report.published", "report.ready"]);
  });

  it("prints the others where a section fails, and says which failed", async () => {
    figures["ads.performance"] = async () => {
      throw new Error("the provider is down");
    };
    withFigures(figures);
    const report = await made(service, tenant.owner, body());
    expect(report["status"]).to.equal("ready");
    expect(report["sections"].map(({ key }: Row) => key)).to.deep.equal(["marketing.traffic_channels"]);
    expect(report["warnings"][0]).to.deep.equal({ code: "reporting.warning.section_failed", detail: "ads.performance" });
    expect(report["warning_count"]).to.equal(report["warnings"].length);
  });

  it("fails if no section has data: one without a figure, or with zeros alone, has none", async () => {
    for (const empty of [
      null,
      { totals: [] },
      { totals: [{ ...at(visits(1).totals, 0), value: null }] },
      visits(0, 0),
      visits(0, null),
    ]) {
      figures["marketing.traffic_channels"] = async () => empty as ReportSectionData | null;
      withFigures(figures);
      const report = await made(service, tenant.owner, body({ refresh_data: true }));
      expect([report["status"], codesOf(report), report["data_snapshot"]]).to.deep.equal(["failed", ["no_data"], null]);
      for (const part of ["pdf", "preview"])
        expect((await tenant.owner.get(`/reporting/reports/${report["id"]}/${part}`)).status).to.equal(404);
      expect(refused(await tenant.owner.post(`/reporting/reports/${report["id"]}/publish`))).to.deep.equal([
        409,
        "conflict",
        "errors.reporting.not_ready",
      ]);
    }
  });

  it("fails where a chart cannot be drawn, and leaves no document", async () => {
    const series = { kind: "pie", label: { nl: "x", en: "x" }, valueKind: "count", points: [{ key: "a", value: 1, before: 1 }] };
    figures["marketing.traffic_channels"] = async () => ({ ...visits(3), series }) as never;
    withFigures(figures);
    const report = await made(service, tenant.owner, body());
    expect([report["status"], report["pdf_file_id"]]).to.deep.equal(["failed", null]);
    expect(report["warnings"].at(-1)).to.deep.equal({ code: "reporting.warning.document_failed", detail: "draw" });
    expect(await events(report["id"])).to.deep.equal(["report.failed"]);
    // A failed report is generated again on request.
    figures["marketing.traffic_channels"] = async () => visits(3);
    withFigures(figures);
    expect((await made(service, tenant.owner, body()))["status"]).to.equal("ready");
  });

  it("has the sections of its template in the template's order and words, but those the client leaves out", async () => {
    figures["marketing.social"] = async () => visits(1);
    figures["marketing.referral"] = async () => visits(2);
    figures["marketing.site_audit"] = async () => visits(4);
    withFigures(figures);
    const sections = [
      { key: "marketing.social", label_i18n: { nl: "Samen" } },
      { key: "marketing.rankings", enabled: false },
    ];
    const template = await ok(tenant.owner.post("/reporting/templates", { name: "t", layout: { sections } }));
    await ok(tenant.owner.put(`/reporting/companies/${company["id"]}/profile`, { sections: { "marketing.referral": false } }));
    const report = await made(service, tenant.owner, body());
    expect(report["template_id"]).to.equal(template["id"]);
    expect(report["sections"]).to.deep.equal([
      { key: "marketing.social", title: "Samen" },
      { key: "marketing.traffic_channels", title: "Verkeer per kanaal" },
    ]);
    const internal = await made(service, tenant.owner, body({ audience: "internal" }));
    expect(internal["sections"].map(({ key }: Row) => key)).to.deep.equal([
      "marketing.traffic_channels",
      "marketing.social",
      "marketing.site_audit",
    ]);
    expect([internal["status"], internal["published_at"], await events(internal["id"])]).to.deep.equal([
      "ready",
      null,
      ["report.ready"],
    ]);
  });

  it("passes each section the period, the comparison, the client and the audience", async () => {
    const asked: object[] = [];
    figures["marketing.traffic_channels"] = async (one) => {
      asked.push(one);
      return visits(1);
    };
    withFigures(figures);
    await ok(tenant.owner.put("/reporting/settings", { schedule: { compare: "previous" } }));
    await made(service, tenant.owner, body({ audience: "internal" }));
    expect(asked).to.deep.equal([
      {
        company_id: company["id"],
        audience: "internal",
        span: { start: "2026-01-01", end: "2026-01-31" },
        compared: { start: "2025-12-01", end: "2025-12-31" },
        locale: "nl",
      },
    ]);
  });

  it("does not publish where the schedule says so, and stays ready where it cannot be mailed", async () => {
    const schedule = { publish_to_portal: false, delivery: "auto" };
    await ok(tenant.owner.put(`/reporting/companies/${company["id"]}/profile`, { schedule }));
    const report = await made(service, tenant.owner, body());
    expect([report["status"], report["published_at"], report["sent_at"]]).to.deep.equal(["ready", null, null]);
    expect(codesOf(report)).to.include("send_failed");
    expect(await events(report["id"])).to.deep.equal(["report.ready"]);
  });

  it("prints a changed text without new figures, and keeps it over new figures", async () => {
    const { id } = await made(service, tenant.owner, body());
    const path = `/reporting/reports/${id}`;
    const key = "marketing.traffic_channels";
    const edited = await ok(tenant.owner.put(`${path}/narrative`, { narrative: { [key]: "Zelf geschreven." } }));
    expect(edited).to.deep.include({ narrative: { [key]: "Zelf geschreven." }, edited_sections: [key], pdf_file_id: null });
    expect((await tenant.owner.get(`${path}/pdf`)).status).to.equal(404);
    figures[key] = async () => visits(77);
    withFigures(figures);
    const printed = await made(service, tenant.owner, body());
    expect(printed["data_snapshot"].sections[0].data.totals[0].value).to.equal(120);
    expect(printed["pdf_file_id"]).to.be.a("string");
    const renewed = await made(service, tenant.owner, body({ refresh_data: true }));
    expect(renewed["data_snapshot"].sections[0].data.totals[0].value).to.equal(77);
    expect(renewed["narrative"]).to.deep.equal({ [key]: "Zelf geschreven." });
    expect((await tenant.owner.get(`${path}/preview`)).text).to.include("Zelf geschreven.");
    expect((await events(id)).filter((name) => name === "report.published")).to.have.length(1);
    const { rows } = await service.sql.query("select id from files where entity_id = $1", [id]);
    expect(rows).to.deep.equal([{ id: renewed["pdf_file_id"] }]);
  });

  it("shows no text about the former figures while it is made again", async () => {
    const key = "marketing.traffic_channels";
    await ok(tenant.owner.put(`/reporting/companies/${company["id"]}/profile`, { display_name: "freeze end" }));
    const { id } = await made(service, tenant.owner, body());
    const former = { [key]: "Er waren 120 bezoeken." };
    await service.sql.query("update reports set narrative = $2 where id = $1", [id, JSON.stringify(former)]);
    figures[key] = async () => visits(77);
    withFigures(figures);
    let died = 0;
    const restoreSteps = dieInSteps(() => {
      died += 1;
      if (died === 1) throw new Error("the node died");
    });
    try {
      await ok(tenant.owner.post(GENERATE, body({ refresh_data: true })));
      await until(async () => died > 0);
      const detail = await ok(tenant.owner.get(`/reporting/reports/${id}`));
      expect(detail["data_snapshot"].sections[0].data.totals[0].value).to.equal(77);
      expect(detail["narrative"]).to.deep.equal({});
      expect((await tenant.owner.get(`/reporting/reports/${id}/preview`)).text).not.to.include("120 bezoeken");
      expect((await ended(service, tenant.owner, id))["status"]).to.equal("ready");
    } finally {
      restoreSteps();
    }
  });

  it("is taken over by a newer one, and stores nothing any more", async () => {
    let release = () => {};
    let began = () => {};
    const isThere = new Promise<void>((resolve) => (began = resolve));
    const held = new Promise<void>((resolve) => (release = resolve));
    figures["marketing.traffic_channels"] = async () => {
      began();
      await held;
      return visits(1);
    };
    withFigures(figures);
    const { report } = await ok(tenant.owner.post(GENERATE, body()));
    await isThere;
    expect(await ok(tenant.owner.post(GENERATE, body({ refresh_data: true })))).to.deep.include({ queued: false });
    await service.sql.query("update reports set run_begun_at = now() - interval '1201 seconds' where id = $1", [report.id]);
    figures["marketing.traffic_channels"] = async () => visits(2);
    withFigures(figures);
    expect((await ok(tenant.owner.post(GENERATE, body())))["queued"]).to.equal(true);
    const second = await ended(service, tenant.owner, report.id);
    release();
    await settled(service);
    const detail = await ok(tenant.owner.get(`/reporting/reports/${report.id}`));
    expect(detail).to.deep.equal(second);
    expect(detail["data_snapshot"].sections[0].data.totals[0].value).to.equal(2);
  });

  it("ends where its report is deleted", async () => {
    let release = () => {};
    let began = () => {};
    const isThere = new Promise<void>((resolve) => (began = resolve));
    const held = new Promise<void>((resolve) => (release = resolve));
    figures["marketing.traffic_channels"] = async () => {
      began();
      await held;
      return visits(1);
    };
    withFigures(figures);
    const { report } = await ok(tenant.owner.post(GENERATE, body()));
    await isThere;
    expect((await tenant.owner.delete(`/reporting/reports/${report.id}`)).status).to.equal(204);
    release();
    await settled(service);
    const { rows } = await service.sql.query("select 1 from reports where id = $1", [report.id]);
    expect(rows).to.deep.equal([]);
    const dead = "select 1 from jobs.agenda_jobs where name = 'reporting.run' and failed_at is not null";
    expect((await service.sql.query(dead)).rows).to.deep.equal([]);
  });
});
