import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

/** A restricted caller's possible changes to itself and to others (conventions §5, changed): every endpoint that could widen a view. */
describe("a restricted administrator", () => {
  let service: TestService;
  let tenant: Tenant;
  let north: string;
  let south: string;
  let admin: Caller;
  let group: string;
  let roles: Map<string, string>;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    [north, south] = (await Promise.all(["North", "South"].map(async (name) => (await tenant.company({ name })).id))) as [
      string,
      string,
    ];
    admin = await tenant.member("admin");
    group = await tenant.group("Own", [north], [admin.membershipId]);
    const { body } = await tenant.owner.get("/roles");
    roles = new Map(body.map(({ key, id }: { key: string; id: string }) => [key, id]));
  });

  const sees = async (who: Pick<Caller, "get">) =>
    (await who.get("/companies")).body.items.map(({ name }: { name: string }) => name).join(", ");
  /** The view of a person without a key. */
  const seenBy = async (membershipId: string): Promise<string> => {
    const { rows } = await service.sql.query(
      `select array(select g.group_id from company_group_memberships g where g.membership_id = m.id) as groups from memberships m where m.id = $1`,
      [membershipId],
    );
    return rows[0].groups.join();
  };
  const rolesOf = async ({ membershipId }: Pick<Caller, "membershipId">): Promise<string[]> =>
    (await tenant.owner.get(`/members/${membershipId}/permissions`)).body.role_ids;
  const refused = async (call: ReturnType<Caller["get"]>) => {
    const { status, body } = await call;
    expect([status, body?.error?.code]).to.deep.equal([403, "forbidden"]);
  };
  const role = (key: string): string => roles.get(key) as string;
  const setRoles = ({ membershipId }: Pick<Caller, "membershipId">, ...keys: string[]) =>
    admin.put(`/members/${membershipId}/roles`, { role_ids: keys.map(role) });
  const setMembers = (id: string, ...members: Pick<Caller, "membershipId">[]) =>
    admin.put(`/companies/groups/${id}/memberships`, { membership_ids: members.map(({ membershipId }) => membershipId) });

  describe("and roles", () => {
    it("hands out no role that carries administration, to itself or to others, by any endpoint", async () => {
      const colleague = await tenant.member("member");
      await tenant.group("Theirs", [north], [colleague.membershipId]);
      const custom = await tenant.owner.post("/roles", { key: "powerful", permissions: ["settings.roles.manage"] });
      roles.set("powerful", custom.body.id);
      await refused(setRoles(admin, "owner"));
      await refused(setRoles(admin, "admin", "powerful"));
      for (const keys of [["owner"], ["admin"], ["member", "powerful"]]) await refused(setRoles(colleague, ...keys));
      for (const key of ["owner", "admin"]) {
        await refused(admin.patch(`/members/${colleague.membershipId}`, { role: key }));
        await refused(admin.post("/members/invite", { email: `${key}@new.test`, role: key, send_email: false }));
      }
      expect(await rolesOf(colleague)).to.deep.equal([role("member")]);
      expect(await rolesOf(admin)).to.deep.equal([role("admin")]);
      expect(await sees(admin)).to.equal("North");
    });

    it("turns no role that people hold into such a one", async () => {
      const custom = (await tenant.owner.post("/roles", { key: "helper", permissions: ["companies.company.read"] })).body;
      await refused(admin.patch(`/roles/${custom.id}`, { permissions: ["settings.roles.manage"] }));
      await refused(admin.patch(`/roles/${role("member")}`, { permissions: ["settings.roles.manage"] }));
      expect((await admin.patch(`/roles/${custom.id}`, { permissions: ["contacts.contact.read"] })).status).to.equal(200);
      const own = (await tenant.owner.get("/roles")).body.find(({ key }: { key: string }) => key === "admin");
      expect((await admin.patch(`/roles/${own.id}`, { permissions: own.permissions, position: 21 })).status).to.equal(200);
    });

    it("changes none of its own, and others' roles freely if that widens nothing", async () => {
      const custom = (await tenant.owner.post("/roles", { key: "helper", permissions: ["companies.company.read"] })).body;
      roles.set("helper", custom.id);
      await refused(setRoles(admin, "member"));
      await refused(setRoles(admin, "admin", "helper"));
      await refused(admin.patch(`/members/${admin.membershipId}`, { role: "client" }));
      expect((await setRoles(admin, "admin")).status, "nothing changes").to.equal(200);
      const colleague = await tenant.member("member");
      expect((await setRoles(colleague, "member", "helper")).status).to.equal(200);
      const other = await tenant.member("admin");
      expect((await setRoles(other, "member")).status, "an administrator is demoted").to.equal(200);
    });

    it("makes no staff of a client login that has no group: it would see every client", async () => {
      const client = await tenant.member("client");
      await refused(setRoles(client, "member"));
      await refused(admin.patch(`/members/${client.membershipId}`, { role: "member" }));
      expect(await sees(client)).to.equal("");
      const bound = await tenant.member("client");
      await tenant.group("Bound", [north], [bound.membershipId]);
      expect((await admin.patch(`/members/${bound.membershipId}`, { role: "member" })).status).to.equal(200);
      expect(await sees(bound)).to.equal("North");
    });
  });

  describe("and invitations", () => {
    it("puts invited members into its own groups, clients by role excepted, and the groups' trail records it", async () => {
      const second = await tenant.group("Second", [north], [admin.membershipId]);
      const invited = await admin.post("/members/invite", { email: "staff@new.test", role: "member", send_email: false });
      expect(invited.status).to.equal(201);
      expect((await seenBy(invited.body.membership_id)).split(",").sort()).to.deep.equal([group, second].sort());
      const { body } = await tenant.owner.get(`/activity?entity_type=company_group&entity_id=${group}`);
      expect(body[0]).to.deep.include({ action: "memberships_changed", payload: { name: "Own", count: 2 } });
      const client = await admin.post("/members/invite", { email: "client@new.test", role: "client", send_email: false });
      expect(client.status).to.equal(201);
      expect(await seenBy(client.body.membership_id)).to.equal("");
      const free = await tenant.owner.post("/members/invite", { email: "free@new.test", role: "member", send_email: false });
      expect(await seenBy(free.body.membership_id), "whom an unrestricted caller invites").to.equal("");
    });

    it("invites no staff while it has no group of its own: they would see every client", async () => {
      await service.sql.query("update roles set permissions = permissions || '{members.member.write}' where id = $1", [
        role("client"),
      ]);
      const client = await tenant.member("client");
      await refused(client.post("/members/invite", { email: "none@new.test", role: "member", send_email: false }));
      expect((await service.sql.query("select 1 from accounts where email = 'none@new.test'")).rows).to.have.length(0);
    });
  });

  describe("and groups", () => {
    it("moves nobody into or out of a group if the person would see more than the caller", async () => {
      const [colleague, free] = [await tenant.member("member"), await tenant.member("member")];
      const theirs = await tenant.group("Theirs", [north], [colleague.membershipId]);
      const hidden = await tenant.group("Hidden", [south], []);
      await refused(setMembers(hidden, colleague));
      await refused(setMembers(theirs));
      await refused(setMembers(hidden, admin));
      await refused(admin.delete(`/companies/groups/${theirs}`));
      expect([await sees(colleague), await sees(admin)]).to.deep.equal(["North", "North"]);
      expect((await setMembers(theirs, colleague, free)).status, "narrows").to.equal(204);
      expect(await sees(free)).to.equal("North");
      await tenant.group("More", [north], [colleague.membershipId, free.membershipId]);
      expect((await admin.delete(`/companies/groups/${theirs}`)).status, "they have another one").to.equal(204);
      expect(await sees(free)).to.equal("North");
    });

    it("leaves members what they see already, and an owner unchanged", async () => {
      const colleague = await tenant.member("member");
      await tenant.group("South too", [south], [colleague.membershipId]);
      expect((await setMembers(group, admin, colleague, tenant.owner)).status).to.equal(204);
      expect([await sees(colleague), await sees(tenant.owner)]).to.deep.equal(["North, South", "North, South"]);
      await refused(setMembers(group));
      expect((await setMembers(group, admin)).status, "they are out again").to.equal(204);
      expect(await sees(colleague)).to.equal("South");
    });
  });

  describe("and logins of clients", () => {
    const contactOf = async (companyIds: string[], email: string) =>
      (await tenant.owner.post("/contacts", { first_name: "Client", email, company_ids: companyIds })).body.id;

    it("lets no contact in that is linked to a client outside its selection", async () => {
      const both = await contactOf([north, south], "both@client.test");
      await admin.patch(`/contacts/${both}`, { email: "mine@attacker.test" });
      await refused(admin.post(`/portal/logins/contact/${both}`));
      expect((await service.sql.query("select 1 from accounts where email = 'mine@attacker.test'")).rows).to.have.length(0);
      const own = await contactOf([north], "own@client.test");
      expect((await admin.post(`/portal/logins/contact/${own}`)).status).to.equal(200);
      const unlinked = await contactOf([], "loose@client.test");
      expect((await admin.post(`/portal/logins/contact/${unlinked}`)).status).to.equal(200);
    });

    it("deletes no contact whose login would see every client then, one by one or in bulk", async () => {
      const id = await contactOf([north], "staff@client.test");
      const colleague = await tenant.member("member");
      await service.sql.query("update contacts set account_id = $2 where id = $1", [id, colleague.accountId]);
      expect(await sees(colleague)).to.equal("North");
      await refused(admin.delete(`/contacts/${id}`));
      const { body } = await admin.post("/bulk/contact/delete", { ids: [id] });
      expect(JSON.stringify(body)).to.contain("forbidden");
      expect(await sees(colleague)).to.equal("North");
    });
  });

  it("does not decide who people are, nor where their mail goes: it could sign in as an owner", async () => {
    const sso = { enabled: false, enforced: false, name: "SSO", default_role: "member" };
    const mail = { provider: "smtp", from_address: "a@b.test", host: "relay.example.com", port: 25, security: "none" };
    expect((await admin.get("/settings/sso")).status).to.equal(200);
    expect((await admin.get("/settings/email")).status).to.equal(200);
    await refused(admin.put("/settings/sso", sso));
    await refused(admin.put("/settings/email", mail));
    await refused(admin.put("/settings/email/templates", { templates: [] }));
    await refused(admin.delete("/settings/email"));
    const free = await tenant.member("admin");
    expect((await free.put("/settings/sso", sso)).status).to.equal(200);
    expect((await free.put("/settings/email", mail)).status).to.equal(200);
  });
});
