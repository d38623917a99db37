import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { ok, type Row } from "./reporting-world.ts";

const CATALOGUE: [key: string, audience: string, source: string][] = [
  ["reporting.summary", "both", "report"],
  ["marketing.traffic_channels", "both", "ga4"],
  ["marketing.search_engines", "both", "ga4"],
  ["marketing.rankings", "both", "rankings"],
  ["marketing.search_console", "both", "gsc"],
  ["ads.performance", "both", "gads"],
  ["marketing.referral", "both", "ga4"],
  ["marketing.social", "both", "ga4"],
  ["marketing.conversions", "both", "ga4"],
  ["marketing.ai_search", "both", "seranking"],
  ["work.done", "both", "tasks"],
  ["uptime.availability", "both", "uptime"],
  ["marketing.site_audit", "internal", "seranking"],
  ["ads.changes", "internal", "gads"],
];

describe("the catalogue of sections (workspace-reporting §1.3)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = async () => (await ok(tenant.owner.get("/reporting/templates/sections"))) as unknown as Row[];
  const enable = (modules: readonly string[]) =>
    service.sql.query("update organisations set enabled_modules = $2 where id = $1", [tenant.organisation.id, modules]);

  it("has the summary, the eleven of the text, and those of work and uptime by position, module being the text before the first dot", async () => {
    await enable(["marketing", "workspace", "ads_platform", "reporting", "tasks", "uptime"]);
    expect(await list()).to.deep.equal(
      CATALOGUE.map(([key, audience, source_key]) => ({
        key,
        title_key: `reporting.section.${key}`,
        audience,
        module: key.split(".")[0],
        source_key,
      })),
    );
  });

  it("has those of enabled modules alone", async () => {
    await enable(["marketing", "reporting"]);
    const ofMarketing = Array.from({ length: 9 }, () => "marketing");
    expect((await list()).map(({ module }) => module)).to.deep.equal(["reporting", ...ofMarketing]);
    await enable(["reporting"]);
    expect((await list()).map(({ key }) => key)).to.deep.equal(["reporting.summary"]);
  });
});
