import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "./companies/company-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
interface Line {
  id: string;
  action: string;
  actor_name: string | null;
  actor_deleted: boolean;
  payload: { changes?: { name?: { to: string } } };
  created_at: string;
}

describe("GET /activity", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    company = (await tenant.company({ name: "First" })).id;
  });
  after(() => service.stop());

  const ask = (query: string, who: Caller = tenant.owner) => who.get(`/activity?${query}`);
  const of = (type: string, id: string, more = "") => `entity_type=${type}&entity_id=${id}${more}`;
  const lines = async (who: Caller = tenant.owner, type = "company", id = company): Promise<Line[]> => {
    const { status, body, text } = await ask(of(type, id), who);
    expect(status, text).to.equal(200);
    return body;
  };
  const rename = (name: string, who: Caller = tenant.owner) => who.patch(`/companies/${company}`, { name });

  it("returns the lines of one record, newest first, with every field", async () => {
    await rename("Second");
    await tenant.company();
    const [newest, oldest, ...rest] = await lines();
    expect(rest).to.deep.equal([]);
    expect(oldest?.action).to.equal("created");
    expect(newest).to.deep.equal({
      id: newest?.id,
      entity_type: "company",
      entity_id: company,
      action: "updated",
      actor_name: newest?.actor_name,
      actor_deleted: false,
      impersonator_name: null,
      payload: { changes: { name: { from: "First", to: "Second" } } },
      created_at: newest?.created_at,
    });
  });

  it("returns 20 lines by default, 1 to 50, and those since an instant", async () => {
    await service.sql.query(
      `insert into activity (id, organisation_id, entity_type, entity_id, action, created_at)
       select gen_random_uuid(), $1, 'company', $2, 'n' || n, '2020-01-01Z'::timestamptz + n * interval '1 day' from generate_series(1, 60) n`,
      [tenant.organisation.id, company],
    );
    for (const [more, length] of [
      ["", 20],
      ["&limit=1", 1],
      ["&limit=50", 50],
    ] as const)
      expect((await ask(of("company", company, more))).body).to.have.length(length);
    const since = (await ask(of("company", company, "&updated_since=2020-02-29T00:00:00Z"))).body as Line[];
    expect(since.map(({ action }) => action)).to.deep.equal(["created", "n60", "n59"]);
  });

  const refused: [what: string, query: string, fields: Record<string, string>][] = [
    ["without type and id", "", { entity_type: "errors.required", entity_id: "errors.required" }],
    ["with a type over 30 characters", of("x".repeat(31), UNKNOWN), { entity_type: "errors.validation" }],
    ["with an id that is none", of("company", "x"), { entity_id: "errors.validation" }],
    ["with limit 0", of("company", UNKNOWN, "&limit=0"), { limit: "errors.validation" }],
    ["with limit 51", of("company", UNKNOWN, "&limit=51"), { limit: "errors.validation" }],
  ];
  for (const [what, query, fields] of refused)
    it(`refuses a question ${what}`, async () => {
      expect(refusalOf(await ask(query))).to.deep.equal(invalidOn(fields));
    });

  describe("the actor", () => {
    it("is the live name, else e-mail, while the account exists; afterwards the name of then", async () => {
      const admin = await tenant.member("admin", { name: "Zoë Then" });
      await rename("Second", admin);
      const reported = async () => {
        const [{ actor_name: name, actor_deleted: deleted } = {} as Line] = await lines();
        return [name, deleted];
      };
      expect(await reported()).to.deep.equal(["Zoë Then", false]);
      await service.sql.query("update accounts set full_name = 'Zoë Now' where id = $1", [admin.accountId]);
      expect(await reported()).to.deep.equal(["Zoë Now", false]);
      await service.sql.query("update accounts set full_name = null, is_active = false where id = $1", [admin.accountId]);
      expect(await reported()).to.deep.equal([admin.email, false]);
      await service.sql.query("delete from memberships where account_id = $1", [admin.accountId]);
      expect(await reported()).to.deep.equal([admin.email, false]);
      await service.sql.query("delete from accounts where id = $1", [admin.accountId]);
      expect(await reported()).to.deep.equal(["Zoë Then", true]);
    });

    it("is a service account by its name, null for the system", async () => {
      const machine = await tenant.serviceAccount(["companies.company.read", "companies.company.write"]);
      await rename("By machine", machine);
      await service.sql.query(
        "insert into activity (id, organisation_id, entity_type, entity_id, action) values (gen_random_uuid(), $1, 'company', $2, 'swept')",
        [tenant.organisation.id, company],
      );
      const reported = (await lines()).map(({ action, actor_name: name, actor_deleted: deleted }) => [action, name, deleted]);
      expect(reported.slice(0, 2)).to.deep.equal([
        ["swept", null, false],
        ["updated", machine.email, false],
      ]);
    });
  });

  describe("the gate", () => {
    const own: [type: string, permission: string][] = [
      ["company", "companies.company.read"],
      ["contact", "contacts.contact.read"],
      ["company_group", "companies.group.manage"],
    ];
    const idOf = async (type: string): Promise<string> => {
      if (type === "company") return company;
      if (type === "contact") return (await tenant.owner.post("/contacts", { first_name: "A" })).body.id;
      return tenant.group("Group", [], []);
    };
    for (const [type, permission] of own)
      it(`of a ${type} needs activity.read and ${permission}`, async () => {
        const id = await idOf(type);
        for (const grants of [
          [permission],
          ["activity.read"],
          ["activity.read", ...own.flatMap(([, one]) => (one === permission ? [] : one))],
        ])
          expect((await ask(of(type, id), await tenant.member("member", { grants }))).status, grants.join()).to.equal(403);
        const reader = await tenant.member("member", { grants: ["activity.read", permission] });
        expect((await lines(reader, type, id)).at(-1)?.action).to.equal("created");
      });

    it("is empty for a type without a trail, of any name, and for a record that never existed", async () => {
      for (const type of ["hosting", "constructor", "__proto__", "COMPANY", ""])
        expect((await ask(of(type, company))).body, type).to.deep.equal([]);
      expect(await lines(tenant.owner, "company", UNKNOWN)).to.deep.equal([]);
    });

    it("is empty for a record of another organisation", async () => {
      expect(await lines((await service.tenant()).owner)).to.deep.equal([]);
    });

    it("is empty for a record outside the selection, for companies as for contacts", async () => {
      const hidden = (await tenant.company()).id;
      const contact = async (company_ids: string[]) =>
        (await tenant.owner.post("/contacts", { first_name: "A", company_ids })).body.id;
      const [seenContact, freeContact, hiddenContact] = [await contact([company]), await contact([]), await contact([hidden])];
      const staff = await tenant.member("member");
      await tenant.group("Seen", [company], [staff.membershipId]);
      expect(await lines(staff)).to.have.length(1);
      expect(await lines(staff, "company", hidden)).to.deep.equal([]);
      expect(await lines(staff, "contact", seenContact)).to.have.length(1);
      expect(await lines(staff, "contact", freeContact)).to.have.length(1);
      expect(await lines(staff, "contact", hiddenContact)).to.deep.equal([]);
    });

    it("is empty for every client login, regardless of its permissions", async () => {
      const client = await tenant.member("client");
      await tenant.group("Seen", [company], [client.membershipId]);
      expect((await client.get(`/companies/${company}`)).status).to.equal(200);
      expect(await lines(client)).to.deep.equal([]);
      expect((await ask(of("company_group", UNKNOWN), client)).status).to.equal(403);
    });

    it("lets the trail of a record that is gone be read", async () => {
      const { id } = (await tenant.owner.post("/contacts", { first_name: "A" })).body;
      await tenant.owner.delete(`/contacts/${id}`);
      expect(await lines(tenant.owner, "contact", id)).to.have.length(1);
    });
  });

  it("costs one statement, however many lines there are", async () => {
    for (const name of ["a", "b", "c"]) await rename(name);
    await lines();
    expect((await ask(of("company", company))).statements).to.equal(1);
  });
});
