import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { namesOf, refusalOf } from "../companies/company-records.ts";

describe("a login attached to a contact", () => {
  let service: TestService;
  let tenant: Tenant;
  let ids: Record<"a" | "b" | "c", string>;
  let contact: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    const [a, b, c] = [
      await tenant.company({ name: "Ant" }),
      await tenant.company({ name: "Bee" }),
      await tenant.company({ name: "Cat" }),
    ];
    ids = { a: a.id, b: b.id, c: c.id };
    contact = (await tenant.owner.post("/contacts", { first_name: "Anna", company_ids: [a.id] })).body.id;
  });
  after(() => service.stop());

  const attach = (person: Caller | null, to = contact) =>
    service.sql.query("update contacts set account_id = $2 where id = $1", [to, person?.accountId ?? null]);
  const seenBy = async (person: Caller) => namesOf(await person.get("/companies"));
  const revision = async () =>
    (await service.sql.query("select access_revision from organisations where id = $1", [tenant.organisation.id])).rows[0]
      .access_revision as string;

  it("sees the companies its contact is linked to, live on the next request", async () => {
    const client = await tenant.member("client");
    expect(await seenBy(client)).to.deep.equal([]);
    await attach(client);
    expect(await seenBy(client)).to.deep.equal(["Ant"]);
    await tenant.owner.post(`/contacts/${contact}/links`, { company_id: ids.b });
    expect(await seenBy(client)).to.deep.equal(["Ant", "Bee"]);
    await tenant.owner.delete(`/contacts/${contact}/links/${ids.a}`);
    expect(await seenBy(client)).to.deep.equal(["Bee"]);
    await tenant.owner.delete(`/companies/${ids.b}`);
    expect(await seenBy(client)).to.deep.equal([]);
  });

  it("adds its groups to that", async () => {
    const client = await tenant.member("client");
    await attach(client);
    await tenant.group("More", [ids.c], [client.membershipId]);
    expect(await seenBy(client)).to.deep.equal(["Ant", "Cat"]);
    expect((await client.get("/companies")).body.total).to.equal(2);
  });

  it("is a client login with any roles: staff is narrowed when attached, and wide again when detached", async () => {
    const staff = await tenant.member("member");
    const email = async () => (await staff.get("/members/lookup")).body[0].email;
    expect(await seenBy(staff)).to.deep.equal(["Ant", "Bee", "Cat"]);
    await attach(staff);
    expect(await seenBy(staff)).to.deep.equal(["Ant"]);
    expect(await email()).to.equal(null);
    await tenant.owner.delete(`/contacts/${contact}/links/${ids.a}`);
    expect(await seenBy(staff)).to.deep.equal([]);
    await attach(null);
    expect(await seenBy(staff)).to.deep.equal(["Ant", "Bee", "Cat"]);
    expect(await email()).to.not.equal(null);
    await attach(staff);
    await tenant.owner.delete(`/contacts/${contact}`);
    expect(await seenBy(staff)).to.deep.equal(["Ant", "Bee", "Cat"]);
  });

  it("is never narrowed when it is an owner's", async () => {
    await attach(tenant.owner);
    expect(await seenBy(tenant.owner)).to.deep.equal(["Ant", "Bee", "Cat"]);
    await tenant.owner.post("/contacts", { first_name: "Nobody's" });
    expect((await tenant.owner.get("/contacts")).body.total).to.equal(2);
  });

  it("sees the contacts of its companies, itself among them, and none without a company", async () => {
    const client = await tenant.member("client");
    await attach(client);
    for (const body of [
      { first_name: "Colleague", company_ids: [ids.a, ids.b] },
      { first_name: "Other", company_ids: [ids.b] },
      { first_name: "Free" },
    ])
      await tenant.owner.post("/contacts", body);
    const { items, total } = (await client.get("/contacts?sort=first_name")).body;
    expect([total, items.map(({ first_name: name }: { first_name: string }) => name)]).to.deep.equal([2, ["Anna", "Colleague"]]);
    expect(items[1].companies.map(({ name }: { name: string }) => name)).to.deep.equal(["Ant"]);
  });

  it("counts only in the organisation of its contact", async () => {
    const other = await service.tenant();
    const person = await other.member("member");
    const theirs = (await other.owner.post("/contacts", { first_name: "Them" })).body.id;
    const mine = await tenant.member("member");
    await service.sql.query("update contacts set account_id = $2 where id = $1", [theirs, mine.accountId]);
    expect(await seenBy(mine)).to.deep.equal(["Ant", "Bee", "Cat"]);
    expect((await person.get("/members")).status).to.equal(403);
  });

  it("is one contact's at most in an organisation, and goes with its account", async () => {
    const client = await tenant.member("client");
    const other = (await tenant.owner.post("/contacts", { first_name: "Bram" })).body.id;
    await attach(client);
    expect(await attach(client, other).catch(({ constraint }: { constraint: string }) => constraint)).to.equal(
      "contacts_account_key",
    );
    await service.sql.query("delete from accounts where id = $1", [client.accountId]);
    expect((await tenant.owner.get(`/contacts/${contact}`)).status).to.equal(200);
    expect((await service.sql.query("select account_id from contacts where id = $1", [contact])).rows[0].account_id).to.equal(
      null,
    );
  });

  it("is omitted from the members, and from the lookup unless clients are requested", async () => {
    const [client, direct, staff] = [await tenant.member("client"), await tenant.member("client"), await tenant.member("member")];
    await attach(client);
    const emails = async (path: string) =>
      (await tenant.owner.get(path)).body.map(({ email }: { email: string }) => email).sort();
    expect(await emails("/members")).to.deep.equal([direct.email, staff.email, tenant.owner.email].sort());
    expect(await emails("/members/lookup")).to.deep.equal([staff.email, tenant.owner.email].sort());
    expect(await emails("/members/lookup?include_clients=true")).to.include(client.email);
  });

  it("moves the access revision when it comes and goes, and when its contact's links change; other contacts do not", async () => {
    const client = await tenant.member("client");
    const other = (await tenant.owner.post("/contacts", { first_name: "Bram" })).body.id;
    const steps: [what: string, moves: boolean, work: () => Promise<unknown>][] = [
      ["attached", true, () => attach(client)],
      ["attached again", false, () => attach(client)],
      ["its contact renamed", false, () => tenant.owner.patch(`/contacts/${contact}`, { first_name: "X" })],
      ["its contact linked", true, () => tenant.owner.post(`/contacts/${contact}/links`, { company_id: ids.b })],
      ["its contact unlinked", true, () => tenant.owner.delete(`/contacts/${contact}/links/${ids.b}`)],
      ["another contact linked", false, () => tenant.owner.post(`/contacts/${other}/links`, { company_id: ids.b })],
      ["another contact deleted", false, () => tenant.owner.delete(`/contacts/${other}`)],
      ["its contact deleted", true, () => tenant.owner.delete(`/contacts/${contact}`)],
    ];
    for (const [what, moves, work] of steps) {
      const before = await revision();
      await work();
      expect((await revision()) !== before, what).to.equal(moves);
    }
  });

  it("gets no company and no trail beyond its own", async () => {
    const client = await tenant.member("client");
    await attach(client);
    expect(refusalOf(await client.get(`/companies/${ids.b}`))).to.deep.equal([404, "not_found", null]);
    expect((await client.get(`/activity?entity_type=company&entity_id=${ids.a}`)).body).to.deep.equal([]);
    const panels = (await client.get(`/companies/${ids.a}/panels`)).body as {
      key: string;
      data: { items?: unknown[]; candidates?: unknown[] };
    }[];
    await tenant.owner.post("/contacts", { first_name: "Free" });
    expect(panels.find(({ key }) => key === "activity.trail")?.data.items).to.deep.equal([]);
    expect(panels.find(({ key }) => key === "contacts.company")?.data.candidates).to.deep.equal([]);
  });
});
