import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { domainOf, valuesOf } from "./site-records.ts";

describe("/providers", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const create = async (body: object) => (await tenant.owner.post("/providers", body)).body;

  it("stores the sent values, with defaults for the rest", async () => {
    const plain = await tenant.owner.post("/providers", { kind: "dns", name: "Zone One" });
    expect(plain.status).to.equal(201);
    expect(plain.body).to.deep.include({
      org_id: tenant.organisation.id,
      kind: "dns",
      name: "Zone One",
      config: {},
      active: true,
      position: 0,
    });
    const { id } = await create({ kind: "email", name: "Zone One", config: { a: { b: [1] } }, active: false, position: -3 });
    expect((await tenant.owner.get(`/providers/${id}`)).body).to.deep.include({
      name: "Zone One",
      config: { a: { b: [1] } },
      active: false,
      position: -3,
    });
  });

  it("lists by position and name without paging, the inactive only when asked, narrowed by kind", async () => {
    await create({ kind: "dns", name: "beta", position: 1 });
    await create({ kind: "hosting", name: "Alpha", position: 1 });
    await create({ kind: "dns", name: "Zeta" });
    await create({ kind: "dns", name: "Gone", active: false });
    const names = async (query = "") => valuesOf((await tenant.owner.get(`/providers${query}`)).body, "name");
    expect(await names()).to.deep.equal(["Zeta", "Alpha", "beta"]);
    expect(await names("?include_inactive=true")).to.deep.equal(["Gone", "Zeta", "Alpha", "beta"]);
    expect(await names("?kind=dns")).to.deep.equal(["Zeta", "beta"]);
    expect(await names("?updated_since=2100-01-01")).to.deep.equal([]);
    expect(refusalOf(await tenant.owner.get("/providers?kind=phone"))).to.deep.equal(invalidOn({ kind: "errors.validation" }));
    for (let n = 0; n < 120; n++) await create({ kind: "email", name: `Provider ${n}` });
    expect(await names()).to.have.length(123);
  });

  it("keeps its kind through any change", async () => {
    const { id } = await create({ kind: "dns", name: "Zone", config: { a: 1 } });
    const changed = await tenant.owner.patch(`/providers/${id}`, { kind: "email", name: "New", config: null, active: false });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.deep.include({ kind: "dns", name: "New", config: {}, active: false });
  });

  for (const [what, body, field] of [
    ["a blank name", { name: " " }, "name"],
    ["no name", { name: null }, "name"],
    ["a name of 256 characters", { name: "n".repeat(256) }, "name"],
    ["no position", { position: null }, "position"],
    ["an active that is null", { active: null }, "active"],
  ] as const)
    it(`refuses a change to ${what}`, async () => {
      const { id } = await create({ kind: "dns", name: "Zone" });
      const refused = await tenant.owner.patch(`/providers/${id}`, body);
      expect(refusalOf(refused)).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
    });

  it("refuses an unknown kind, and a missing one", async () => {
    expect(refusalOf(await tenant.owner.post("/providers", { kind: "phone", name: "A" }))).to.deep.equal(
      invalidOn({ kind: "errors.validation" }),
    );
    expect(refusalOf(await tenant.owner.post("/providers", { name: "A" }))).to.deep.equal(invalidOn({ kind: "errors.required" }));
  });

  it("clears every reference when deleted, and counts that as a change of the records that had it", async () => {
    const { id: hostingProvider } = await create({ kind: "hosting", name: "Rack" });
    const { id: dns } = await create({ kind: "dns", name: "Zone" });
    const { body: hosting } = await tenant.owner.post("/hosting", { name: "Web 1", provider_id: hostingProvider });
    const domain = await domainOf(service.sql, tenant);
    await service.sql.query("update domains set dns_provider_id = $2, version = 7 where id = $1", [domain.id, dns]);
    const tag = (await tenant.owner.get(`/hosting/${hosting.id}`)).headers["etag"];
    for (const provider of [hostingProvider, dns])
      expect((await tenant.owner.delete(`/providers/${provider}`)).status).to.equal(204);
    const after = await tenant.owner.get(`/hosting/${hosting.id}`);
    expect(after.body).to.deep.include({ provider_id: null, provider_name: null });
    expect(after.headers["etag"]).to.not.equal(tag);
    expect(after.body.updated_at > hosting.updated_at).to.equal(true);
    const { rows } = await service.sql.query("select dns_provider_id, version from domains where id = $1", [domain.id]);
    expect(rows).to.deep.equal([{ dns_provider_id: null, version: 8 }]);
    expect((await tenant.owner.get(`/providers/${dns}`)).status).to.equal(404);
  });

  it("is read by members and clients, and managed by administrators alone", async () => {
    const { id } = await create({ kind: "dns", name: "Zone" });
    for (const role of ["member", "client"] as const) {
      const person = await tenant.member(role);
      expect((await person.get("/providers")).body).to.have.length(1);
      expect((await person.get(`/providers/${id}`)).status).to.equal(200);
      expect((await person.post("/providers", { kind: "dns", name: "A" })).status).to.equal(403);
      expect((await person.delete(`/providers/${id}`)).status).to.equal(403);
    }
    const admin = await tenant.member("admin");
    expect((await admin.patch(`/providers/${id}`, { position: 4 })).status).to.equal(200);
    const other = await service.tenant();
    expect((await other.owner.get(`/providers/${id}`)).status).to.equal(404);
  });
});
