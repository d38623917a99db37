import { expect } from "chai";
import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { eventsAbout, recordEvents } from "../../support/answers.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { enableReporting, ended, GENERATE, visits, withFigures } from "./report-world.ts";
import { ok, type Row } from "./reporting-world.ts";

const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };

describe("the run of a report (workspace-reporting §1.5)", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let company: Row;
  let figures: Record<string, GatherSection>;
  let restore = () => {};
  before(async () => {
    service = await startService({ SERVICE_JOBS_POLL_MS: "200" });
    await recordEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    company = await tenant.company();
    figures = { "marketing.traffic_channels": async () => visits(120), "ads.performance": async () => null };
    ({ restore } = withFigures(figures));
  });
  afterEach(() => restore());
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
});
