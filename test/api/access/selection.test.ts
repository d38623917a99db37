import { expect } from "chai";
import { keepEvents } from "../../support/jobs.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";
type Named = { name: string };

describe("a restricted selection", () => {
  let service: TestService;
  let tenant: Tenant;
  let north: string;
  let south: string;
  let loose: string;
  const sees = async (who: Pick<Caller, "get">) =>
    (await who.get("/companies")).body.items.map(({ name }: Named) => name).join(", ");
  const everything = "Loose, North, South";

  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    [north, south, loose] = (await Promise.all(
      ["North", "South", "Loose"].map(async (name) => (await tenant.company({ name })).id),
    )) as [string, string, string];
  });

  it("without source is absent for staff, and empty for a client login", async () => {
    expect(await sees(await tenant.member("member"))).to.equal(everything);
    expect(await sees(await tenant.member("client"))).to.equal("");
  });

  it("of several groups is their union", async () => {
    const person = await tenant.member("member");
    await tenant.group("A", [north], [person.membershipId]);
    expect(await sees(person)).to.equal("North");
    await tenant.group("B", [south, north], [person.membershipId]);
    expect(await sees(person)).to.equal("North, South");
  });

  it("of a group without clients is empty, not unrestricted", async () => {
    const person = await tenant.member("member");
    await tenant.group("Empty", [], [person.membershipId]);
    expect(await sees(person)).to.equal("");
  });

  it("ends with the last assignment for staff, and becomes empty for a client login", async () => {
    const [staff, client] = [await tenant.member("member"), await tenant.member("client")];
    const group = await tenant.group("A", [north], [staff.membershipId, client.membershipId]);
    expect([await sees(staff), await sees(client)]).to.deep.equal(["North", "North"]);
    await tenant.owner.put(`/companies/groups/${group}/memberships`, { membership_ids: [] });
    expect([await sees(staff), await sees(client)]).to.deep.equal([everything, ""]);
  });

  it("never binds a wildcard holder, for any assignment", async () => {
    await tenant.group("A", [north], [tenant.owner.membershipId]);
    expect(await sees(tenant.owner)).to.equal(everything);
    const both = await tenant.member("client");
    await service.sql.query(
      "insert into membership_roles select $1, $2, id from roles where organisation_id = $1 and key = 'owner'",
      [tenant.organisation.id, both.membershipId],
    );
    await tenant.group("B", [south], [both.membershipId]);
    expect(await sees(both)).to.equal(everything);
  });

  it("binds an administrator, whose grants are a list", async () => {
    const admin = await tenant.member("admin");
    await tenant.group("A", [north], [admin.membershipId]);
    expect(await sees(admin)).to.equal("North");
  });

  it("applies to the session and to every key of the person; a service account has none", async () => {
    const person = await tenant.member("member", { password: PASSWORD });
    await tenant.group("A", [north], [person.membershipId]);
    const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
    expect(await sees(session)).to.equal("North");
    expect(await sees(person)).to.equal("North");
    expect(await sees(await tenant.serviceAccount(["companies.company.read"]))).to.equal(everything);
  });

  it("makes a login external with the client role, even with a staff role", async () => {
    const person = await tenant.member("member");
    await service.sql.query(
      "insert into membership_roles select $1, $2, id from roles where organisation_id = $1 and key = 'client'",
      [tenant.organisation.id, person.membershipId],
    );
    expect(await sees(person)).to.equal("");
  });

  it("is never widened by more permissions on the client role", async () => {
    await service.sql.query(
      "update roles set permissions = permissions || '{companies.company.write,members.member.read}' where organisation_id = $1 and key = 'client'",
      [tenant.organisation.id],
    );
    const client = await tenant.member("client");
    expect(await sees(client)).to.equal("");
    expect((await client.patch(`/companies/${north}`, { city: "X" })).status).to.equal(404);
    expect((await client.post("/companies", { name: "Mine" })).status).to.equal(403);
  });

  it("hides rows on every path: lists, totals, searches, filters, sorts, ids, nested ids and writes", async () => {
    const person = await tenant.member("admin");
    await tenant.group("A", [north], [person.membershipId]);
    for (const query of [
      "",
      "?q=o",
      "?sort=-name",
      "?sort=assignee",
      "?status=active",
      "?updated_since=2000-01-01T00:00:00Z",
      "?hours=true",
      "?limit=1",
    ]) {
      const { body } = await person.get(`/companies${query}`);
      expect(
        body.items.map(({ name }: Named) => name),
        query,
      ).to.deep.equal(["North"]);
      expect(body.total, query).to.equal(1);
    }
    expect((await person.get("/companies?q=south")).body).to.deep.include({ items: [], total: 0 });
    expect((await person.get("/companies?offset=1")).body).to.deep.include({ items: [], total: 1 });
    const before = (await tenant.owner.get(`/companies/${south}`)).text;
    const answers = await Promise.all([
      person.get(`/companies/${south}`),
      person.get(`/companies/${south}/panels`),
      person.get(`/companies/${south}/summary`),
      person.patch(`/companies/${south}`, { name: "Taken" }),
      person.delete(`/companies/${south}`),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404, 404]);
    expect((await tenant.owner.get(`/companies/${south}`)).text).to.equal(before);
  });

  it("refuses a create that would land outside it, before anything is written", async () => {
    const person = await tenant.member("admin");
    await tenant.group("A", [north], [person.membershipId]);
    const counts = async () =>
      (
        await service.sql.query(
          `select (select count(*) from companies where organisation_id = $1) c, (select count(*) from activity where organisation_id = $1) a,
             (select count(*) from outbox where organisation_id = $1) o`,
          [tenant.organisation.id],
        )
      ).rows;
    const before = await counts();
    expect((await person.post("/companies", { name: "Outside" })).status).to.equal(403);
    expect(await counts()).to.deep.equal(before);
  });

  it("cannot be escaped through groups: companies outside it stay hidden and where they are", async () => {
    const person = await tenant.member("admin");
    const own = await tenant.group("Own", [north], [person.membershipId]);
    const other = await tenant.group("Other", [north, south], []);
    const shown = (await person.get("/companies/groups")).body as { id: string; company_ids: string[] }[];
    expect(shown.flatMap(({ company_ids }) => company_ids)).to.deep.equal([north, north]);
    await person.put(`/companies/groups/${own}/companies`, { company_ids: [north, south, loose] });
    expect(await sees(person)).to.equal("North");
    await person.put(`/companies/groups/${other}/companies`, { company_ids: [] });
    const stored = (await tenant.owner.get("/companies/groups")).body as { id: string; company_ids: string[] }[];
    expect(stored.find(({ id }) => id === other)?.company_ids).to.deep.equal([south]);
  });

  describe("cannot be widened by members it binds:", () => {
    let admin: Caller;
    let own: string;
    let foreign: string;
    const FORBIDDEN = { error: { code: "forbidden", message: "errors.forbidden" } };
    const members = async (group: string) =>
      (await tenant.owner.get("/companies/groups")).body.find(({ id }: { id: string }) => id === group)?.membership_ids;

    beforeEach(async () => {
      admin = await tenant.member("admin", { password: PASSWORD });
      own = await tenant.group("Own", [north], [admin.membershipId]);
      foreign = await tenant.group("Foreign", [south], []);
    });
    const refused = async (answer: { status: number; body: unknown }) => {
      expect([answer.status, answer.body]).to.deep.equal([403, FORBIDDEN]);
      expect(await sees(admin)).to.equal("North");
      expect([await members(own), await members(foreign)]).to.deep.equal([[admin.membershipId], []]);
    };

    it("emptying its last group", async () => {
      await refused(await admin.put(`/companies/groups/${own}/memberships`, { membership_ids: [] }));
      await refused(await admin.put(`/companies/groups/${own}/memberships`, { membership_ids: [tenant.owner.membershipId] }));
    });

    it("deleting its last group", async () => refused(await admin.delete(`/companies/groups/${own}`)));

    it("joining another group", async () => {
      const both = { membership_ids: [admin.membershipId, tenant.owner.membershipId] };
      await refused(await admin.put(`/companies/groups/${foreign}/memberships`, both));
    });

    it("in a session as with a key", async () => {
      const cookie = await signIn(service.port, tenant.host, admin.email, PASSWORD);
      const call = { host: tenant.host, cookie, body: { membership_ids: [] } };
      await refused(await service.call("PUT", `/companies/groups/${own}/memberships`, call));
    });

    it("two leavings at once, each of which would leave it one", async () => {
      const second = await tenant.group("Second", [north], [admin.membershipId]);
      const leave = (group: string) => admin.put(`/companies/groups/${group}/memberships`, { membership_ids: [] });
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all([leave(own), leave(second)]);
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 403]);
        expect(await sees(admin)).to.equal("North");
        for (const group of [own, second])
          await tenant.owner.put(`/companies/groups/${group}/memberships`, { membership_ids: [admin.membershipId] });
      }
    });

    it("deleting the contact that makes it a client login", async () => {
      const person = await tenant.member("member", { grants: ["contacts.contact.delete", "companies.company.read"] });
      const contact = (await tenant.owner.post("/contacts", { first_name: "Eva", company_ids: [north] })).body;
      await service.sql.query("update contacts set account_id = $2 where id = $1", [contact.id, person.accountId]);
      expect(await sees(person)).to.equal("North");
      expect((await person.delete(`/contacts/${contact.id}`)).status).to.equal(403);
      expect(await sees(person)).to.equal("North");
    });

    it("but narrowed, and others are moved as before", async () => {
      const colleague = await tenant.member("member");
      const second = await tenant.group("Second", [north, south], [admin.membershipId]);
      expect(await sees(admin)).to.equal("North, South");
      const put = (group: string, ids: string[]) => admin.put(`/companies/groups/${group}/memberships`, { membership_ids: ids });
      expect((await put(foreign, [colleague.membershipId, admin.membershipId])).status, "holds South already").to.equal(204);
      expect((await put(foreign, [colleague.membershipId])).status).to.equal(204);
      expect((await put(second, [])).status).to.equal(204);
      expect(await sees(admin)).to.equal("North");
      expect(await sees(colleague)).to.equal("South");
      expect((await admin.delete(`/companies/groups/${second}`)).status).to.equal(204);
      expect((await admin.put(`/companies/groups/${own}/companies`, { company_ids: [] })).status).to.equal(204);
      expect(await sees(admin)).to.equal("");
      const last = `/companies/groups/${foreign}`;
      expect((await admin.delete(last)).status, "the colleague's last group: it would see every client").to.equal(403);
      await tenant.group("Another", [north], [colleague.membershipId]);
      expect((await admin.delete(last)).status).to.equal(204);
      expect(await sees(colleague)).to.equal("North");
    });
  });

  it("leaves configuration of the organisation readable under its own permission", async () => {
    const person = await tenant.member("admin");
    await tenant.group("A", [], [person.membershipId]);
    for (const path of ["/companies/settings", "/roles", "/members", "/system/info", "/companies/groups"])
      expect((await person.get(path)).status, path).to.equal(200);
  });

  it("keeps a hidden client's name out of every parameterless read; the owner's reads are the control", async () => {
    const secret = "Zephyrine Holdings";
    await tenant.company({ name: secret });
    const person = await tenant.member("admin");
    await tenant.group("A", [north], [person.membershipId]);
    const { body } = await service.call("GET", "//api/openapi.json", { host: tenant.host });
    const paths = Object.entries(body.paths as Record<string, { get?: { parameters?: { required?: boolean }[] } }>).flatMap(
      ([path, { get }]) => (get && !path.includes("{") && !get.parameters?.some(({ required }) => required) ? [path] : []),
    );
    expect(paths).to.include("/companies");
    let shownToOwner = 0;
    for (const path of paths) {
      expect((await person.get(path)).text, path).not.to.contain(secret);
      if ((await tenant.owner.get(path)).text.includes(secret)) shownToOwner += 1;
    }
    expect(shownToOwner).to.be.greaterThan(0);
  });
});
