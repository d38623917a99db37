import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../companies/company-records.ts";

describe("contact types", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const create = (body: unknown) => tenant.owner.post("/contacts/types", body);
  const made = async (body: object) => (await create(body)).body;
  const patch = (id: string, body: unknown) => tenant.owner.patch(`/contacts/types/${id}`, body);
  const keys = async (query = ""): Promise<string[]> =>
    (await tenant.owner.get(`/contacts/types${query}`)).body.map(({ key }: { key: string }) => key);

  it("are absent in a new organisation", async () => {
    expect((await tenant.owner.get("/contacts/types")).body).to.deep.equal([]);
  });

  it("begin active at position 0 without labels", async () => {
    const { status, body } = await create({ key: "boss_2" });
    expect(status).to.equal(201);
    expect(body).to.deep.equal({
      id: body.id,
      org_id: tenant.organisation.id,
      key: "boss_2",
      label_i18n: {},
      position: 0,
      active: true,
      created_at: body.created_at,
      updated_at: body.created_at,
    });
    const sent = { key: "b", label_i18n: { nl: "Baas", en: "Boss" }, position: -3, active: false };
    expect((await create(sent)).body).to.deep.include(sent);
  });

  const refused: [what: string, body: object, fields: Record<string, string>][] = [
    ["no key", {}, { key: "errors.required" }],
    ["an empty key", { key: "" }, { key: "errors.validation" }],
    ["a key in capitals", { key: "Boss" }, { key: "errors.validation" }],
    ["a key with a space", { key: "the boss" }, { key: "errors.validation" }],
    ["a key with a line end", { key: "boss\n" }, { key: "errors.validation" }],
    ["a key over 50 characters", { key: "x".repeat(51) }, { key: "errors.validation" }],
    ["a label that is no text", { key: "b", label_i18n: { nl: 1 } }, { nl: "errors.validation" }],
    ["a position that is no number", { key: "b", position: "first" }, { position: "errors.validation" }],
  ];
  for (const [what, body, fields] of refused)
    it(`refuse ${what}`, async () => {
      expect(refusalOf(await create(body))).to.deep.equal(invalidOn(fields));
    });

  it("have a key of their own within the organisation, also at the same moment", async () => {
    const answers = await Promise.all([create({ key: "boss" }), create({ key: "boss" })]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    expect(refusalOf(await create({ key: "boss" }))).to.deep.equal([409, "conflict", { key: "errors.conflict" }]);
    const other = await service.tenant();
    expect((await other.owner.post("/contacts/types", { key: "boss" })).status).to.equal(201);
  });

  it("are listed by position, then key; inactive ones only when asked for; and since an instant", async () => {
    await create({ key: "c" });
    await create({ key: "b", position: 2 });
    await create({ key: "a" });
    const { id } = await made({ key: "d", position: -1, active: false });
    expect(await keys()).to.deep.equal(["a", "c", "b"]);
    expect(await keys("?include_inactive=true")).to.deep.equal(["d", "a", "c", "b"]);
    const { updated_at: at } = (await patch(id, { active: true })).body;
    expect(await keys(`?updated_since=${encodeURIComponent(at)}`)).to.deep.equal(["d"]);
  });

  it("change but for their key; null clears labels and nothing else", async () => {
    const { id } = await made({ key: "boss", label_i18n: { nl: "Baas" } });
    expect((await patch(id, { key: "other", position: 4, label_i18n: { en: "Boss" } })).body).to.deep.include({
      key: "boss",
      position: 4,
      active: true,
      label_i18n: { en: "Boss" },
    });
    expect((await patch(id, { label_i18n: null })).body.label_i18n).to.deep.equal({});
    for (const field of ["position", "active"])
      expect(refusalOf(await patch(id, { [field]: null }))).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
    const answer = await patch(id, { position: 4, active: true });
    expect((await patch(id, {})).headers["etag"]).to.equal(answer.headers["etag"]);
  });

  it("stay on links when deactivated and may still be given; deleting clears them", async () => {
    const { id: type } = await made({ key: "boss" });
    const { id: company } = await tenant.company();
    const { id } = (await tenant.owner.post("/contacts", { first_name: "A", company_ids: [company] })).body;
    const linked = async () => (await tenant.owner.get(`/contacts/${id}`)).body.companies[0];
    await tenant.owner.patch(`/contacts/${id}/links/${company}`, { is_primary: true, contact_type_id: type });
    await patch(type, { active: false });
    expect((await linked()).contact_type_id).to.equal(type);
    const { id: other } = (await tenant.owner.post("/contacts", { first_name: "B" })).body;
    const given = await tenant.owner.post(`/contacts/${other}/links`, { company_id: company, contact_type_id: type });
    expect(given.body.companies[0].contact_type_id).to.equal(type);
    expect((await tenant.owner.delete(`/contacts/types/${type}`)).status).to.equal(204);
    expect(await linked()).to.include({ contact_type_id: null, is_primary: true });
  });

  it("are read with contacts.type.read and managed with contacts.type.manage", async () => {
    const { id } = await made({ key: "boss" });
    const member = await tenant.member("member");
    expect((await member.get("/contacts/types")).status).to.equal(200);
    for (const answer of [
      await member.post("/contacts/types", { key: "x" }),
      await member.patch(`/contacts/types/${id}`, {}),
      await member.delete(`/contacts/types/${id}`),
      await (await tenant.member("member", { grants: ["contacts.contact.read"] })).get("/contacts/types"),
    ])
      expect(answer.status).to.equal(403);
  });
});
