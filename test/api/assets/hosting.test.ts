import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../clients/companies/company-records.ts";
import { valuesOf } from "./site-records.ts";

const UNKNOWN = "8f1f7e0e-6f3c-4c58-9a3e-0d6b4a0a2f11";

describe("/hosting", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const create = async (body: object) => (await tenant.owner.post("/hosting", body)).body;
  const names = async (query = "", caller = tenant.owner) => valuesOf((await caller.get(`/hosting${query}`)).body, "name");
  const provider = async (kind: string, active = true) =>
    (await tenant.owner.post("/providers", { kind, name: `${kind} provider`, active })).body.id;

  it("stores the sent values, trimmed, blanks as null", async () => {
    const plain = await tenant.owner.post("/hosting", { name: "  Web 1 " });
    expect(plain.status).to.equal(201);
    expect(plain.body).to.deep.include({
      org_id: tenant.organisation.id,
      name: "Web 1",
      company_id: null,
      company_name: null,
      provider_id: null,
      provider_name: null,
      ip_address: null,
      contact: null,
      custom: {},
    });
    const company = await tenant.company({ name: "Bakkerij" });
    const whole = await create({
      name: "Web 2",
      company_id: company.id,
      provider_id: await provider("hosting", false),
      ip_address: "2001:db8::1, 192.0.2.1",
      contact: { type: "agency" },
    });
    expect(whole).to.deep.include({
      company_id: company.id,
      company_name: "Bakkerij",
      provider_name: "hosting provider",
      ip_address: "2001:db8::1, 192.0.2.1",
      contact: { type: "agency", id: null, label: tenant.organisation.name },
    });
    const path = `/hosting/${whole.id}`;
    const cleared = { company_id: null, provider_id: null, contact: null, ip_address: " " };
    expect((await tenant.owner.patch(path, cleared)).body).to.deep.include({ ...cleared, ip_address: null });
    expect((await tenant.owner.delete(path)).status).to.equal(204);
    expect((await tenant.owner.get(path)).status).to.equal(404);
  });

  for (const [what, body, field] of [
    ["a blank name", { name: "  " }, "name"],
    ["a name that is null", { name: null }, "name"],
    ["a name of 256 characters", { name: "n".repeat(256) }, "name"],
    ["an address of 46 characters", { ip_address: "1".repeat(46) }, "ip_address"],
    ["a party of a type there is not", { contact: { type: "neighbour" } }, "type"],
  ] as const)
    it(`refuses ${what}, new or changed`, async () => {
      const wrong = invalidOn({ [field]: "errors.validation" });
      expect(refusalOf(await tenant.owner.post("/hosting", { name: "A", ...body }))).to.deep.equal(wrong);
      const { id } = await create({ name: "A" });
      expect(refusalOf(await tenant.owner.patch(`/hosting/${id}`, body))).to.deep.equal(wrong);
    });

  it("takes a provider of its kind in this organisation alone", async () => {
    const other = await service.tenant();
    const foreign = (await other.owner.post("/providers", { kind: "hosting", name: "Rack" })).body.id;
    for (const provider_id of [await provider("dns"), UNKNOWN, foreign]) {
      const wrong = [400, "invalid_provider", null];
      expect(refusalOf(await tenant.owner.post("/hosting", { name: "A", provider_id }))).to.deep.equal(wrong);
      const { id } = await create({ name: "B" });
      expect(refusalOf(await tenant.owner.patch(`/hosting/${id}`, { provider_id }))).to.deep.equal(wrong);
    }
  });

  it("answers 404 for a client that is not there for the caller, and writes nothing", async () => {
    const [seen, hidden] = [await tenant.company(), await tenant.company()];
    const restricted = await tenant.member("admin");
    await tenant.group("Some", [seen.id], [restricted.membershipId]);
    for (const company_id of [UNKNOWN, hidden.id]) {
      expect((await restricted.post("/hosting", { name: "A", company_id })).status).to.equal(404);
      const { id } = await create({ name: "B", company_id: seen.id });
      expect((await restricted.patch(`/hosting/${id}`, { company_id })).status).to.equal(404);
    }
    expect(await names("?q=A")).to.deep.equal([]);
  });

  it("is listed by name, searched by name and address, and filtered by client", async () => {
    const company = await tenant.company();
    await create({ name: "beta", ip_address: "192.0.2.7" });
    await create({ name: "Alpha", company_id: company.id });
    await create({ name: "Gamma", ip_address: "10.1.1.1" });
    expect(await names()).to.deep.equal(["Alpha", "beta", "Gamma"]);
    expect(await names("?sort=-name")).to.deep.equal(["Gamma", "beta", "Alpha"]);
    expect(await names("?sort=ip_address")).to.deep.equal(["Gamma", "beta", "Alpha"]);
    expect(await names("?sort=-ip_address")).to.deep.equal(["beta", "Gamma", "Alpha"]);
    expect(await names("?sort=created_at")).to.deep.equal(["beta", "Alpha", "Gamma"]);
    expect(await names("?sort=-updated_at")).to.deep.equal(["Gamma", "Alpha", "beta"]);
    expect(await names("?q=192.0.2")).to.deep.equal(["beta"]);
    expect(await names("?q=ALPH")).to.deep.equal(["Alpha"]);
    expect(await names(`?company_id=${company.id}`)).to.deep.equal(["Alpha"]);
    expect(await names(`?company_id=${UNKNOWN}`)).to.deep.equal([]);
    expect(refusalOf(await tenant.owner.get("/hosting?sort=provider"))).to.deep.equal([
      400,
      "invalid_sort",
      { sort: "errors.invalid_sort" },
    ]);
  });

  it("omits looked-up values with `meta=false`, and filters all the same", async () => {
    const company = await tenant.company();
    await create({ name: "A", company_id: company.id, contact: { type: "agency" }, provider_id: await provider("hosting") });
    const [full] = (await tenant.owner.get("/hosting")).body.items;
    const { body } = await tenant.owner.get(`/hosting?meta=false&company_id=${company.id}`);
    expect(body.total).to.equal(1);
    expect(body.items).to.deep.equal([{ ...full, company_name: null, provider_name: null, contact: null }]);
  });

  it("shows hosting without a client to everyone, and a client's to those who see the client", async () => {
    const [seen, hidden] = [await tenant.company(), await tenant.company()];
    await create({ name: "Shared" });
    await create({ name: "Seen", company_id: seen.id });
    const { id } = await create({ name: "Hidden", company_id: hidden.id });
    const [admin, client] = [await tenant.member("admin"), await tenant.member("client")];
    await tenant.group("Some", [seen.id], [admin.membershipId, client.membershipId]);
    for (const person of [admin, client]) {
      expect(await names("", person)).to.deep.equal(["Seen", "Shared"]);
      expect(await names("?q=Hidden", person)).to.deep.equal([]);
      expect((await person.get(`/hosting?company_id=${hidden.id}`)).body.total).to.equal(0);
      expect((await person.get(`/hosting/${id}`)).status).to.equal(404);
    }
    expect((await admin.patch(`/hosting/${id}`, { name: "X" })).status).to.equal(404);
    expect((await admin.delete(`/hosting/${id}`)).status).to.equal(404);
    expect((await client.post("/hosting", { name: "X" })).status).to.equal(403);
  });

  it("becomes everyone's when its client is deleted", async () => {
    const company = await tenant.company();
    const { id } = await create({ name: "A", company_id: company.id });
    expect((await tenant.owner.delete(`/companies/${company.id}`)).status).to.equal(204);
    expect((await tenant.owner.get(`/hosting/${id}`)).body).to.deep.include({ company_id: null, company_name: null });
  });

  it("has no trail and no panel", async () => {
    const company = await tenant.company();
    const { id } = await create({ name: "A", company_id: company.id });
    await tenant.owner.patch(`/hosting/${id}`, { name: "B" });
    expect(await trailOf(service.sql, "hosting", id)).to.deep.equal([]);
    expect((await tenant.owner.get(`/activity?entity_type=hosting&entity_id=${id}`)).body).to.deep.equal([]);
    const keys = valuesOf((await tenant.owner.get(`/companies/${company.id}/panels`)).body, "key") as string[];
    expect(keys.filter((key) => key.startsWith("hosting"))).to.deep.equal([]);
  });

  it("checks custom fields, and keeps files", async () => {
    const definition = { entity_type: "hosting", key: "rack", label_i18n: { nl: "Rek" }, data_type: "number" };
    const added = await tenant.owner.post("/custom-fields/definitions", definition);
    expect(added.status, added.text).to.equal(201);
    expect((await create({ name: "A", custom: { rack: "7" } })).custom).to.deep.equal({ rack: 7 });
    expect(refusalOf(await tenant.owner.post("/hosting", { name: "A", custom: { rack: "x", other: 1 } }))).to.deep.equal(
      invalidOn({ rack: "customfields.errors.invalid_number", other: "customfields.errors.unknown_field" }),
    );
  });

  it("costs the same number of statements for few and for many", async () => {
    const fill = async (many: number) => {
      for (let n = 0; n < many; n++) {
        const company = await tenant.company();
        await create({ name: `Web ${n}`, company_id: company.id, contact: { type: "company" } });
      }
    };
    await fill(2);
    const few = await tenant.owner.get("/hosting");
    await fill(20);
    const many = await tenant.owner.get("/hosting");
    expect([many.body.items.length, many.statements]).to.deep.equal([22, few.statements]);
  });
});
