import { expect } from "chai";
import { fillReports } from "../../../services/reporting/demo/demo-reports.ts";
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
});
