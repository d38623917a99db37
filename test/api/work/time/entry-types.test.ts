import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";
import { Hours, ok } from "./hours.ts";

const CONFLICT = [409, "conflict", { key: "errors.conflict" }];

describe("types of entries", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = async (query = "") => (await ok(tenant.owner.get(`/time/entry-types${query}`))) as { id: string; key: string }[];
  const keys = async (query = "") => (await list(query)).map(({ key }) => key);
  const create = (body: object) => tenant.owner.post("/time/entry-types", body);

  it("begin with work and email, once, also for many first uses at the same moment", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => keys()));
    for (const found of answers) expect(found).to.deep.equal(["work", "email"]);
    const [work] = await list();
    expect(work).to.deep.include({
      org_id: tenant.organisation.id,
      key: "work",
      label_i18n: { nl: "Werk", en: "Work" },
      position: 10,
      active: true,
    });
    for (const { id } of await list()) expect((await tenant.owner.delete(`/time/entry-types/${id}`)).status).to.equal(204);
    expect(await keys()).to.deep.equal([]);
  });

  it("are there before an own one is made, whose key no other has", async () => {
    expect(refusalOf(await create({ key: "work" }))).to.deep.equal(CONFLICT);
    const { status, body } = await create({ key: "travel_2", label_i18n: { nl: "Reizen" }, position: 15 });
    expect([status, body.active, body.position]).to.deep.equal([201, true, 15]);
    expect(await keys()).to.deep.equal(["work", "travel_2", "email"]);
    expect(refusalOf(await create({ key: "travel_2" }))).to.deep.equal(CONFLICT);
    for (const key of ["Travel", "", "x".repeat(51), "a-b"])
      expect(refusalOf(await create({ key })), key).to.deep.equal(invalidOn({ key: "errors.validation" }));
  });

  it("change but for their key, and are listed while they are active", async () => {
    const [work] = await list();
    const path = `/time/entry-types/${work?.id}`;
    const changed = await ok(
      tenant.owner.patch(path, { key: "other", label_i18n: { en: "Labour" }, position: 30, active: false }),
    );
    expect(changed).to.deep.include({ key: "work", label_i18n: { en: "Labour" }, position: 30, active: false });
    expect(await keys()).to.deep.equal(["email"]);
    expect(await keys("?include_inactive=true")).to.deep.equal(["email", "work"]);
    expect((await ok(tenant.owner.patch(path, { label_i18n: null }))).label_i18n).to.deep.equal({});
    expect(refusalOf(await tenant.owner.patch(path, { active: null, position: null }))).to.deep.equal(
      invalidOn({ active: "errors.validation", position: "errors.validation" }),
    );
  });

  it("stay while an entry uses them", async () => {
    const hours = new Hours(service, tenant);
    const entry = await hours.log(tenant.owner, { entry_type_key: "email" });
    const email = (await list()).find(({ key }) => key === "email");
    const refused = await tenant.owner.delete(`/time/entry-types/${email?.id}`);
    expect([refused.status, refused.body.error.code, refused.body.error.message]).to.deep.equal([
      409,
      "conflict",
      "errors.time_entry_type_in_use",
    ]);
    await tenant.owner.delete(`/time/entries/${entry.id}`);
    expect((await tenant.owner.delete(`/time/entry-types/${email?.id}`)).status).to.equal(204);
  });

  it("are read by members and managed by administrators", async () => {
    const member = await tenant.member("member");
    expect((await member.get("/time/entry-types")).status).to.equal(200);
    expect((await member.post("/time/entry-types", { key: "x" })).status).to.equal(403);
    const reader = await tenant.member("client");
    expect((await reader.get("/time/entry-types")).status).to.equal(403);
  });
});
