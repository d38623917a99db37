import { expect } from "chai";
import { createMember } from "../../../operator/organisations.ts";
import type { Answer } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, postLogin, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";

describe("leaving an organisation", () => {
  let service: TestService;
  let tenant: Tenant;
  let clerk: Caller;
  let member: Caller;
  const account = (whom: Caller, body: Record<string, unknown>, who = clerk) =>
    who.patch(`/members/${whom.membershipId}/account`, body);
  const revoke = (whom: Caller, who = clerk) => who.delete(`/members/${whom.membershipId}`);
  /** Has every permission here but is not a person: it does not count as an administrator. */
  const machine = () => tenant.serviceAccount(["members.member.write", "members.member.read", "settings.roles.manage"]);
  const session = async () =>
    inSession(service.port, tenant.host, await signIn(service.port, tenant.host, member.email, PASSWORD));
  const login = async () => (await postLogin(service.port, tenant.host, { username: member.email, password: PASSWORD })).status;
  const actions = async () =>
    (
      await service.sql.query(
        "select action from access_audit where organisation_id = $1 and action like 'membership.%' order by created_at, id",
        [tenant.organisation.id],
      )
    ).rows.map(({ action }) => action);
  const joinElsewhere = async ({ email }: Caller) => {
    const other = await service.tenant();
    return (await createMember(service.sql, other.organisation.id, { email, role: "member" })).membershipId;
  };
  const addFactor = ({ accountId }: Caller) =>
    service.sql.query(
      `insert into two_factors (account_id, secret, confirmed_at) values ($1, 'v1.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA', now())`,
      [accountId],
    );

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    clerk = await tenant.member("member", { grants: ["members.member.read", "members.member.write"] });
    member = await tenant.member("member", { password: PASSWORD, name: "Bert Jansen" });
  });

  describe("PATCH /members/{membership_id}/account", () => {
    it("deactivates: session 403, sign-in 400, key 401; reactivating undoes it all", async () => {
      const open = await session();
      const { status, body } = await account(member, { active: false });
      expect(status).to.equal(200);
      expect(body).to.deep.include({ is_active: false, full_name: "Bert Jansen" });
      expect(body.deactivated_at).to.be.a("string");
      expect(body.role_ids).to.have.length(1);
      expect((await open.get("/companies")).status).to.equal(403);
      expect(await login()).to.equal(400);
      expect((await member.get("/companies")).status).to.equal(401);

      expect((await account(member, { active: true })).body).to.deep.include({ is_active: true, deactivated_at: null });
      expect((await open.get("/companies")).status).to.equal(200);
      expect((await member.get("/companies")).status).to.equal(200);
      expect(await actions()).to.deep.equal(["membership.deactivated", "membership.activated"]);
    });

    it("renames: trimmed, blank or null clears, and never reactivates", async () => {
      await account(member, { active: false });
      expect((await account(member, { full_name: "  Bert de Vries " })).body).to.deep.include({
        full_name: "Bert de Vries",
        is_active: false,
      });
      expect((await account(member, { full_name: " " })).body.full_name).to.equal(null);
      await account(member, { full_name: "Bert" });
      expect((await account(member, { full_name: null })).body.full_name).to.equal(null);
      expect((await actions()).filter((action) => action === "membership.renamed")).to.have.length(4);
    });

    it("gives a renamed member another entity tag, so that a second rename with the former one is refused", async () => {
      const path = `/members/${member.membershipId}/account`;
      const etag = (await account(member, { full_name: "Bert" })).headers.etag as string;
      const rename = (full_name: string) => clerk.patch(path, { full_name }, { headers: { "If-Match": etag } });
      const first = await rename("Bert de Vries");
      expect([first.status, first.headers.etag === etag]).to.deep.equal([200, false]);
      expect((await rename("Bert Jansen")).status).to.equal(412);
      const same = await account(member, { full_name: "Bert de Vries" });
      expect(same.headers.etag).to.equal(first.headers.etag);
    });

    it("does not change the e-mail address", async () => {
      expect((await account(member, { email: "other@example.com" })).body.email).to.equal(member.email);
    });

    it("no member deactivates themselves", async () => {
      const { status, body } = await account(clerk, { active: false });
      expect([status, body.error.code]).to.deep.equal([400, "cannot_deactivate_self"]);
    });

    it("does not touch an account that was disabled by hand", async () => {
      await service.sql.query("update accounts set is_active = false, hand_disabled_at = now() where id = $1", [
        member.accountId,
      ]);
      expect((await account(member, { active: true })).status).to.equal(403);
    });

    it("an account shared with another organisation keeps its name, the rest of the body unwritten too", async () => {
      await joinElsewhere(member);
      expect((await account(member, { full_name: "Somebody else", active: false })).status).to.equal(403);
      const [row] = (await clerk.get("/members")).body.filter(({ user_id }: { user_id: string }) => user_id === member.accountId);
      expect(row).to.deep.include({ full_name: "Bert Jansen", is_active: true });
      expect((await account(member, { active: false })).status).to.equal(200);
    });

    it("keeps the last administrator", async () => {
      const { status, body } = await account(tenant.owner, { active: false }, await machine());
      expect([status, body.error.code]).to.deep.equal([409, "last_role_manager"]);
      expect((await tenant.owner.get("/roles")).status).to.equal(200);
    });

    it("repeating it changes nothing and audits nothing", async () => {
      const first = (await account(member, { active: false })).body.deactivated_at;
      expect((await account(member, { active: false })).body.deactivated_at).to.equal(first);
      expect(await actions()).to.deep.equal(["membership.deactivated"]);
    });

    it("answers 404 for a member of another organisation", async () => {
      const other = await service.tenant();
      expect((await account(other.owner, { active: false })).status).to.equal(404);
      expect((await revoke(other.owner)).status).to.equal(404);
    });
  });

  describe("DELETE /members/{membership_id}", () => {
    it("revokes: session 403, sign-in 400, and personal keys for good, even after a new invite", async () => {
      const open = await session();
      expect((await revoke(member)).status).to.equal(204);
      expect((await open.get("/companies")).status).to.equal(403);
      expect(await login()).to.equal(400);
      expect((await member.get("/companies")).status).to.equal(401);
      await createMember(service.sql, tenant.organisation.id, { email: member.email, role: "member" });
      expect((await member.get("/companies")).status).to.equal(401);
      expect(await login()).to.equal(204);
      expect(await actions()).to.deep.equal(["membership.revoked"]);
    });

    it("leaves the person's work", async () => {
      const writer = await tenant.member("admin", { name: "Zoë Admin" });
      const { body } = await writer.post("/companies", { name: "Made by Zoë" });
      await revoke(writer, tenant.owner);
      const [line] = (await tenant.owner.get(`/activity?entity_type=company&entity_id=${body.id}`)).body;
      expect(line.actor_name).to.equal("Zoë Admin");
    });

    it("leaves the keys a person made for a service account", async () => {
      const admin = await tenant.member("admin");
      const { id } = (await admin.post("/service-accounts", { name: "Sync" })).body;
      const made = await admin.post(`/service-accounts/${id}/keys`, { name: "k", scopes: ["companies.company.read"] });
      await revoke(admin, tenant.owner);
      const answer = await service.call("GET", "/companies", { host: tenant.host, key: made.body.secret });
      expect(answer.status).to.equal(200);
    });

    it("no member revokes themselves", async () => {
      const { status, body } = await revoke(clerk);
      expect([status, body.error.code]).to.deep.equal([400, "cannot_remove_self"]);
    });

    it("keeps the last administrator, and lets an administrator revoke the owner", async () => {
      expect((await revoke(tenant.owner, await machine())).body.error.code).to.equal("last_role_manager");
      const admin = await tenant.member("admin");
      expect((await revoke(tenant.owner, admin)).status).to.equal(204);
    });

    it("of two administrators who revoke each other at once only one succeeds", async () => {
      for (let round = 0; round < 10; round++) {
        const fresh = await service.tenant();
        const other = await fresh.member("admin");
        const answers = await Promise.all([revoke(other, fresh.owner), revoke(fresh.owner, other)]);
        expect(answers.filter(({ status }) => status === 204)).to.have.length(1);
      }
    });
  });

  describe("DELETE /members/{membership_id}/two-factor", () => {
    const reset = (whom = member) => clerk.delete(`/members/${whom.membershipId}/two-factor`);

    it("removes the enrolment and ends every session; a second time is 404", async () => {
      const open = await session();
      await addFactor(member);
      const [row] = (await clerk.get("/members")).body.filter(({ user_id }: { user_id: string }) => user_id === member.accountId);
      expect(row.two_factor_enabled).to.equal(true);
      expect((await reset()).status).to.equal(204);
      expect((await open.get("/companies")).status).to.equal(401);
      expect((await reset()).status).to.equal(404);
      expect(await actions()).to.deep.equal(["membership.two_factor_reset"]);
    });

    it("is refused for an account shared with another organisation", async () => {
      await addFactor(member);
      await joinElsewhere(member);
      expect((await reset()).status).to.equal(403);
      const { rows } = await service.sql.query("select 1 from two_factors where account_id = $1", [member.accountId]);
      expect(rows).to.have.length(1);
    });
  });

  describe("of a member with roles that carry the management of roles", () => {
    const doors: [what: string, call: (whom: Caller, who: Caller) => Promise<Answer>][] = [
      ["deactivating", (whom, who) => account(whom, { active: false }, who)],
      ["reactivating", (whom, who) => account(whom, { active: true }, who)],
      ["renaming", (whom, who) => account(whom, { full_name: "Somebody else" }, who)],
      ["changing the role", (whom, who) => who.patch(`/members/${whom.membershipId}`, { role: "client" })],
      ["resetting the second factor", (whom, who) => who.delete(`/members/${whom.membershipId}/two-factor`)],
      ["revoking", (whom, who) => revoke(whom, who)],
    ];
    const state = async ({ accountId, membershipId }: Caller) =>
      (
        await service.sql.query(
          `select m.*, a.*, f.*, array(select role_id from membership_roles r where r.membership_id = m.id) as roles
             from memberships m join accounts a on a.id = m.account_id left join two_factors f on f.account_id = a.id
            where m.id = $1 and a.id = $2`,
          [membershipId, accountId],
        )
      ).rows;
    const guarded: [who: string, make: () => Promise<Caller>][] = [
      ["an owner", async () => tenant.member("owner")],
      ["an administrator", () => tenant.member("admin")],
      ["a holder of a role of one's own making", () => tenant.member("member", { grants: ["settings.roles.manage"] })],
    ];

    for (const [what, make] of guarded)
      for (const [door, call] of doors)
        it(`${door} ${what} takes settings.roles.manage`, async () => {
          const whom = await make();
          await addFactor(whom);
          const before = await state(whom);
          const { status, body } = await call(whom, clerk);
          expect([status, body?.error.code]).to.deep.equal([403, "forbidden"]);
          expect(await state(whom)).to.deep.equal(before);
          expect((await call(whom, tenant.owner)).status).to.be.oneOf([200, 204]);
        });

    it("is refused before If-Match is looked at", async () => {
      const headers = { "If-Match": '"99"' };
      expect((await clerk.delete(`/members/${tenant.owner.membershipId}`, { headers })).status).to.equal(403);
    });
  });
});
