import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { seal } from "../../../core/database/sealed.ts";
import { fillAdvertising } from "../../../integrations/advertising/demo/demo-advertising.ts";
import { fillMarketing } from "../../../integrations/marketing/demo/demo-marketing.ts";
import { fillReports } from "../../../services/reporting/demo/demo-reports.ts";
import { until } from "../../support/jobs.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { ok, type Row, refused } from "./reporting-world.ts";

describe("the demo of reports", () => {
  let service: TestService;
  let tenant: Tenant;
  let companies: Row[];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    companies = [];
    for (const name of ["a", "b", "c", "d"]) {
      const company = await tenant.company({ name: `Client ${name}` });
      companies.push(company);
      const domain = await ok(tenant.owner.post("/domains", { name: `${name}.example`, company_id: company["id"] }));
      await ok(tenant.owner.post("/websites", { domain_id: domain["id"] }));
    }
    const contact = await ok(tenant.owner.post("/contacts", { first_name: "Eva", email: "eva@a.example" }));
    await ok(tenant.owner.post(`/contacts/${contact["id"]}/links`, { company_id: companies[0]?.["id"], is_primary: true }));
    await fillReports({ organisation: tenant.organisation });
    await fillReports({ organisation: tenant.organisation });
  });
  after(() => service.stop());

  const reports = async (): Promise<Row[]> => (await ok(tenant.owner.get("/reporting/reports?limit=200")))["items"];

  it("has a sent report, ready ones and an internal one of the first clients, once", async () => {
    const all = await reports();
    expect(all.map(({ company_name, audience, status }) => `${company_name} ${audience} ${status}`)).to.have.members([
      "Client a client sent",
      "Client a client ready",
      "Client a internal ready",
      "Client b client ready",
      "Client c client ready",
    ]);
    const sent = all.find(({ status }) => status === "sent") as Row;
    const detail = await ok(tenant.owner.get(`/reporting/reports/${sent["id"]}`));
    expect(detail["sent_to"].map(({ email, delivery }: Row) => [email, delivery])).to.deep.equal([["eva@a.example", "sent"]]);
    expect(detail["sections"]).to.have.length(2);
    expect(Object.keys(detail["narrative"])).to.have.members(detail["sections"].map(({ key }: Row) => key));
    expect(sent["published_at"]).to.be.a("string");
  });

  it("has a tone, a template for each audience, and profiles that make nothing by schedule", async () => {
    expect(await ok(tenant.owner.get("/reporting/tones"))).to.have.length(1);
    const templates = (await ok(tenant.owner.get("/reporting/templates"))) as Row[];
    expect(templates.map(({ audience, is_default }) => [audience, is_default])).to.have.deep.members([
      ["client", true],
      ["client", false],
      ["internal", true],
    ]);
    for (const { id } of companies.slice(0, 3))
      expect(await ok(tenant.owner.get(`/reporting/companies/${id}/profile`))).to.include({ next_run_on: null });
  });

  it("can be looked at as it is; a run prints it", async () => {
    const ready = (await reports()).find(({ company_name, status }) => company_name === "Client b" && status === "ready") as Row;
    const page = await tenant.owner.get(`/reporting/reports/${ready["id"]}/preview`);
    expect([page.status, page.text.includes("6.856")]).to.deep.equal([200, true]);
    expect(refused(await tenant.owner.get(`/reporting/reports/${ready["id"]}/pdf`))[0]).to.equal(404);
  });

  it("has a PDF of the sent report, printed after the demo was filled, and changes nothing else of it", async () => {
    const sent = (await reports()).find(({ status }) => status === "sent") as Row;
    const pdf = () => tenant.owner.get(`/reporting/reports/${sent["id"]}/pdf`);
    await until(async () => (await pdf()).status === 200);
    const { headers, text } = await pdf();
    expect([headers["content-type"], text.slice(0, 5)]).to.deep.equal(["application/pdf", "%PDF-"]);
    await until(async () => {
      const { rows } = await service.sql.query("select run_id from reports where id = $1", [sent["id"]]);
      return rows[0]?.run_id === null;
    });
    const printed = await ok(tenant.owner.get(`/reporting/reports/${sent["id"]}`));
    expect(printed).to.include({ status: "sent", sent_at: sent["sent_at"], published_at: sent["published_at"] });
    expect(printed["warnings"]).to.deep.equal([]);
    expect(printed["sent_to"]).to.have.length(1);
  });

  it("has the last client's report, profile and template in the other language", async () => {
    const english = (await reports()).find(({ company_name }) => company_name === "Client c") as Row;
    expect(english)
      .to.include({ locale: "en" })
      .and.to.have.property("title")
      .that.matches(/^Report /);
    const profile = await ok(tenant.owner.get(`/reporting/companies/${english["company_id"]}/profile`));
    expect(profile["locale"]).to.equal("en");
    const templates = (await ok(tenant.owner.get("/reporting/templates"))) as Row[];
    expect(templates.find(({ id }) => id === profile["template_id"])).to.include({ audience: "client", is_default: false });
    const page = await tenant.owner.get(`/reporting/reports/${english["id"]}/preview`);
    expect(page.text).to.include("Each month this report shows").and.not.include("Elke maand");
  });
});

