import { expect } from "chai";
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
import { ok, type Row } from "./reporting-world.ts";

const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };

describe("what a report is planned with (workspace-reporting §1.2, §1.5)", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let company: Row;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    company = await tenant.company();
    // No figures: a run ends at once.
    withFigures({});
  });
  afterEach(async () => {
    await reportsMade(service, tenant);
    restoreFigures();
  });
  after(() => service.stop());

  const profile = (values: object, id = company["id"]) => ok(tenant.owner.put(`/reporting/companies/${id}/profile`, values));
  const generate = (more: object = {}): Promise<Row> => ok(tenant.owner.post(GENERATE, { company_id: company["id"], ...more }));
  const batch = (more: object = {}): Promise<Row> => ok(tenant.owner.post(BATCH, { ...JANUARY, ...more }));
  const sql = (text: string, values: unknown[]) => service.sql.query(text, values);

  it("has the client's template of the audience, else the default, else the oldest, else none", async () => {
    const template = async (name: string, audience: string, is_default = false): Promise<string> =>
      (await ok(tenant.owner.post("/reporting/templates", { name, audience, is_default })))["id"];
    /** The templates of two new reports: for the client and for colleagues. */
    const chosen = async (day: number) => {
      const period = { period_start: `2026-01-0${day}`, period_end: "2026-01-31" };
      const ids: string[] = [];
      for (const audience of ["client", "internal"]) {
        const { report } = await generate({ ...period, audience });
        ids.push((await ok(tenant.owner.get(`/reporting/reports/${report.id}`)))["template_id"]);
      }
      return ids;
    };
    expect(await chosen(1)).to.deep.equal([null, null]);
    const [oldest, second] = [await template("z", "client"), await template("a", "client")];
    const [inside, other] = [await template("y", "internal"), await template("b", "internal")];
    await profile({ template_id: second, internal_template_id: other });
    expect(await chosen(2)).to.deep.equal([second, other]);
    await profile({});
    expect(await chosen(3)).to.deep.equal([oldest, inside]);
    const marked = await template("c", "client", true);
    expect(await chosen(4)).to.deep.equal([marked, inside]);
    await ok(tenant.owner.put(`/reporting/templates/${marked}`, { name: "c" }));
    await ok(tenant.owner.put(`/reporting/templates/${inside}`, { name: "y", audience: "internal" }));
    expect(await chosen(5)).to.deep.equal([oldest, inside]);
  });

  it("has the client's own name where the name to print is blank, and the name of who had it made", async () => {
    await profile({ display_name: "  " });
    const { report } = await generate({ ...JANUARY });
    const writer = await tenant.member("member", { name: "Iris de Groot" });
    const other = await ok(writer.post(GENERATE, { company_id: company["id"], ...JANUARY, audience: "internal" }));
    expect([report.company_name, other["report"].generated_by_name]).to.deep.equal([company["name"], "Iris de Groot"]);
  });

  for (const [own, organisations, title] of [
    [null, "nl", "Rapportage januari 2026"],
    [null, "en", "Report January 2026"],
    [null, "en-GB", "Report January 2026"],
    ["nl-BE", "en", "Rapportage januari 2026"],
    ["en", "nl", "Report January 2026"],
    // A language that the service does not have.
    ["de", "en", "Rapportage januari 2026"],
  ] as const)
    it(`is '${title}' for a client with ${own ?? "no language"} where the organisation has ${organisations}`, async () => {
      await ok(tenant.owner.put("/reporting/settings", { default_locale: organisations }));
      await profile({ locale: own });
      const { report } = await generate(JANUARY);
      expect([report.title, report.locale]).to.deep.equal([title, title.startsWith("Report ") ? "en" : "nl"]);
    });

  it("first creates the default tone of an organisation without any", async () => {
    await generate();
    const { rows } = await sql("select key from report_tones where organisation_id = $1", [tenant.organisation.id]);
    expect(rows).to.deep.equal([{ key: "standard" }]);
  });

  it("is the report that is there, unchanged, where that has its document", async () => {
    withFigures({ "marketing.traffic_channels": async () => visits(3) });
    const { id } = await made(service, tenant.owner, { company_id: company["id"], ...JANUARY });
    const before = await ok(tenant.owner.get(`/reporting/reports/${id}`));
    for (const status of ["ready", "sent"]) {
      await sql("update reports set status = $2 where id = $1", [id, status]);
      const { report, queued } = await generate(JANUARY);
      expect([report.id, report.status, queued]).to.deep.equal([id, status, false]);
    }
    expect(await ok(tenant.owner.get(`/reporting/reports/${id}`))).to.deep.equal({ ...before, status: "sent" });
  });

  describe("of many clients", () => {
    const link = (companyId: string) =>
      sql(
        `insert into marketing_links (id, organisation_id, company_id, source, external_id, display_name)
          values (gen_random_uuid(), $1, $2, 'ga4', $3, 'Shop')`,
        [tenant.organisation.id, companyId, companyId],
      );
    const advertises = (companyId: string, number: number) =>
      sql(
        `insert into ads_accounts (id, organisation_id, company_id, customer_id, descriptive_name)
          values (gen_random_uuid(), $1, $2, $3, 'Shop')`,
        [tenant.organisation.id, companyId, `${number}`],
      );

    it("counts clients with a link of either module once, not those with a profile, and none while one is enrolled", async () => {
      const [visited, advertised, idle] = [company["id"], (await tenant.company()).id, (await tenant.company()).id];
      for (const id of [visited, idle]) await link(id);
      for (const [at, id] of [visited, advertised].entries()) await advertises(id, at + 1);
      await profile({ active: false }, idle);
      const none = { queued: 0, skipped: [], enrolled: 0 };
      expect(await batch()).to.deep.equal({ ...none, unconfigured: 2 });
      expect(await batch({ company_ids: [visited, idle] })).to.deep.equal({
        ...none,
        skipped: [visited, idle].map((company_id) => ({ company_id, reason: "errors.not_found" })),
        unconfigured: 1,
      });
      const restricted = await tenant.member("member");
      await tenant.group("one", [advertised], [restricted.membershipId]);
      expect(await ok(restricted.post(BATCH, JANUARY))).to.deep.equal({ ...none, unconfigured: 1 });
      await profile({}, idle);
      expect(await batch()).to.deep.equal({ queued: 1, skipped: [], enrolled: 1, unconfigured: 0 });
    });

    it("makes none for an empty list of clients", async () => {
      await profile({});
      await link((await tenant.company()).id);
      expect(await batch({ company_ids: [] })).to.deep.equal({ queued: 0, skipped: [], enrolled: 0, unconfigured: 0 });
    });

    it("makes internal ones of every active profile, those that make none by schedule too", async () => {
      await profile({ internal_enabled: false });
      await storedReport(service, tenant, company["id"]);
      expect(await batch({ audience: "internal" })).to.deep.include({ queued: 1, skipped: [], enrolled: 1 });
    });
  });
});
