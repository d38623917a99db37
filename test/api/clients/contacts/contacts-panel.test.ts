import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";

interface Shown {
  first_name: string;
  is_primary?: boolean;
  companies: { name: string }[];
}

describe("what contacts and the trail add to a company", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    company = (await tenant.company({ name: "Panelled" })).id;
  });
  after(() => service.stop());

  const panel = async (key: string, who: Caller = tenant.owner) =>
    (await who.get(`/companies/${company}/panels`)).body.find((one: { key: string }) => one.key === key);
  const contact = async (first_name: string, company_ids: string[] = [], last_name?: string) =>
    (await tenant.owner.post("/contacts", { first_name, last_name, company_ids })).body.id as string;
  const names = (rows: Shown[]) => rows.map(({ first_name: name }) => name);

  it("is all its contacts, primary first, then oldest link", async () => {
    await contact("first", [company]);
    await contact("second", [company]);
    const third = await contact("third", [company]);
    await tenant.owner.post(`/contacts/${third}/links`, { company_id: company, is_primary: true });
    const { position, data } = await panel("contacts.company");
    expect(position).to.equal(20);
    expect(names(data.contacts)).to.deep.equal(["third", "first", "second"]);
    expect(data.contacts.map(({ is_primary: primary }: Shown) => primary)).to.deep.equal([true, false, false]);
    const { is_primary: _primary, ...read } = data.contacts[0];
    expect(read).to.deep.equal((await tenant.owner.get(`/contacts/${third}`)).body);
  });

  it("offers the first 20 contacts of no company by first, then last name", async () => {
    await contact("taken", [(await tenant.company()).id]);
    for (let n = 21; n > 0; n--) await contact(n % 2 ? "Bob" : "anna", [], String(n).padStart(2, "0"));
    const { data } = await panel("contacts.company");
    expect(data.candidates).to.have.length(20);
    expect(names(data.candidates)).to.deep.equal([...Array(10).fill("anna"), ...Array(10).fill("Bob")]);
    expect(data.candidates[0].last_name).to.equal("02");
    expect(data.contacts).to.deep.equal([]);
  });

  it("has the active definitions of contact fields", async () => {
    expect((await panel("contacts.company")).data.definitions).to.deep.equal([]);
    for (const [key, active] of [
      ["shoe_size", true],
      ["gone", false],
    ] as const)
      await tenant.owner.post("/custom-fields/definitions", { entity_type: "contact", key, data_type: "text", active });
    const { definitions } = (await panel("contacts.company")).data;
    expect(definitions.map(({ key }: { key: string }) => key)).to.deep.equal(["shoe_size"]);
  });

  it("names to a restricted caller only companies inside its selection, and needs its own permission", async () => {
    const other = (await tenant.company({ name: "Hidden" })).id;
    await contact("both", [company, other]);
    const staff = await tenant.member("member");
    await tenant.group("Seen", [company], [staff.membershipId]);
    const { data } = await panel("contacts.company", staff);
    expect(data.contacts[0].companies.map(({ name }: { name: string }) => name)).to.deep.equal(["Panelled"]);
    const without = await tenant.member("member", { grants: ["companies.company.read"] });
    expect(await panel("contacts.company", without)).to.equal(undefined);
    expect(await panel("activity.trail", without)).to.equal(undefined);
  });

  it("is the latest 10 lines of its trail, newest first, at position 90", async () => {
    for (let n = 1; n <= 12; n++) await tenant.owner.patch(`/companies/${company}`, { name: `Name ${n}` });
    const { position, data } = await panel("activity.trail");
    expect(position).to.equal(90);
    expect(data.items).to.have.length(10);
    expect(data.items[0].payload.changes.name.to).to.equal("Name 12");
  });
});
