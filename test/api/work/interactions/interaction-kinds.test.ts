import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";

const KINDS = "/interactions/kinds";

describe("kinds of contact moments", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = async (query = "") =>
    (await tenant.owner.get(`${KINDS}${query}`)).body as { id: string; key: string; is_protected: boolean }[];
  const kind = async (key: string) => (await list("?include_inactive=true")).find((one) => one.key === key)?.id ?? "";

  it("are the five an organisation starts with, made once by its first reads", async () => {
    await Promise.all([list(), list(), list()]);
    expect((await list()).map(({ key, is_protected }) => [key, is_protected])).to.deep.equal([
      ["email", true],
      ["online_meeting", false],
      ["physical_meeting", false],
      ["call", false],
      ["note", false],
    ]);
  });

  it("are there for a first moment that is written before they were ever read", async () => {
    expect((await tenant.owner.post("/interactions", { kind: "call" })).status).to.equal(201);
  });

  it("have a key of their own", async () => {
    const { status, body } = await tenant.owner.post(KINDS, { key: "call", label_i18n: { en: "Call" } });
    expect(status).to.equal(409);
    expect(body.error.fields).to.deep.equal({ key: "errors.conflict" });
    for (const key of ["", "Call", "a b", "x".repeat(51)])
      expect(refusalOf(await tenant.owner.post(KINDS, { key }))).to.deep.equal(invalidOn({ key: "errors.validation" }));
  });

  it("may be changed but for the key, and switched off but for the protected one", async () => {
    const call = await kind("call");
    const { body } = await tenant.owner.patch(`${KINDS}/${call}`, { key: "phone", label_i18n: { en: "Phone" }, active: false });
    expect(body).to.deep.include({ key: "call", label_i18n: { en: "Phone" }, active: false });
    expect((await list()).map(({ key }) => key)).not.to.include("call");
    const refused = await tenant.owner.patch(`${KINDS}/${await kind("email")}`, { active: false });
    expect([refused.status, refused.body.error.message]).to.deep.equal([409, "errors.interactions_kind_protected"]);
  });

  it("stay while a moment has them, and the protected one for ever", async () => {
    await tenant.owner.post("/interactions", { kind: "call" });
    const used = await tenant.owner.delete(`${KINDS}/${await kind("call")}`);
    expect([used.status, used.body.error.message]).to.deep.equal([409, "errors.interactions_kind_in_use"]);
    const mail = await tenant.owner.delete(`${KINDS}/${await kind("email")}`);
    expect([mail.status, mail.body.error.message]).to.deep.equal([409, "errors.interactions_kind_protected"]);
    expect((await tenant.owner.delete(`${KINDS}/${await kind("note")}`)).status).to.equal(204);
    expect((await list()).map(({ key }) => key)).not.to.include("note");
  });

  it("that are switched off stay on their moments and cannot be set on others", async () => {
    const { body: moment } = await tenant.owner.post("/interactions", { kind: "call" });
    await tenant.owner.patch(`${KINDS}/${await kind("call")}`, { active: false });
    expect(refusalOf(await tenant.owner.post("/interactions", { kind: "call" }))).to.deep.equal(
      invalidOn({ kind: "errors.validation" }),
    );
    expect((await tenant.owner.patch(`/interactions/${moment.id}`, { kind: "call", subject: "Still" })).status).to.equal(200);
  });
});
