import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";

describe("products", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const create = (body: object) => tenant.owner.post("/invoicing/products", body);
  const names = async (query = "") =>
    (await tenant.owner.get(`/invoicing/products${query}`)).body.map(({ name }: { name: string }) => name);

  it("are written as they are sent, blanks being null", async () => {
    const plain = await create({ name: "Hosting" });
    expect(plain.status).to.equal(201);
    expect(plain.body).to.deep.include({
      org_id: tenant.organisation.id,
      name: "Hosting",
      code: null,
      description: null,
      unit: null,
      unit_price: "0.00",
      tax_rate_id: null,
      active: true,
      position: 0,
    });
    const rate = (await tenant.owner.post("/invoicing/tax-rates", { rate: 21 })).body.id;
    const whole = await create({
      name: "Support",
      code: "S1",
      description: "One\ntwo",
      unit: "hour",
      unit_price: "84.005",
      tax_rate_id: rate,
    });
    expect(whole.body).to.deep.include({
      code: "S1",
      description: "One\ntwo",
      unit: "hour",
      unit_price: "84.005",
      tax_rate_id: rate,
    });
    const path = `/invoicing/products/${whole.body.id}`;
    const changed = await tenant.owner.patch(path, { code: " ", description: "", unit: null, tax_rate_id: null, unit_price: 1 });
    expect(changed.body).to.deep.include({ code: null, description: null, unit: null, tax_rate_id: null, unit_price: "1.00" });
    expect((await tenant.owner.delete(path)).status).to.equal(204);
    expect((await tenant.owner.delete(path)).status).to.equal(404);
  });

  it("share no code", async () => {
    const first = (await create({ name: "One", code: "A" })).body;
    const second = (await create({ name: "Two" })).body;
    expect((await create({ name: "Three" })).status, "many may have none").to.equal(201);
    const taken = [409, "conflict", { code: "errors.duplicate" }];
    expect(refusalOf(await create({ name: "Four", code: "A" }))).to.deep.equal(taken);
    expect(refusalOf(await tenant.owner.patch(`/invoicing/products/${second.id}`, { code: "A" }))).to.deep.equal(taken);
    expect((await tenant.owner.patch(`/invoicing/products/${first.id}`, { code: "A" })).status).to.equal(200);
    const other = await service.tenant();
    expect((await other.owner.post("/invoicing/products", { name: "Five", code: "A" })).status).to.equal(201);
  });

  const refused: [what: string, body: object, field: string][] = [
    ["a blank name", { name: " " }, "name"],
    ["a long code", { code: "c".repeat(31) }, "code"],
    ["a long unit", { unit: "u".repeat(21) }, "unit"],
    ["a price below nothing", { unit_price: "-0.01" }, "unit_price"],
    ["a price too large to store", { unit_price: "10000000000" }, "unit_price"],
    ["a tax rate that is nowhere", { tax_rate_id: "8f1f7e0e-6f3c-4c58-9a3e-0d6b4a0a2f11" }, "tax_rate_id"],
  ];
  for (const [what, body, field] of refused)
    it(`refuse ${what}, new or changed`, async () => {
      const wrong = invalidOn({ [field]: "errors.validation" });
      expect(refusalOf(await create({ name: "One", ...body }))).to.deep.equal(wrong);
      const { id } = (await create({ name: "Two" })).body;
      expect(refusalOf(await tenant.owner.patch(`/invoicing/products/${id}`, body))).to.deep.equal(wrong);
    });

  it("refuse another organisation's tax rate", async () => {
    const foreign = (await (await service.tenant()).owner.post("/invoicing/tax-rates", { rate: 21 })).body.id;
    expect(refusalOf(await create({ name: "One", tax_rate_id: foreign }))).to.deep.equal(
      invalidOn({ tax_rate_id: "errors.validation" }),
    );
  });

  it("are listed by position and name, those that are not active when asked", async () => {
    for (const body of [
      { name: "beta", position: 1 },
      { name: "Alpha", position: 1 },
      { name: "Zeta" },
      { name: "Gone", active: false },
    ])
      await create(body);
    expect(await names()).to.deep.equal(["Zeta", "Alpha", "beta"]);
    expect(await names("?include_inactive=true")).to.deep.equal(["Gone", "Zeta", "Alpha", "beta"]);
    const few = await tenant.owner.get("/invoicing/products");
    for (let n = 0; n < 20; n++) await create({ name: `Product ${n}` });
    expect((await tenant.owner.get("/invoicing/products")).statements).to.equal(few.statements);
  });
});
