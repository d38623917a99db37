import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("roles", () => {
  let service: TestService;
  let tenant: Tenant;
  let admin: Caller;
  const roles = async () => (await tenant.owner.get("/roles")).body;
  const role = async (key: string) => (await roles()).find((each: { key: string }) => each.key === key);
  const create = async (body: Record<string, unknown>, query = "") => tenant.owner.post(`/roles${query}`, body);
  const audits = async () =>
    (
      await service.sql.query(
        "select action, role_key, detail, actor_email from access_audit where organisation_id = $1 order by created_at, id",
        [tenant.organisation.id],
      )
    ).rows;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    admin = await tenant.member("admin");
  });

  describe("POST /roles", () => {
    it("creates one with a trimmed lower-case key, position 100 and the permissions given, each once", async () => {
      const { status, body } = await create({
        key: " Planner ",
        name_i18n: { nl: "Planner" },
        permissions: ["tasks.task.write:any", "companies.company.read", "companies.company.read"],
      });
      expect(status).to.equal(201);
      expect(body).to.include({ key: "planner", is_system: false, position: 100, member_count: 0 });
      expect(body.permissions).to.deep.equal(["companies.company.read", "tasks.task.write:any"]);
      expect(body.name_i18n).to.deep.equal({ nl: "Planner" });
      expect(await audits()).to.deep.include({
        action: "role.create",
        role_key: "planner",
        detail: { permissions: ["companies.company.read", "tasks.task.write:any"], duplicated_from: null },
        actor_email: tenant.owner.email,
      });
    });

    it("copies another role if no permissions are sent, the owner's as none", async () => {
      const [member, owner] = [await role("member"), await role("owner")];
      const copy = await create({ key: "copy" }, `?from=${member.id}`);
      expect(copy.body.permissions).to.have.members(member.permissions);
      expect((await audits()).at(-1).detail.duplicated_from).to.equal(member.id);
      expect((await create({ key: "second" }, `?from=${owner.id}`)).body.permissions).to.deep.equal([]);
      expect((await create({ key: "third" })).body.permissions).to.deep.equal([]);
      const given = await create({ key: "fourth", permissions: [] }, `?from=${member.id}`);
      expect(given.body.permissions).to.deep.equal([]);
    });

    it("answers 404 for an unknown or foreign role to copy", async () => {
      const other = await service.tenant();
      const foreign = (await other.owner.get("/roles")).body[0].id;
      expect((await create({ key: "copy" }, `?from=${foreign}`)).status).to.equal(404);
      expect((await create({ key: "copy" }, "?from=00000000-0000-4000-8000-000000000000")).status).to.equal(404);
    });

    it("refuses an existing key with 409 on the field", async () => {
      const { status, body } = await create({ key: "MEMBER" });
      expect(status).to.equal(409);
      expect(body.error.fields).to.deep.equal({ key: "errors.conflict" });
    });

    it("refuses a bad key and permissions that are not stored that way", async () => {
      expect((await create({ key: "-x" })).body.error.fields).to.have.property("key");
      for (const grant of ["*", "leave.request.read", "companies.company.read:own", "nothing.at.all"])
        expect((await create({ key: "x", permissions: [grant] })).body.error.fields).to.have.property("permissions");
      expect(await role("x")).to.equal(undefined);
    });
  });

  describe("PATCH /roles/{role_id}", () => {
    it("replaces the whole set of permissions, from the next request on, open keys included", async () => {
      const member = await tenant.member("member");
      expect((await member.get("/companies")).status).to.equal(200);
      const { id, permissions } = await role("member");
      const rest = permissions.filter((grant: string) => grant !== "companies.company.read");
      const { status, body } = await admin.patch(`/roles/${id}`, { permissions: rest });
      expect(status).to.equal(200);
      expect(body.permissions).to.have.members(rest);
      expect((await member.get("/companies")).status).to.equal(403);
      const last = (await audits()).at(-1);
      expect(last).to.deep.include({ action: "role.update", role_key: "member" });
      expect(last.detail).to.deep.equal({ granted: [], revoked: ["companies.company.read"] });
    });

    it("leaves null and absent fields unchanged, and the key forever", async () => {
      const { id } = (await create({ key: "x", name_i18n: { en: "X" }, permissions: ["companies.company.read"] })).body;
      const { body } = await admin.patch(`/roles/${id}`, { key: "y", name_i18n: null, permissions: null, position: 3 });
      expect(body).to.deep.include({ key: "x", name_i18n: { en: "X" }, permissions: ["companies.company.read"], position: 3 });
    });

    it("writes no audit and keeps the version when nothing changes", async () => {
      const { id, permissions, position } = await role("member");
      const before = (await audits()).length;
      await admin.patch(`/roles/${id}`, { permissions: permissions.toReversed(), position });
      expect((await audits()).length).to.equal(before);
    });

    it("lets the owner role be renamed but not narrowed", async () => {
      const { id } = await role("owner");
      expect((await admin.patch(`/roles/${id}`, { name_i18n: { nl: "Baas" } })).body.name_i18n).to.deep.equal({ nl: "Baas" });
      const { status, body } = await admin.patch(`/roles/${id}`, { permissions: ["companies.company.read"] });
      expect([status, body.error.code]).to.deep.equal([409, "system_role_immutable"]);
    });

    it("refuses to take administration from the last who has it", async () => {
      const owner = await service.sql.query("delete from memberships where id = $1", [tenant.owner.membershipId]);
      expect(owner.rowCount).to.equal(1);
      const { id, permissions } = (await admin.get("/roles")).body.find(({ key }: { key: string }) => key === "admin");
      const rest = permissions.filter((grant: string) => grant !== "settings.roles.manage");
      const { status, body } = await admin.patch(`/roles/${id}`, { permissions: rest });
      expect([status, body.error.code]).to.deep.equal([409, "last_role_manager"]);
      expect((await admin.get("/roles")).status).to.equal(200);
    });
  });

  describe("DELETE /roles/{role_id}", () => {
    it("deletes a custom role; its holders keep the others", async () => {
      const { id } = (await create({ key: "x", permissions: ["companies.company.write"] })).body;
      const member = await tenant.member("member");
      const system = (await role("member")).id;
      await tenant.owner.put(`/members/${member.membershipId}/roles`, { role_ids: [system, id] });
      expect((await role("x")).member_count).to.equal(1);
      expect((await member.post("/companies", { name: "Before" })).status).to.equal(201);
      expect((await admin.delete(`/roles/${id}`)).status).to.equal(204);
      expect((await member.post("/companies", { name: "After" })).status).to.equal(403);
      expect((await member.get("/companies")).status).to.equal(200);
      expect((await audits()).at(-1)).to.deep.include({ action: "role.delete", role_key: "x" });
    });

    it("never deletes a system role", async () => {
      for (const key of ["owner", "admin", "member", "client"]) {
        const { status, body } = await admin.delete(`/roles/${(await role(key)).id}`);
        expect([status, body.error.code]).to.deep.equal([409, "system_role_immutable"]);
      }
    });

    it("refuses to delete the role the last administrator holds", async () => {
      const { id } = (await create({ key: "keeper", permissions: ["settings.roles.manage"] })).body;
      const keeper = await tenant.member("member");
      await tenant.owner.put(`/members/${keeper.membershipId}/roles`, { role_ids: [(await role("member")).id, id] });
      await service.sql.query("delete from memberships where organisation_id = $1 and id <> $2", [
        tenant.organisation.id,
        keeper.membershipId,
      ]);
      const { status, body } = await keeper.delete(`/roles/${id}`);
      expect([status, body.error.code]).to.deep.equal([409, "last_role_manager"]);
      expect((await keeper.get("/roles")).status).to.equal(200);
    });
  });
});