describe("the demo of reports over the demo's stored figures", () => {
  let service: TestService;
  let tenant: Tenant;
  let all: Row[];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    for (const name of ["a", "b", "c"]) {
      const company = await tenant.company({ name: `Client ${name}` });
      const domain = await ok(tenant.owner.post("/domains", { name: `${name}.example`, company_id: company["id"] }));
      await ok(tenant.owner.post("/websites", { domain_id: domain["id"] }));
    }
    const id = randomUUID();
    await service.sql.query(
      `insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, scopes, refresh_token)
        values ($1::uuid, $2, $3, $1::text, 'client.example', 'owner@provider.example', '{openid}', $4)`,
      [
        id,
        tenant.organisation.id,
        tenant.owner.accountId,
        seal("a refresh token", {
          table: "workspace_connections",
          column: "refresh_token",
          organisation: tenant.organisation.id,
          row: id,
        }),
      ],
    );
    await fillMarketing({ organisation: tenant.organisation });
    await fillAdvertising({ organisation: tenant.organisation });
    await fillReports({ organisation: tenant.organisation });
    const { items } = await ok(tenant.owner.get("/reporting/reports?limit=200"));
    all = await Promise.all(items.map(({ id }: Row) => ok(tenant.owner.get(`/reporting/reports/${id}`))));
  });
  after(() => service.stop());

  const SUMMARY = "reporting.summary";
  /** The sections with figures: all but the summary. */
  const sectionsOf = (report: Row): Row[] => report["data_snapshot"].sections.filter(({ key }: Row) => key !== SUMMARY);

  it("begins each report with a summary of its figures", () => {
    for (const { locale, sections, narrative } of all) {
      expect(sections[0]).to.deep.equal({ key: SUMMARY, title: locale === "nl" ? "Samenvatting" : "Summary" });
      expect(narrative[SUMMARY]).to.match(locale === "nl" ? /^In deze rapportage leest u over / : /^This report covers /);
    }
  });

  it("prints the visits that marketing answers for the same span", async () => {
    for (const report of all.filter(({ status }) => status === "ready")) {
      const { sources } = await ok(tenant.owner.get(`/marketing/companies/${report["company_id"]}/metrics?period=last_month`));
      const { sessions } = sources.find(({ source }: Row) => source === "ga4").kpis;
      const [{ data }] = sectionsOf(report) as [Row];
      const [visits] = data.totals;
      expect([visits.key, visits.value, visits.before]).to.deep.equal(["sessions", sessions.current, sessions.previous]);
    }
  });

  it("prints advertising of the clients that have it, with the cost and results that marketing answers for the same span", async () => {
    const withAds = all.filter((report) => sectionsOf(report).some(({ key }) => key === "ads.performance"));
    expect(withAds.map(({ company_name, audience, status }) => `${company_name} ${audience} ${status}`)).to.have.members([
      "Client a client sent",
      "Client a client ready",
      "Client a internal ready",
      "Client b client ready",
    ]);
    for (const report of withAds.filter(({ status }) => status === "ready")) {
      const { sources } = await ok(tenant.owner.get(`/marketing/companies/${report["company_id"]}/metrics?period=last_month`));
      const { kpis } = sources.find(({ source }: Row) => source === "gads");
      const { data } = sectionsOf(report).find(({ key }) => key === "ads.performance") as Row;
      for (const [key, of] of [
        ["cost", "cost"],
        ["clicks", "clicks"],
        ["impressions", "impressions"],
        ["conversions", "conversions"],
        ["conversions_value", "conversionsValue"],
      ] as const) {
        const { value, before } = data.totals.find((total: Row) => total.key === key);
        expect([key, value, before]).to.deep.equal([key, kpis[of].current, kpis[of].previous]);
      }
      const { table, totals } = data;
      // Each row is rounded to cents, so a sum is off by half a cent a row at most.
      const rounding = 0.001 + table.rows.length * 0.005;
      for (const [key, column] of table.columns.entries())
        if (column.adds)
          expect(
            table.rows.reduce((sum: number, row: number[]) => sum + (row[key] ?? 0), 0),
            column.key,
          ).to.be.closeTo(totals.find((total: Row) => total.key === column.key).value, rounding);
    }
  });

  it("prints the site audit for colleagues, and not for the client", () => {
    const audits = all.flatMap((report) =>
      sectionsOf(report).flatMap(({ key, data }) =>
        key === "marketing.site_audit" ? [[report["audience"], data.table.rows]] : [],
      ),
    );
    expect(audits.map(([audience]) => audience)).to.deep.equal(["internal"]);
    const rows = audits[0]?.[1] as [string, string, number][];
    expect(rows.map(([, severity]) => severity)).to.include.members(["Fout", "Waarschuwing"]);
    for (const [, , pages] of rows) expect(pages).to.be.greaterThan(0);
  });

  it("has a whole month to compare each report with, and growth that is plausible", () => {
    expect(all).to.have.length(5);
    for (const report of all) {
      const totals = sectionsOf(report).flatMap(({ data }) => data.totals);
      expect(totals.map(({ key }) => key)).to.include.members(["sessions", "totalUsers", "clicks", "position", "keyEvents"]);
      for (const { key, value, before } of totals) expect(value / before, key).to.be.within(0.8, 1.5);
    }
  });

  it("has breakdowns that add up to the figures above them", () => {
    for (const report of all) {
      const byKey = new Map(sectionsOf(report).map(({ key, data }) => [key, data]));
      for (const [key, column] of [
        ["marketing.search_engines", 1],
        ["marketing.referral", 1],
        ["marketing.social", 1],
        ["marketing.conversions", 1],
      ] as const) {
        const { totals, table } = byKey.get(key);
        const whole = table.rows.reduce((sum: number, row: number[]) => sum + (row[column] ?? 0), 0);
        expect(whole, key).to.equal(totals[0].value);
      }
      const queries = byKey.get("marketing.search_console");
      const named = queries.table.rows.reduce((sum: number, [, clicks]: number[]) => sum + (clicks ?? 0), 0);
      expect(named).to.be.within(1, queries.totals[0].value);
      expect(byKey.get("marketing.rankings").table.rows).to.have.length.greaterThan(5);
    }
  });

  it("has shares that add up to the whole, and a text for each section that compares", () => {
    for (const report of all) {
      const [{ data }] = sectionsOf(report) as [Row];
      const shares = data.table.rows.map(([, , share]: number[]) => share);
      expect(shares.reduce((sum: number, share: number) => sum + share, 0)).to.be.closeTo(100, 1e-6);
      // The site audit alone has nothing to compare.
      const comparing = sectionsOf(report).flatMap(({ key, data: { totals } }) => (totals.length > 0 ? [key] : []));
      expect(sectionsOf(report).filter(({ key }) => !comparing.includes(key) && key !== "marketing.site_audit")).to.deep.equal(
        [],
      );
      expect(Object.keys(report["narrative"])).to.have.members([SUMMARY, ...comparing]);
    }
  });

  /** The extent of what an SVG draws of its values: paths, bars and points, without its lines and labels. */
  function extentOf(svg: string): { wide: number; high: number } {
    const numbers = (text: string) => [...text.matchAll(/-?\d+(?:\.\d+)?/g)].map(Number);
    const attribute = (tag: string, name: string) => Number(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]);
    const points = [
      ...[...svg.matchAll(/<path[^>]* d="([^"]*)"/g)].flatMap(([, d = ""]) => {
        const all = numbers(d);
        return all.flatMap((x, n) => (n % 2 === 0 ? [[x, all[n + 1] as number]] : []));
      }),
      ...[...svg.matchAll(/<rect[^>]*>/g)].flatMap(([tag]) => {
        const [x, y] = [attribute(tag, "x"), attribute(tag, "y")];
        return [[x, y], [x + attribute(tag, "width"), y + attribute(tag, "height")]]; // biome-ignore format: two corners
      }),
    ];
    const span = (at: 0 | 1) => {
      const values = points.map((point) => point[at] as number);
      return Math.max(...values) - Math.min(...values);
    };
    return { wide: span(0), high: span(1) };
  }

  it("draws charts with an area, and a heading for each section in the report's language", async () => {
    const seen = new Map<string, Set<string>>();
    for (const report of all) {
      const page = (await tenant.owner.get(`/reporting/reports/${report["id"]}/preview`)).text;
      const charts = [...page.matchAll(/<svg.*?<\/svg>/gs)].map(([svg]) => svg);
      expect(charts.length).to.be.greaterThan(2);
      for (const svg of charts) {
        const { wide, high } = extentOf(svg);
        expect(wide, svg.slice(0, 200)).to.be.greaterThan(100);
        expect(high, svg.slice(0, 200)).to.be.greaterThan(20);
      }
      const headings = [...page.matchAll(/<h2[^>]*>(.*?)<\/h2>/gs)].map(([, text = ""]) => text.replace(/<[^>]*>/g, "").trim());
      expect(headings).to.have.length.of.at.least(sectionsOf(report).length);
      for (const heading of headings) expect(heading).to.match(/^\p{Lu}[^._{}]+$/u);
      seen.set(report["locale"], (seen.get(report["locale"]) ?? new Set()).union(new Set(headings)));
    }
    const [dutch, english] = [seen.get("nl"), seen.get("en")] as [Set<string>, Set<string>];
    expect([...english].filter((heading) => dutch.has(heading))).to.deep.equal([]);
  });
});
