import { expect } from "chai";
import { createMember } from "../../../operator/organisations.ts";
import { send } from "../../support/http.ts";
import { lastMailTo, mailedTo } from "../../support/mail/mailed.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { freshAddress, makeContact, makeLogin, PASSWORD, signedIn, signInStatus, type TestContact } from "./portal.ts";

describe("portal logins", () => {
  let service: TestService;
  let tenant: Tenant;
  let clerk: Caller;
  let companyId: string;
  const sql = (text: string, ...values: unknown[]) => service.sql.query(text, values);
  const contact = (email?: string) => makeContact(tenant, [companyId], email);
  const accountOf = async (email: string) => (await sql("select * from accounts where email = $1", email)).rows[0];
  const trailOf = async ({ id }: TestContact) =>
    (await sql("select action, payload from activity where entity_id = $1 and action like 'portal%' order by created_at, id", id))
      .rows;
  const state = async ({ path }: TestContact) => (await clerk.get(path)).body;
  const member = (role: "admin" | "member" | "client", email: string, in_ = tenant) =>
    createMember(service.sql, in_.organisation.id, { email, role, password: PASSWORD });
  const code = ({ status, body }: { status: number; body: { error?: { code: string; message: string } } }) =>
    `${status} ${body?.error?.code} ${body?.error?.message}`;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    clerk = await tenant.member("member", { grants: ["members.member.write"] });
    companyId = (await tenant.company()).id;
  });

  describe("GET /portal/logins/{entity_type}/{subject_id}", () => {
    it("distinguishes none of the four states from any other contact field", async () => {
      const one = await contact();
      expect(await state(one)).to.deep.equal({
        email: null,
        entity_type: "contact",
        invite_email: one.email,
        invite_email_error: null,
        invite_email_sent: null,
        invite_email_status: null,
        status: "none",
        subject_id: one.id,
      });
      const login = await makeLogin(service, tenant, [companyId]);
      expect(await state(login)).to.include({ email: login.email, status: "active" });
      await sql("update memberships set deactivated_at = now() where account_id = $1", login.accountId);
      expect(await state(login)).to.include({ email: login.email, status: "disabled" });
      await sql("update memberships set deactivated_at = null where account_id = $1", login.accountId);
      await sql("update accounts set is_verified = false where id = $1", login.accountId);
      expect(await state(login)).to.include({ status: "invited" });
      await sql("update accounts set is_active = false where id = $1", login.accountId);
      expect(await state(login)).to.include({ status: "disabled" });
      await sql("update accounts set is_active = true where id = $1", login.accountId);
      await sql("delete from memberships where account_id = $1", login.accountId);
      expect(await state(login)).to.include({ status: "disabled" });
    });

    it("is 404 for another kind of record, an unknown one, another organisation's and one outside the selection", async () => {
      const one = await contact();
      const other = await service.tenant();
      const foreign = await makeContact(other, [(await other.company()).id]);
      const restricted = await tenant.member("admin");
      await tenant.group("Other", [(await tenant.company()).id], [restricted.membershipId]);
      const unlinked = await makeContact(tenant, []);
      for (const method of ["get", "post", "delete"] as const) {
        for (const path of [
          `/portal/logins/company/${companyId}`,
          `/portal/logins/contact/${companyId}`,
          `/portal/logins/contact/${foreign.id}`,
        ])
          expect((await clerk[method](path)).status, `${method} ${path}`).to.equal(404);
        expect((await restricted[method](one.path)).status, method).to.equal(404);
      }
      expect((await restricted.get(unlinked.path)).status, "a contact of no company").to.equal(200);
      expect((await clerk.post(`${one.path.replace("contact", "company")}/resend`)).status).to.equal(404);
      expect((await clerk.get("/portal/logins/contact/nonsense")).status).to.equal(422);
    });

    it("shows a client login with the right to manage logins only contacts of its own clients", async () => {
      await sql(
        "update roles set permissions = '{members.member.write}' where organisation_id = $1 and key = 'client'",
        tenant.organisation.id,
      );
      const login = await makeLogin(service, tenant, [companyId]);
      const client = await signedIn(service, tenant, login.email);
      expect((await client.get(login.path)).status).to.equal(200);
      expect((await client.get((await makeContact(tenant, [])).path)).status).to.equal(404);
    });
  });

  describe("POST /portal/logins/{entity_type}/{subject_id}", () => {
    it("makes account, membership and link, with a mail whose link is valid for seven days", async () => {
      const one = await contact(freshAddress().replace("client", "Client"));
      const { status, body } = await clerk.post(one.path);
      const email = one.email.toLowerCase();
      expect(status).to.equal(200);
      expect(body).to.include({
        email,
        status: "invited",
        invite_email_sent: false,
        invite_email_error: "errors.email_not_configured",
      });
      const account = await accountOf(email);
      expect(account).to.include({ full_name: "Carla Klant", is_verified: false, password_hash: null });
      const { rows } = await sql(
        `select r.key, c.account_id, (select detail from access_audit where target_account_id = m.account_id and action = 'membership.invited') as detail,
                (select round(extract(epoch from expires_at - created_at) / 86400) from account_tokens where account_id = m.account_id) as days
           from memberships m join membership_roles mr on mr.membership_id = m.id join roles r on r.id = mr.role_id, contacts c
          where m.account_id = $1 and c.id = $2`,
        account.id,
        one.id,
      );
      expect(rows).to.deep.equal([{ key: "client", account_id: account.id, detail: {}, days: "7" }]);
      expect(await trailOf(one)).to.deep.equal([{ action: "portal_enabled", payload: { email } }]);
      expect(await lastMailTo(service.sql, email)).to.include({ kind: "invite", link: "/accept-invite?token={token}" });

      const { token } = await lastMailTo(service.sql, email);
      await send(service.port, "POST", "/auth/reset-password", { host: tenant.host, body: { token, password: PASSWORD } });
      const client = await signedIn(service, tenant, email);
      const { items } = (await client.get("/companies")).body;
      expect(items.map(({ id }: { id: string }) => id)).to.deep.equal([companyId]);
      expect(await state(one)).to.include({ status: "active" });
    });

    it("leaves an enabled login as it is, without mail or line", async () => {
      const login = await makeLogin(service, tenant, [companyId]);
      const before = (await mailedTo(service.sql, login.email)).length;
      const { status, body } = await clerk.post(login.path);
      expect([status, body.status, body.invite_email_sent]).to.deep.equal([200, "active", null]);
      expect(await mailedTo(service.sql, login.email)).to.have.length(before);
      expect(await trailOf(login)).to.have.length(1);
    });

    it("is 422 for a contact without an address", async () => {
      const { body } = await tenant.owner.post("/contacts", { first_name: "Anon", company_ids: [companyId] });
      const answer = await clerk.post(`/portal/logins/contact/${body.id}`);
      expect(code(answer)).to.equal("422 validation errors.validation");
      expect(answer.body.error.fields).to.deep.equal({ email: "errors.portal_email_required" });
    });

    it("is 409 where the address is that of staff here, active or not, or of another contact's login, and writes nothing", async () => {
      const [staff, gone] = [freshAddress(), freshAddress()];
      await member("member", staff);
      const { membershipId } = await member("admin", gone);
      await sql("update memberships set deactivated_at = now() where id = $1", membershipId);
      const attached = await makeLogin(service, tenant, [companyId]);
      const other = await contact();
      await sql("update contacts set email = $2 where id = $1", other.id, attached.email.toUpperCase());
      for (const one of [await contact(staff.toUpperCase()), await contact(gone), other]) {
        expect(code(await clerk.post(one.path)), one.email).to.equal("409 conflict errors.portal_email_in_use");
        expect(await state(one)).to.include({ status: "none" });
        expect(await trailOf(one)).to.deep.equal([]);
      }
      const roles = await sql(
        "select r.key from memberships m join membership_roles mr on mr.membership_id = m.id join roles r on r.id = mr.role_id where m.id = $1",
        membershipId,
      );
      expect(roles.rows).to.deep.equal([{ key: "admin" }]);
    });

    it("gives a client that was invited directly to the contact", async () => {
      const email = freshAddress();
      const { accountId, membershipId } = await member("client", email);
      const one = await contact(email);
      expect((await clerk.post(one.path)).body).to.include({ email, status: "active" });
      const { rows } = await sql("select id from memberships where account_id = $1", accountId);
      expect(rows).to.deep.equal([{ id: membershipId }]);
      expect((await (await signedIn(service, tenant, email)).get("/companies")).body.total).to.equal(1);
    });

    it("gives a verified account of elsewhere the login as it is: active at once, its password kept", async () => {
      const other = await service.tenant();
      const email = freshAddress();
      await member("member", email, other);
      const one = await contact(email);
      expect((await clerk.post(one.path)).body).to.include({ email, status: "active", invite_email_sent: false });
      expect([await signInStatus(service, tenant.host, email), await signInStatus(service, other.host, email)]).to.deep.equal([
        204, 204,
      ]);
    });

    it("strips an account whose address was never proven first", async () => {
      const other = await service.tenant();
      const email = freshAddress();
      const { accountId } = await member("member", email, other);
      await sql("update accounts set is_verified = false where id = $1", accountId);
      const squatter = await signedIn(service, other, email);
      const one = await contact(email);
      expect((await clerk.post(one.path)).body.status).to.equal("invited");
      expect((await squatter.get("/users/me")).status).to.equal(401);
      expect([await signInStatus(service, tenant.host, email), await signInStatus(service, other.host, email)]).to.deep.equal([
        400, 400,
      ]);
    });

    it("takes the right to manage roles where the client role carries it, here as everywhere", async () => {
      await sql(
        "update roles set permissions = '{settings.roles.manage}' where organisation_id = $1 and key = 'client'",
        tenant.organisation.id,
      );
      const one = await contact();
      expect((await clerk.post(one.path)).status).to.equal(403);
      expect(await accountOf(one.email)).to.equal(undefined);
      expect((await tenant.owner.post(one.path)).status).to.equal(200);
      expect((await clerk.delete(one.path)).status).to.equal(403);
      await tenant.owner.delete(one.path);
      expect((await clerk.post(one.path)).status).to.equal(403);
    });

    it("makes one login of two calls at once", async () => {
      const one = await contact();
      const answers = await Promise.all([clerk.post(one.path), clerk.post(one.path)]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(await trailOf(one)).to.have.length(1);
      const two = [await contact(), await contact()];
      await sql("update contacts set email = $2 where id = $1", two[1]?.id, two[0]?.email);
      const raced = await Promise.all(two.map(({ path }) => clerk.post(path)));
      expect(raced.map(({ status }) => status).toSorted()).to.deep.equal([200, 409]);
    });
  });

  describe("DELETE /portal/logins/{entity_type}/{subject_id}", () => {
    it("disables the account: sessions 401, also once it is enabled again, sign-in 400; the same account comes back", async () => {
      const login = await makeLogin(service, tenant, [companyId]);
      const client = await signedIn(service, tenant, login.email);
      expect((await client.get("/companies")).status).to.equal(200);
      const { status, body } = await clerk.delete(login.path);
      expect([status, body.status, body.email]).to.deep.equal([200, "disabled", login.email]);
      expect((await client.get("/companies")).status).to.equal(401);
      expect(await signInStatus(service, tenant.host, login.email)).to.equal(400);
      expect((await clerk.delete(login.path)).body.status).to.equal("disabled");
      const mails = (await mailedTo(service.sql, login.email)).length;

      expect((await clerk.post(login.path)).body).to.include({ status: "active", invite_email_sent: null });
      expect((await client.get("/companies")).status).to.equal(401);
      expect(await signInStatus(service, tenant.host, login.email)).to.equal(204);
      expect(await mailedTo(service.sql, login.email)).to.have.length(mails);
      const { email } = login;
      expect(await trailOf(login)).to.deep.equal(
        ["portal_enabled", "portal_disabled", "portal_enabled"].map((action) => ({ action, payload: { email } })),
      );
      expect((await accountOf(email)).id).to.equal(login.accountId);
    });

    it("only deactivates an account that is at home elsewhere too: 403 here, nothing changes there", async () => {
      const other = await service.tenant();
      const email = freshAddress();
      await member("member", email, other);
      const one = await contact(email);
      await clerk.post(one.path);
      const [here, there] = [await signedIn(service, tenant, email), await signedIn(service, other, email)];
      expect((await clerk.delete(one.path)).body.status).to.equal("disabled");
      expect([(await here.get("/companies")).status, (await there.get("/companies")).status]).to.deep.equal([403, 200]);
      expect(await signInStatus(service, tenant.host, email)).to.equal(400);
      expect((await clerk.post(one.path)).body.status).to.equal("active");
      expect((await here.get("/companies")).status).to.equal(200);
    });

    it("only deactivates an instance administrator, whose account is not one organisation's", async () => {
      const login = await makeLogin(service, tenant, [companyId]);
      await sql("update accounts set is_superuser = true where id = $1", login.accountId);
      expect((await clerk.delete(login.path)).body.status).to.equal("disabled");
      expect(await accountOf(login.email)).to.include({ is_active: true });
    });

    it("is 404 without a login, and 400 for one's own", async () => {
      expect((await clerk.delete((await contact()).path)).status).to.equal(404);
      await sql(
        "update roles set permissions = '{members.member.write}' where organisation_id = $1 and key = 'client'",
        tenant.organisation.id,
      );
      const login = await makeLogin(service, tenant, [companyId]);
      const client = await signedIn(service, tenant, login.email);
      expect(code(await client.delete(login.path))).to.equal("400 cannot_deactivate_self errors.cannot_deactivate_self");
    });

    it("leaves a member who administers access", async () => {
      const login = await makeLogin(service, tenant, [companyId]);
      const { rows } = await sql(
        "insert into roles (organisation_id, key, permissions) values ($1, 'boss', '{settings.roles.manage}') returning id",
        tenant.organisation.id,
      );
      await sql(
        "insert into membership_roles select organisation_id, id, $2 from memberships where account_id = $1",
        login.accountId,
        rows[0].id,
      );
      const machine = await tenant.serviceAccount(["members.member.write", "settings.roles.manage"]);
      await sql("update memberships set deactivated_at = now() where id = $1", tenant.owner.membershipId);
      expect(code(await machine.delete(login.path))).to.equal("409 last_role_manager errors.last_role_manager");
      expect(await state(login)).to.include({ status: "active" });
    });

    it("takes a tag: of a state that has gone it is 412", async () => {
      const login = await makeLogin(service, tenant, [companyId]);
      const etag = (await clerk.get(login.path)).headers.etag as string;
      await sql("update accounts set full_name = 'Other' where id = $1", login.accountId);
      expect((await clerk.delete(login.path, { headers: { "If-Match": etag } })).status).to.equal(412);
      const now = (await clerk.get(login.path)).headers.etag as string;
      expect((await clerk.delete(login.path, { headers: { "If-Match": now } })).status).to.equal(200);
    });
  });

  it("an account disabled by hand, or at home elsewhere while it is disabled, is not given back: 403", async () => {
    const login = await makeLogin(service, tenant, [companyId]);
    await sql("update accounts set is_active = false, hand_disabled_at = now() where id = $1", login.accountId);
    expect((await clerk.post(login.path)).status).to.equal(403);
    await sql("update accounts set hand_disabled_at = null where id = $1", login.accountId);
    const other = await service.tenant();
    await sql("insert into memberships (organisation_id, account_id) values ($1, $2)", other.organisation.id, login.accountId);
    expect((await clerk.post(login.path)).status).to.equal(403);
    expect(await accountOf(login.email)).to.include({ is_active: false });
    await sql("delete from memberships where organisation_id = $1", other.organisation.id);
    expect((await clerk.post(login.path)).body.status).to.equal("active");
  });

  it("a revoked membership is made again with the client role", async () => {
    const login = await makeLogin(service, tenant, [companyId]);
    await sql("delete from memberships where account_id = $1", login.accountId);
    expect((await clerk.post(login.path)).body.status).to.equal("active");
    expect((await (await signedIn(service, tenant, login.email)).get("/companies")).body.total).to.equal(1);
  });

  describe("POST /portal/logins/{entity_type}/{subject_id}/resend", () => {
    it("mails a new link and kills the old one", async () => {
      const one = await contact();
      await clerk.post(one.path);
      const old = (await lastMailTo(service.sql, one.email)).token;
      const { status, body } = await clerk.post(`${one.path}/resend`);
      expect([status, body.status, body.invite_email_sent]).to.deep.equal([200, "invited", false]);
      const { token } = await lastMailTo(service.sql, one.email);
      const reset = (given: string) =>
        send(service.port, "POST", "/auth/reset-password", { host: tenant.host, body: { token: given, password: PASSWORD } });
      expect((await reset(old)).body.error.code).to.equal("reset_password_bad_token");
      expect((await reset(token)).status).to.be.below(300);
      expect((await trailOf(one)).map(({ action }) => action)).to.deep.equal(["portal_enabled", "portal_invite_resent"]);
    });

    it("is 404 without a login and for a disabled one, and mails nothing", async () => {
      const one = await contact();
      expect((await clerk.post(`${one.path}/resend`)).status).to.equal(404);
      await clerk.post(one.path);
      await clerk.delete(one.path);
      const mails = (await mailedTo(service.sql, one.email)).length;
      expect((await clerk.post(`${one.path}/resend`)).status).to.equal(404);
      expect(await mailedTo(service.sql, one.email)).to.have.length(mails);
    });
  });

  it("is in no list of the staff", async () => {
    const login = await makeLogin(service, tenant, [companyId]);
    const { body } = await tenant.owner.get("/members");
    expect(body.map(({ email }: { email: string }) => email)).not.to.include(login.email);
  });

  it("sees the companies its contact is linked to now; without any the selection is empty", async () => {
    const login = await makeLogin(service, tenant, [companyId]);
    const client = await signedIn(service, tenant, login.email);
    const seen = async () => (await client.get("/companies")).body.items.map(({ id }: { id: string }) => id).toSorted();
    const second = (await tenant.company()).id;
    expect(await seen()).to.deep.equal([companyId]);
    await tenant.owner.post(`/contacts/${login.id}/links`, { company_id: second });
    expect(await seen()).to.deep.equal([companyId, second].toSorted());
    for (const id of [companyId, second]) await tenant.owner.delete(`/contacts/${login.id}/links/${id}`);
    expect(await seen()).to.deep.equal([]);
  });
});
