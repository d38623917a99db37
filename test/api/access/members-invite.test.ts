import { expect } from "chai";
import { createKey, createMember } from "../../../operator/organisations.ts";
import { send } from "../../support/http.ts";
import { lastMailTo, mailedTo } from "../../support/mail/mailed.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, postLogin, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";
let counter = 0;
const fresh = () => `invited${++counter}@example.com`;

describe("inviting members", () => {
  let service: TestService;
  let tenant: Tenant;
  let clerk: Caller;
  const invite = (body: Record<string, unknown>, who = clerk) => who.post("/members/invite", body);
  const post = (path: string, body: unknown) => send(service.port, "POST", path, { host: tenant.host, body });
  const login = async (username: string, password: string, host = tenant.host) =>
    (await postLogin(service.port, host, { username, password })).status;
  const audits = async () =>
    (
      await service.sql.query(
        "select action, role_key, detail from access_audit where organisation_id = $1 and action = 'membership.invited' order by created_at, id",
        [tenant.organisation.id],
      )
    ).rows;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    clerk = await tenant.member("member", { grants: ["members.member.read", "members.member.write"] });
  });

  it("makes an account that opens with the mailed link, which is valid for seven days", async () => {
    const email = fresh();
    const { status, body } = await invite({ email: email.toUpperCase(), full_name: " Ans Bakker " });
    expect(status).to.equal(201);
    expect(body).to.deep.include({ email, full_name: "Ans Bakker", is_active: true, is_self: false, deactivated_at: null });
    expect(body.invite_email_sent).to.equal(false);
    expect(body.invite_email_error).to.equal("errors.email_not_configured");
    const mail = await lastMailTo(service.sql, email);
    expect(mail).to.include({ kind: "invite", link: "/accept-invite?token={token}" });
    const { rows } = await service.sql.query(
      "select round(extract(epoch from expires_at - created_at) / 86400) as days from account_tokens where account_id = $1",
      [body.user_id],
    );
    expect(Number(rows[0].days)).to.equal(7);
    expect(await login(email, PASSWORD)).to.equal(400);
    expect((await post("/auth/reset-password", { token: mail.token, password: PASSWORD })).status).to.be.oneOf([200, 204]);
    expect(await login(email, PASSWORD)).to.equal(204);
    expect(await audits()).to.deep.equal([{ action: "membership.invited", role_key: "member", detail: {} }]);
  });

  it("without mail both fields are null and nothing is queued", async () => {
    const email = fresh();
    const { body } = await invite({ email, send_email: false, role: "client" });
    expect([body.invite_email_sent, body.invite_email_error, body.company_scope_empty]).to.deep.equal([null, null, true]);
    expect(await mailedTo(service.sql, email)).to.deep.equal([]);
  });

  it("reuses a verified account as it is: password, sessions and name stay", async () => {
    const other = await service.tenant();
    const known = await other.member("member", { password: PASSWORD, name: "Bert Jansen" });
    const session = inSession(service.port, other.host, await signIn(service.port, other.host, known.email, PASSWORD));
    const { body } = await invite({ email: known.email, full_name: "Somebody else" });
    expect(body).to.include({ user_id: known.accountId, full_name: "Bert Jansen" });
    expect((await session.get("/companies")).status).to.equal(200);
    expect(await login(known.email, PASSWORD)).to.equal(204);
    expect(await login(known.email, PASSWORD, other.host)).to.equal(204);
  });

  it("fills in a missing name only", async () => {
    const email = fresh();
    await post("/auth/register", { email, password: PASSWORD });
    expect((await invite({ email, full_name: "Ans" })).body.full_name).to.equal("Ans");
  });

  it("strips an account that never proved its address: the first registrant has no access", async () => {
    const email = fresh();
    const victim = await createMember(service.sql, (await service.tenant()).organisation.id, {
      email,
      role: "member",
      password: PASSWORD,
    });
    await service.sql.query("update accounts set is_verified = false where id = $1", [victim.accountId]);
    const elsewhere = await service.tenant();
    await createMember(service.sql, elsewhere.organisation.id, { email, role: "member" });
    const key = await createKey(service.sql, elsewhere.organisation.id, "kt", {
      name: "planted",
      scopes: ["companies.company.read"],
      accountId: victim.accountId,
    });
    await service.sql.query(
      `insert into two_factors (account_id, secret, confirmed_at)
       values ($1, 'v1.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA', null)`,
      [victim.accountId],
    );
    const cookie = await signIn(service.port, elsewhere.host, email, PASSWORD);
    expect((await inSession(service.port, elsewhere.host, cookie).get("/companies")).status).to.equal(200);

    expect((await invite({ email })).status).to.equal(201);
    expect(await login(email, PASSWORD)).to.equal(400);
    expect(await login(email, PASSWORD, elsewhere.host)).to.equal(400);
    expect((await inSession(service.port, elsewhere.host, cookie).get("/companies")).status).to.equal(401);
    expect((await send(service.port, "GET", "/companies", { host: elsewhere.host, key: key.value })).status).to.equal(401);
    const { rows } = await service.sql.query("select 1 from two_factors where account_id = $1", [victim.accountId]);
    expect(rows).to.deep.equal([]);
    const keys = await service.sql.query("select updated_at >= revoked_at as reported from api_keys where account_id = $1", [
      victim.accountId,
    ]);
    expect(keys.rows, "`updated_since` shows that they are gone").to.deep.equal([{ reported: true }]);
    const memberships = await service.sql.query("select 1 from memberships where account_id = $1", [victim.accountId]);
    expect(memberships.rows).to.have.length(3);
  });

  it("refuses a member who is there already, a deactivated one included, and changes nothing", async () => {
    const member = await tenant.member("member", { password: PASSWORD });
    await service.sql.query("update accounts set is_verified = false where id = $1", [member.accountId]);
    for (const deactivated of [null, new Date().toISOString()]) {
      await service.sql.query("update memberships set deactivated_at = $2 where id = $1", [member.membershipId, deactivated]);
      const { status, body } = await invite({ email: member.email });
      expect([status, body.error.code]).to.deep.equal([409, "conflict"]);
    }
    await service.sql.query("update memberships set deactivated_at = null where id = $1", [member.membershipId]);
    expect(await login(member.email, PASSWORD)).to.equal(204);
    expect(await audits()).to.deep.equal([]);
  });

  it("refuses an unknown role and a bad address on the field", async () => {
    await tenant.owner.post("/roles", { key: "custom" });
    for (const role of ["boss", "custom", ""])
      expect((await invite({ email: fresh(), role })).body.error.fields).to.have.property("role");
    expect((await invite({ email: "nobody" })).body.error.fields).to.have.property("email");
  });

  for (const role of ["owner", "admin"])
    it(`hands out '${role}' only with settings.roles.manage, and creates nothing otherwise`, async () => {
      const email = fresh();
      expect((await invite({ email, role })).status).to.equal(403);
      const { rows } = await service.sql.query("select 1 from accounts where email = $1", [email]);
      expect(rows).to.deep.equal([]);
      expect((await invite({ email, role }, tenant.owner)).status).to.equal(201);
    });

  it("of several invites of one address in parallel one succeeds", async () => {
    const email = fresh();
    const answers = await Promise.all(Array.from({ length: 5 }, () => invite({ email, send_email: false })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409, 409]);
  });

  describe("POST /members/{membership_id}/resend", () => {
    it("mails a new link and kills the old one", async () => {
      const email = fresh();
      const { membership_id: id } = (await invite({ email })).body;
      const old = await lastMailTo(service.sql, email);
      const { status, body } = await clerk.post(`/members/${id}/resend`);
      expect(status).to.equal(200);
      expect(body).to.include({ email, invite_email_sent: false, invite_email_error: "errors.email_not_configured" });
      const renewed = await lastMailTo(service.sql, email);
      expect(renewed.token).to.not.equal(old.token);
      expect((await post("/auth/reset-password", { token: old.token, password: PASSWORD })).status).to.equal(400);
      expect((await post("/auth/reset-password", { token: renewed.token, password: PASSWORD })).status).to.be.oneOf([200, 204]);
      expect((await audits()).at(-1)).to.deep.include({ detail: { resent: true } });
    });

    it("sends one mail a minute and ten a day, counted for each membership", async () => {
      const [one, other] = [await tenant.member("member"), await tenant.member("member")];
      const resend = (whom = one) => clerk.post(`/members/${whom.membershipId}/resend`);
      const age = (interval: string) =>
        service.sql.query("update access_audit set created_at = created_at - $1::interval where target_account_id = $2", [
          interval,
          one.accountId,
        ]);
      const mails = async () => (await mailedTo(service.sql, one.email)).length;
      expect((await resend()).status).to.equal(200);
      const { status, body, headers } = await resend();
      expect([status, body.error.code]).to.deep.equal([429, "rate_limited"]);
      expect(Number(headers["retry-after"])).to.be.within(1, 60);
      expect(await mails()).to.equal(1);
      expect((await resend(other)).status).to.equal(200);
      for (let sent = 1; sent < 10; sent++) {
        await age("61 seconds");
        expect((await resend()).status, `${sent + 1}`).to.equal(200);
      }
      await age("61 seconds");
      const late = await resend();
      expect([late.status, Number(late.headers["retry-after"]) > 80_000]).to.deep.equal([429, true]);
      expect(await mails()).to.equal(10);
      await age("1 day");
      expect((await resend()).status).to.equal(200);
    });

    it("of several at once sends one", async () => {
      const member = await tenant.member("member");
      const answers = await Promise.all(Array.from({ length: 4 }, () => clerk.post(`/members/${member.membershipId}/resend`)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 429, 429, 429]);
    });

    it("answers 409 for a deactivated or disabled member, 404 for a foreign one", async () => {
      const member = await tenant.member("member");
      await service.sql.query("update memberships set deactivated_at = now() where id = $1", [member.membershipId]);
      expect((await clerk.post(`/members/${member.membershipId}/resend`)).body.error.code).to.equal("conflict");
      await service.sql.query("update memberships set deactivated_at = null where id = $1", [member.membershipId]);
      await service.sql.query("update accounts set is_active = false where id = $1", [member.accountId]);
      expect((await clerk.post(`/members/${member.membershipId}/resend`)).status).to.equal(409);
      const other = await service.tenant();
      expect((await clerk.post(`/members/${other.owner.membershipId}/resend`)).status).to.equal(404);
    });
  });
});
