import { expect } from "chai";
import { errorsOf, fetchSheet, importSheet, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { trailOf } from "../clients/companies/company-records.ts";
import { domainOf } from "./site-records.ts";

describe("spreadsheets of hosting and websites", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const run = (kind: string, content: string) => importSheet(tenant.owner, kind, content);
  const tried = async (kind: string, content: string, caller = tenant.owner) =>
    errorsOf((await sendSheet(caller, kind, content)).body);
  const exported = async (kind: string, query = "", of = tenant) =>
    (await fetchSheet(service.port, of.host, of.owner.key, `/impex/${kind}${query}`)).toString().replace(/^\ufeff/, "");
  const hostings = async () => (await tenant.owner.get("/hosting")).body.items;
  const websites = async () => (await tenant.owner.get("/websites?sort=name")).body.items;

  it("bring hosting in with Dutch headers, and change nothing the second time", async () => {
    const company = await tenant.company({ name: "Bakkerij", client_number: "K1" });
    const provider = (await tenant.owner.post("/providers", { kind: "hosting", name: "Rack" })).body.id;
    await tenant.owner.post("/providers", { kind: "dns", name: "Zone" });
    const file = "Servernaam;Klantnummer;Klant;Hoster;IP-adres\nWeb 1;K1;;Rack;192.0.2.1\nWeb 2;;;;\nWeb 3;;Bakkerij;;\n";
    expect(await run("hosting", file)).to.deep.include({ rows: 3, created: 3, errors: [], ignored_columns: [] });
    const [one, two, three] = await hostings();
    expect(one).to.deep.include({ name: "Web 1", company_id: company.id, provider_id: provider, ip_address: "192.0.2.1" });
    expect(two).to.deep.include({ name: "Web 2", company_id: null, provider_id: null, ip_address: null });
    expect(three).to.deep.include({ company_id: company.id });
    expect(await run("hosting", file)).to.include({ created: 0, updated: 0, unchanged: 3 });
    expect(await run("hosting", "name,ip\nweb 2,10.0.0.1\n")).to.include({ updated: 1 });
    expect(await tried("hosting", "name,provider\nA,Zone\nB,Nobody\n")).to.have.length(2);
  });

  it("take hosting out and bring it in again, elsewhere too", async () => {
    const company = await tenant.company({ name: "Bakkerij" });
    await tenant.owner.post("/hosting", { name: "=Web", company_id: company.id, ip_address: "10.0.0.1" });
    await tenant.owner.post("/hosting", { name: "Web" });
    await tenant.owner.post("/hosting", { name: "Web" });
    const file = await exported("hosting");
    expect(file.split("\r\n")[0]).to.equal("id,name,company,provider,contact,ip_address");
    expect(file.split("\r\n")[1]).to.match(/,'=Web,[^,]+,,,10\.0\.0\.1$/);
    expect(await run("hosting", file)).to.include({ created: 0, updated: 0, unchanged: 3 });
    const other = await service.tenant();
    await other.company({ name: "Bakkerij" });
    expect(await importSheet(other.owner, "hosting", file)).to.include({ created: 3 });
    expect(await importSheet(other.owner, "hosting", file)).to.include({ unchanged: 3 });
    expect((await exported("hosting", `?company_id=${company.id}`)).trim().split("\r\n")).to.have.length(2);
  });

  it("bring websites in by their domain, as one types it, and leave the trail that a body leaves", async () => {
    const [one, two] = [await domainOf(service.sql, tenant), await domainOf(service.sql, tenant)];
    const hosting_id = (await tenant.owner.post("/hosting", { name: "Web 1" })).body.id;
    const file = `Domeinnaam;Apex;Hosting;Uptime\nhttps://www.${one.name}/pad;nee;web 1;ja\n${two.name};;;\n`;
    expect(await run("website", file)).to.deep.include({ rows: 2, created: 2, errors: [] });
    const [first, second] = await websites();
    expect(first).to.deep.include({ domain_id: one.id, root: false, hosting_id, uptime_enabled: true });
    expect(second).to.deep.include({ domain_id: two.id, root: true, hosting_id: null, uptime_enabled: false });
    expect(await run("website", file)).to.include({ created: 0, updated: 0, unchanged: 2 });
    expect(await run("website", `domain,uptime\n${two.name},yes\n`)).to.include({ updated: 1 });
    const lines = await trailOf(service.sql, "website", second.id);
    expect(lines.map(({ action, payload }) => [action, payload.changes ?? null])).to.deep.equal([
      ["created", null],
      ["updated", { uptime_enabled: { from: false, to: true } }],
    ]);
    const back = await exported("website");
    expect(back.split("\r\n")[0]).to.equal("id,domain,root,hosting,uptime_enabled,technical_owner");
    expect(await run("website", back)).to.include({ created: 0, updated: 0, unchanged: 2 });
  });

  it("name the error of a website: a missing or ambiguous domain or hosting", async () => {
    const [own, hidden] = [await domainOf(service.sql, tenant), await domainOf(service.sql, tenant)];
    for (let n = 0; n < 2; n++) await tenant.owner.post("/hosting", { name: "Twee" });
    const file = ["domain,hosting", `nergens.example,`, `${own.name},Niets`, `${own.name},Twee`, ""].join("\n");
    expect(await tried("website", file)).to.have.length(3);
    const restricted = await tenant.member("admin");
    await tenant.group("Some", [own.company_id], [restricted.membershipId]);
    expect(await tried("website", `domain\n${hidden.name}\n`, restricted)).to.have.length(1);
    expect(await tried("website", `domain\n${own.name}\n`, restricted)).to.deep.equal([]);
    await tenant.owner.post("/websites", { domain_id: hidden.id });
    const seen = await restricted.get("/impex/website");
    expect([seen.status, seen.text.includes(hidden.name)]).to.deep.equal([200, false]);
  });
});
