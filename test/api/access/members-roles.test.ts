import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";

describe("roles of a member", () => {
  let service: TestService;
  let tenant: Tenant;
  let admin: Caller;
  let clerk: Caller;
  let member: Caller;
  const roleId = async (key: string, of = tenant): Promise<string> =>
    (await of.owner.get("/roles")).body.find((role: { key: string }) => role.key === key).id;
  const put = async (who: Caller, whom: Caller, ...role_ids: string[]) =>
    who.put(`/members/${whom.membershipId}/roles`, { role_ids });
  const change = (who: Caller, whom: Caller, role: string) => who.patch(`/members/${whom.membershipId}`, { role });
  const lastAudit = async () =>
    (
      await service.sql.query(
        `select action, role_key, target_account_id, detail from access_audit where organisation_id = $1
          order by created_at desc, id desc limit 1`,
        [tenant.organisation.id],
      )
    ).rows[0];

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    admin = await tenant.member("admin");
    clerk = await tenant.member("member", { grants: ["members.member.read", "members.member.write"] });
    member = await tenant.member("member", { password: PASSWORD });
  });

  describe("PATCH /members/{membership_id}", () => {
    it("swaps the system role and leaves custom roles", async () => {
      const custom = (await tenant.owner.post("/roles", { key: "x" })).body.id;
      await put(tenant.owner, member, await roleId("member"), custom);
      const { status, body } = await change(clerk, member, "client");
      expect(status).to.equal(200);
      expect(body.role_ids).to.have.members([await roleId("client"), custom]);
      expect(body.invite_email_sent).to.equal(null);
      expect(await lastAudit()).to.deep.equal({
        action: "membership.roles_changed",
        role_key: "client",
        target_account_id: member.accountId,
        detail: { from: "member", to: "client" },
      });
    });

    it("refuses an unknown role, a custom one included, on the field", async () => {
      await tenant.owner.post("/roles", { key: "custom" });
      for (const role of ["boss", "custom", ""])
        expect((await change(admin, member, role)).body.error.fields).to.have.property("role");
    });

    for (const role of ["owner", "admin"])
      it(`hands out '${role}' only with settings.roles.manage`, async () => {
        expect((await change(clerk, member, role)).status).to.equal(403);
        expect((await change(clerk, clerk, role)).status).to.equal(403);
        expect((await change(admin, member, role)).status).to.equal(200);
      });

    it("guards a role that has the management of roles", async () => {
      const id = await roleId("client");
      await tenant.owner.patch(`/roles/${id}`, { permissions: ["settings.roles.manage"] });
      expect((await change(clerk, member, "client")).status).to.equal(403);
      expect((await change(admin, member, "client")).status).to.equal(200);
    });

    it("lets no client login leave the client role alone, and see every client", async () => {
      const client = await tenant.member("client", { password: PASSWORD });
      const id = await roleId("client");
      await tenant.owner.patch(`/roles/${id}`, { permissions: ["members.member.write", "companies.company.read"] });
      await tenant.company();
      expect((await change(client, client, "member")).status).to.equal(403);
      expect((await client.get("/companies")).body.total).to.equal(0);
      expect((await change(client, client, "client")).status, "what it is already").to.equal(200);
      expect((await change(clerk, client, "member")).status).to.equal(200);
    });

    it("works from the next request of an open session", async () => {
      const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, member.email, PASSWORD));
      expect((await session.get("/roles")).status).to.equal(403);
      await change(admin, member, "admin");
      expect((await session.get("/roles")).status).to.equal(200);
      await change(admin, member, "member");
      expect((await session.get("/roles")).status).to.equal(403);
    });

    it("lets an administrator demote the owner while an administrator remains, but nobody demote the last", async () => {
      expect((await change(admin, tenant.owner, "member")).status).to.equal(200);
      const { status, body } = await change(admin, admin, "member");
      expect([status, body.error.code]).to.deep.equal([409, "last_role_manager"]);
      expect((await admin.get("/roles")).status).to.equal(200);
    });

    it("writes no audit when the role stays", async () => {
      await change(admin, member, "client");
      const before = await lastAudit();
      await change(admin, member, "client");
      expect(await lastAudit()).to.deep.equal(before);
    });
  });

  describe("PUT /members/{membership_id}/roles", () => {
    it("replaces the set and answers the sorted union, `*` for an owner", async () => {
      const custom = (await tenant.owner.post("/roles", { key: "x", permissions: ["apikeys.service_account.manage"] })).body.id;
      const system = await roleId("member");
      const { status, body } = await put(admin, member, system, custom, custom, system.toUpperCase());
      expect(status).to.equal(200);
      expect(body).to.include({ membership_id: member.membershipId, user_id: member.accountId });
      expect(body.role_ids).to.have.members([system, custom]);
      expect(body.permissions).to.include("apikeys.service_account.manage").and.deep.equal(body.permissions.toSorted());
      expect((await lastAudit()).detail).to.deep.equal({ added: ["x"], removed: [] });
      expect((await put(admin, member, await roleId("owner"))).body.permissions).to.deep.equal(["*"]);
    });

    it("answers 404 for an unknown role id, before anything else", async () => {
      const other = await service.tenant();
      for (const id of [await roleId("member", other), "00000000-0000-4000-8000-000000000000", "nonsense"])
        expect((await put(admin, member, id)).status, id).to.equal(404);
    });

    it("takes exactly one system role", async () => {
      const custom = (await tenant.owner.post("/roles", { key: "x" })).body.id;
      const [one, two] = [await roleId("member"), await roleId("client")];
      for (const ids of [[], [custom], [one, two], [one, two, custom]]) {
        const { status, body } = await put(admin, member, ...ids);
        expect([status, Object.keys(body.error.fields)]).to.deep.equal([422, ["role_ids"]]);
      }
    });

    it("needs settings.roles.manage", async () => {
      expect((await put(clerk, member, await roleId("member"))).status).to.equal(403);
    });

    it("keeps the last administrator", async () => {
      const plain = await roleId("member");
      await service.sql.query("update memberships set deactivated_at = now() where id = $1", [tenant.owner.membershipId]);
      const { status, body } = await put(admin, admin, plain);
      expect([status, body.error.code]).to.deep.equal([409, "last_role_manager"]);
    });

    it("does not count an administrator whose account is disabled", async () => {
      const plain = await roleId("member");
      await service.sql.query("update accounts set is_active = false where id = $1", [tenant.owner.accountId]);
      expect((await put(admin, admin, plain)).status).to.equal(409);
    });
  });

  it("GET /members/{membership_id}/permissions returns the stored union, for any scopes of the caller's key", async () => {
    const { status, body } = await clerk.get(`/members/${member.membershipId}/permissions`);
    expect(status).to.equal(200);
    expect(body).to.include({ membership_id: member.membershipId, user_id: member.accountId });
    expect(body.permissions).to.deep.equal(body.permissions.toSorted()).and.include("leave.request.write:own");
    const owner = await clerk.get(`/members/${tenant.owner.membershipId}/permissions`);
    expect(owner.body.permissions).to.deep.equal(["*"]);
    const foreign = await service.tenant();
    expect((await clerk.get(`/members/${foreign.owner.membershipId}/permissions`)).status).to.equal(404);
  });

  it("of two administrators who demote each other at once only one succeeds", async () => {
    for (let round = 0; round < 10; round++) {
      const fresh = await service.tenant();
      const other = await fresh.member("admin");
      const answers = await Promise.all([
        fresh.owner.patch(`/members/${other.membershipId}`, { role: "member" }),
        other.patch(`/members/${fresh.owner.membershipId}`, { role: "member" }),
      ]);
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      const refused = answers.find(({ status }) => status !== 200);
      expect(["last_role_manager", "forbidden"]).to.include(refused?.body.error.code);
    }
  });
});
