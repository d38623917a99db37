import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { namesOf, refusalOf } from "./company-records.ts";

const notFound = [404, "not_found", null];
const everything = ["read", "write", "delete"].map((verb) => `companies.company.${verb}`);

describe("the client selection", () => {
  let service: TestService;
  let tenant: Tenant;
  let ids: Record<"a" | "b" | "c", string>;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    const [a, b, c] = [
      await tenant.company({ name: "Ant" }),
      await tenant.company({ name: "Bee" }),
      await tenant.company({ name: "Hidden Cat" }),
    ];
    ids = { a: a.id, b: b.id, c: c.id };
  });
  after(() => service.stop());

  const seenBy = async (caller: Caller) => namesOf(await caller.get("/companies"));
  const staff = () => tenant.member("member", { grants: [...everything, "companies.group.manage", "companies.settings.manage"] });

  describe("of staff", () => {
    it("is everything without a group", async () => {
      expect(await seenBy(await tenant.member("member"))).to.deep.equal(["Ant", "Bee", "Hidden Cat"]);
    });

    it("is the union of the groups, each company once", async () => {
      const member = await tenant.member("member");
      await tenant.group("One", [ids.a, ids.b], [member.membershipId]);
      await tenant.group("Two", [ids.b], [member.membershipId]);
      expect(await seenBy(member)).to.deep.equal(["Ant", "Bee"]);
      await tenant.group("Three", [ids.c], []);
      expect(await seenBy(member)).to.deep.equal(["Ant", "Bee"]);
    });

    it("is empty when the only group holds no company", async () => {
      const member = await tenant.member("member");
      await tenant.group("Empty", [], [member.membershipId]);
      expect((await member.get("/companies")).body).to.include({ total: 0 });
      expect(await seenBy(member)).to.deep.equal([]);
    });

    it("widens back to everything when the last group is deleted, at once", async () => {
      const member = await tenant.member("member");
      const one = await tenant.group("One", [ids.a], [member.membershipId]);
      const two = await tenant.group("Two", [ids.b], [member.membershipId]);
      expect(await seenBy(member)).to.deep.equal(["Ant", "Bee"]);
      await tenant.owner.delete(`/companies/groups/${one}`);
      expect(await seenBy(member)).to.deep.equal(["Bee"]);
      await tenant.owner.delete(`/companies/groups/${two}`);
      expect(await seenBy(member)).to.deep.equal(["Ant", "Bee", "Hidden Cat"]);
    });

    it("follows a change of a group's companies or members on the next request", async () => {
      const member = await tenant.member("member");
      const group = await tenant.group("One", [ids.a], [member.membershipId]);
      await tenant.owner.put(`/companies/groups/${group}/companies`, { company_ids: [ids.b, ids.c] });
      expect(await seenBy(member)).to.deep.equal(["Bee", "Hidden Cat"]);
      await tenant.owner.put(`/companies/groups/${group}/memberships`, { membership_ids: [] });
      expect(await seenBy(member)).to.deep.equal(["Ant", "Bee", "Hidden Cat"]);
    });

    it("narrows an administrator as well, but never an owner", async () => {
      const [admin, owner] = [await tenant.member("admin"), await tenant.member("owner")];
      await tenant.group("One", [ids.a], [admin.membershipId, owner.membershipId, tenant.owner.membershipId]);
      expect(await seenBy(admin)).to.deep.equal(["Ant"]);
      for (const caller of [owner, tenant.owner]) expect(await seenBy(caller)).to.deep.equal(["Ant", "Bee", "Hidden Cat"]);
      expect((await owner.post("/companies", { name: "New" })).status).to.equal(201);
    });

    it("does not touch service accounts", async () => {
      const machine = await tenant.serviceAccount(["companies.company.read"]);
      expect(await seenBy(machine)).to.deep.equal(["Ant", "Bee", "Hidden Cat"]);
    });
  });

  describe("of a client login", () => {
    it("is empty without a group, and never everything", async () => {
      const client = await tenant.member("client");
      expect((await client.get("/companies")).body).to.deep.include({ items: [], total: 0 });
      expect(refusalOf(await client.get(`/companies/${ids.a}`))).to.deep.equal(notFound);
    });

    it("is what its groups add, and empty again without them", async () => {
      const client = await tenant.member("client");
      const group = await tenant.group("One", [ids.a], [client.membershipId]);
      expect(await seenBy(client)).to.deep.equal(["Ant"]);
      await tenant.owner.delete(`/companies/groups/${group}`);
      expect(await seenBy(client)).to.deep.equal([]);
    });

    it("stays narrow with a staff role and its permissions", async () => {
      const client = await tenant.member("client");
      await service.sql.query(
        "insert into membership_roles select organisation_id, $2, id from roles where organisation_id = $1 and key = 'admin'",
        [tenant.organisation.id, client.membershipId],
      );
      expect(await seenBy(client)).to.deep.equal([]);
      expect(refusalOf(await client.post("/companies", { name: "New" }))).to.deep.equal([403, "forbidden", null]);
    });
  });

  describe("when restricted", () => {
    let caller: Caller;
    beforeEach(async () => {
      caller = await staff();
      await tenant.group("Mine", [ids.a, ids.b], [caller.membershipId]);
    });

    it("narrows list, total, search, filter and sort", async () => {
      for (const query of [
        "",
        "sort=-name",
        "sort=assignee",
        "status=active",
        "q=e",
        "updated_since=2020-01-01T00:00:00Z",
        "count=false",
      ]) {
        const { body } = await caller.get(`/companies?${query}`);
        const wanted = query === "q=e" ? ["Bee"] : ["Ant", "Bee"];
        expect(namesOf({ body } as never).sort(), query).to.deep.equal(wanted);
        expect(body.total, query).to.equal(wanted.length);
      }
      const hidden = await caller.get("/companies?q=hidden");
      expect([hidden.body.items, hidden.body.total]).to.deep.equal([[], 0]);
      await tenant.owner.patch(`/companies/${ids.c}`, { responsible_user_id: caller.accountId });
      expect((await caller.get("/companies?mine=true")).body.total).to.equal(0);
    });

    it("hides a company from every address, as one that does not exist", async () => {
      const path = `/companies/${ids.c}`;
      const answers = [
        await caller.get(path),
        await caller.get(`${path}/panels`),
        await caller.get(`${path}/summary`),
        await caller.patch(path, { name: "Taken over" }),
        await caller.patch(path, { name: "Taken over" }, { headers: { "If-Match": '"99"' } }),
        await caller.delete(path),
      ];
      for (const answer of answers) expect(refusalOf(answer)).to.deep.equal(notFound);
      expect((await tenant.owner.get(path)).body.name).to.equal("Hidden Cat");
    });

    it("allows reading, changing and deleting visible companies", async () => {
      expect((await caller.get(`/companies/${ids.a}`)).status).to.equal(200);
      expect((await caller.patch(`/companies/${ids.a}`, { city: "Ede" })).body.city).to.equal("Ede");
      expect((await caller.get(`/companies/${ids.a}/panels`)).status).to.equal(200);
      expect((await caller.delete(`/companies/${ids.b}`)).status).to.equal(204);
    });

    it("refuses to create a company with 403, and nothing is written", async () => {
      const written = async () => {
        const { rows } = await service.sql.query(
          `select (select count(*) from companies where organisation_id = $1)::int as companies,
                  (select count(*) from activity where organisation_id = $1)::int as trail,
                  (select count(*) from outbox where organisation_id = $1)::int as events,
                  (select client_number_next_seq from company_settings where organisation_id = $1) as next`,
          [tenant.organisation.id],
        );
        return rows[0];
      };
      const before = await written();
      const answers = [
        await caller.post("/companies", { name: "New" }),
        await caller.post("/companies", { name: "New", client_number: "0001" }),
        await caller.post("/companies", { name: "New", responsible_user_id: ids.a }),
        await caller.post("/companies", { name: "New", phone: "x" }),
      ];
      for (const answer of answers) expect(refusalOf(answer)).to.deep.equal([403, "forbidden", null]);
      expect(await written()).to.deep.equal(before);
    });

    it("refuses it to a member of an empty group and to a client login as well", async () => {
      const [lonely, client] = [await staff(), await tenant.member("client", { grants: everything })];
      await tenant.group("Empty", [], [lonely.membershipId, client.membershipId]);
      for (const one of [lonely, client]) expect((await one.post("/companies", { name: "New" })).status).to.equal(403);
    });

    it("shows in a group only the companies it sees, and replaces only those", async () => {
      const group = await tenant.group("Mixed", [ids.a, ids.c], []);
      const read = async (who: Caller) =>
        ((await who.get("/companies/groups")).body as { id: string; company_ids: string[] }[]).find(({ id }) => id === group)
          ?.company_ids;
      expect(await read(caller)).to.deep.equal([ids.a]);
      await caller.put(`/companies/groups/${group}/companies`, { company_ids: [ids.b] });
      expect((await read(tenant.owner))?.sort()).to.deep.equal([ids.b, ids.c].sort());
    });

    it("drops an invisible company from a group's new set like an unknown one", async () => {
      const group = await tenant.group("New", [], []);
      await caller.put(`/companies/groups/${group}/companies`, { company_ids: [ids.a, ids.c] });
      const groups = (await tenant.owner.get("/companies/groups")).body as { id: string; company_ids: string[] }[];
      expect(groups.find(({ id }) => id === group)?.company_ids).to.deep.equal([ids.a]);
    });

    it("lets no parameterless GET name the hidden client, while an owner finds it", async () => {
      const admin = await tenant.member("admin");
      await tenant.group("Narrow", [ids.a], [admin.membershipId]);
      const { body } = await service.call("GET", "//api/openapi.json", { host: tenant.host });
      const paths = Object.entries(body.paths as Record<string, { get?: object }>).flatMap(([path, { get }]) =>
        get && !path.includes("{") ? [path] : [],
      );
      const naming = async (who: Caller) => {
        const answers = await Promise.all(paths.map((path) => who.get(path)));
        return paths.filter((_, index) => /Hidden Cat/.test(answers[index]?.text ?? "") || answers[index]?.text.includes(ids.c));
      };
      expect(paths).to.include("/companies");
      expect(await naming(tenant.owner)).to.include.members(["/companies"]);
      expect(await naming(admin)).to.deep.equal([]);
    });
  });
});
