import { expect } from "chai";
import { lastStatements } from "../../../mixins/request/request-steps.ts";
import { createMember } from "../../../operator/organisations.ts";
import { spreadOf } from "../../support/effort.ts";
import { type Answer, send } from "../../support/http.ts";
import { lastMailTo, mailedTo } from "../../support/mail/mailed.ts";
import { inOneMinute } from "../../support/minutes.ts";
import { type Caller, sharedService, startService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, postLogin, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";
const NEW = "another long password";
let counter = 0;
const fresh = () => `new${++counter}@example.com`;
const errorOf = ({ status, body }: Answer) => [status, body.error.code, body.error.message];
const ASK = "auth.registration.requestVerification";

describe("registration, verification and reset", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  const post = (path: string, body: unknown, host = tenant.host) => send(service.port, "POST", path, { host, body });
  const login = async (username: string, password: string, host = tenant.host) =>
    (await postLogin(service.port, host, { username, password })).status;
  const account = async (email: string) =>
    (await service.sql.query("select * from accounts where email = $1", [email.toLowerCase()])).rows[0];
  const age = (interval: string) =>
    service.sql.query("update account_tokens set expires_at = now() + interval '1 hour' - $1::interval", [interval]);

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    person = await tenant.member("member", { password: PASSWORD, name: "Bert Jansen" });
  });

  describe("POST /auth/register", () => {
    it("creates an account without membership, with fixed flags, that signs in nowhere", async () => {
      const email = `Fresh.${fresh()}`;
      const flags = { is_active: false, is_verified: true, is_superuser: true };
      const { status, body } = await post("/auth/register", { email, password: PASSWORD, full_name: "Nieuw", ...flags });
      expect(status).to.equal(201);
      const { id } = await account(email);
      const shown = { email: email.toLowerCase(), full_name: "Nieuw", is_active: true, is_superuser: false, is_verified: false };
      expect(body).to.deep.equal({ id, ...shown });
      expect(await account(email)).to.deep.include({ is_active: true, is_superuser: false, is_verified: false });
      expect(await login(email, PASSWORD)).to.equal(400);
    });

    it("refuses a registered address, in any case and any organisation", async () => {
      const other = await service.tenant();
      for (const email of [person.email.toUpperCase(), other.owner.email])
        expect(errorOf(await post("/auth/register", { email, password: PASSWORD })).slice(0, 2)).to.deep.equal([
          400,
          "register_user_already_exists",
        ]);
    });

    for (const [password, message] of [
      ["1234567", "errors.password_too_short"],
      ["x".repeat(129), "errors.password_too_long"],
      ["SAME@example.com", "errors.password_is_email"],
    ] as const)
      it(`refuses a password with ${message}`, async () => {
        const answer = await post("/auth/register", { email: "same@example.com", password });
        expect(errorOf(answer)).to.deep.equal([400, "invalid_password", message]);
        expect(await account("same@example.com")).to.equal(undefined);
      });

    it("of many registrations of one address in parallel one succeeds", async () => {
      const email = fresh();
      const answers = await Promise.all(Array.from({ length: 6 }, () => post("/auth/register", { email, password: PASSWORD })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 400, 400, 400, 400, 400]);
    });
  });

  describe("verifying", () => {
    const ask = (email: string) => post("/auth/request-verify-token", { email });
    beforeEach(() => service.sql.query("update accounts set is_verified = false where id = $1", [person.accountId]));

    it("mails an unverified member a token that verifies once", async () => {
      expect((await ask(person.email.toUpperCase())).status).to.equal(202);
      const mail = await lastMailTo(service.sql, person.email);
      expect(mail).to.include({ kind: "verify", link: "/verify?token={token}" });
      const { status, body } = await post("/auth/verify", { token: mail.token });
      expect(status).to.equal(200);
      expect(body).to.deep.include({ id: person.accountId, is_verified: true });
      expect(errorOf(await post("/auth/verify", { token: mail.token })).slice(0, 2)).to.deep.equal([
        400,
        "verify_user_already_verified",
      ]);
    });

    it("answers 202 and mails nothing for an unknown address, a stranger, a verified or disabled account", async () => {
      const other = await service.tenant();
      const stranger = await other.member("member");
      await service.sql.query("update accounts set is_verified = false where id = $1", [stranger.accountId]);
      await service.sql.query("update accounts set is_active = false where id = $1", [person.accountId]);
      for (const email of ["nobody@example.com", stranger.email, tenant.owner.email, person.email]) {
        const answer = await ask(email);
        expect([answer.status, answer.text]).to.deep.equal([202, ""]);
        expect(await mailedTo(service.sql, email)).to.deep.equal([]);
      }
    });

    it("refuses a bad, expired or foreign token, and one of an address the account no longer has", async () => {
      const bad = [400, "verify_user_bad_token"];
      expect(errorOf(await post("/auth/verify", { token: "nonsense" })).slice(0, 2)).to.deep.equal(bad);
      await ask(person.email);
      const { token } = await lastMailTo(service.sql, person.email);
      const other = await service.tenant();
      expect(errorOf(await post("/auth/verify", { token }, other.host)).slice(0, 2)).to.deep.equal(bad);
      await service.sql.query("update accounts set email = 'moved-' || email where id = $1", [person.accountId]);
      expect(errorOf(await post("/auth/verify", { token })).slice(0, 2)).to.deep.equal(bad);
      await service.sql.query("update accounts set email = substr(email, 7) where id = $1", [person.accountId]);
      await age("1 hour");
      expect(errorOf(await post("/auth/verify", { token })).slice(0, 2)).to.deep.equal(bad);
    });
  });

  describe("resetting a password", () => {
    const forgot = (email: string, host = tenant.host) => post("/auth/forgot-password", { email }, host);
    const reset = (token: string, password = NEW, host = tenant.host) => post("/auth/reset-password", { token, password }, host);
    const token = async () => {
      await forgot(person.email);
      return (await lastMailTo(service.sql, person.email)).token;
    };
    const BAD = [400, "reset_password_bad_token"];

    it("mails a member a link that works once, verifies the address and ends every session", async () => {
      await service.sql.query("update accounts set is_verified = false where id = $1", [person.accountId]);
      const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
      expect((await forgot(person.email.toUpperCase())).status).to.equal(202);
      const mail = await lastMailTo(service.sql, person.email);
      expect(mail).to.include({ kind: "reset", link: "/reset-password?token={token}" });
      const answer = await reset(mail.token);
      expect(answer.status).to.be.oneOf([200, 204]);
      expect(await login(person.email, PASSWORD)).to.equal(400);
      expect(await login(person.email, NEW)).to.equal(204);
      expect((await session.get("/companies")).status).to.equal(401);
      expect((await account(person.email)).is_verified).to.equal(true);
      expect(errorOf(await reset(mail.token, "a third password")).slice(0, 2)).to.deep.equal(BAD);
    });

    it("leaves the second factor", async () => {
      await service.sql.query(
        `insert into two_factors (account_id, secret, confirmed_at)
         values ($1, 'v1.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA', now())`,
        [person.accountId],
      );
      await reset(await token());
      expect(await login(person.email, NEW)).to.equal(200);
    });

    it("a token is dead once the password has changed, by any actor", async () => {
      const [first, second] = [await token(), await token()];
      expect((await reset(first)).status).to.be.oneOf([200, 204]);
      expect(errorOf(await reset(second)).slice(0, 2)).to.deep.equal(BAD);
      const third = await token();
      const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, NEW));
      await session.patch("/users/me", { password: "changed in between" });
      expect(errorOf(await reset(third)).slice(0, 2)).to.deep.equal(BAD);
    });

    it("of two resets with one token at once one wins", async () => {
      const one = await token();
      const answers = await Promise.all([reset(one, "the first password"), reset(one, "the second password")]);
      expect(answers.filter(({ status }) => status < 300)).to.have.length(1);
    });

    it("refuses a bad or expired token, another host, a disabled account, a moved address", async () => {
      expect(errorOf(await reset("nonsense")).slice(0, 2)).to.deep.equal(BAD);
      const one = await token();
      const other = await service.tenant();
      await createMember(service.sql, other.organisation.id, { email: person.email, role: "member" });
      expect(errorOf(await reset(one, NEW, other.host)).slice(0, 2)).to.deep.equal(BAD);
      await service.sql.query("update accounts set is_active = false where id = $1", [person.accountId]);
      expect(errorOf(await reset(one)).slice(0, 2)).to.deep.equal(BAD);
      await service.sql.query("update accounts set is_active = true where id = $1", [person.accountId]);
      await age("1 hour");
      expect(errorOf(await reset(one)).slice(0, 2)).to.deep.equal(BAD);
      expect(await login(person.email, PASSWORD)).to.equal(204);
    });

    it("keeps the token when the new password breaks the rule", async () => {
      const one = await token();
      expect(errorOf(await reset(one, "short")).slice(0, 2)).to.deep.equal([400, "invalid_password"]);
      expect(errorOf(await reset(one, person.email)).slice(0, 3)).to.deep.equal([
        400,
        "invalid_password",
        "errors.password_is_email",
      ]);
      expect((await reset(one)).status).to.be.oneOf([200, 204]);
    });

    it("answers 202 and mails nothing for an unknown address, a stranger, or a deactivated member", async () => {
      const other = await service.tenant();
      await service.sql.query("update memberships set deactivated_at = now() where id = $1", [person.membershipId]);
      for (const email of ["nobody@example.com", other.owner.email, person.email]) {
        const answer = await forgot(email);
        expect([answer.status, answer.text]).to.deep.equal([202, ""]);
        expect(await mailedTo(service.sql, email)).to.deep.equal([]);
      }
    });

    it("stores tokens as digests only", async () => {
      const one = await token();
      const { rows } = await service.sql.query(
        "select (select string_agg(t::text, '') from account_tokens t) || (select string_agg(m::text, '') from mails m) as all",
      );
      expect(rows[0].all).to.not.contain(one);
    });

    it("does the same work for a member, a stranger and an unknown address", async () => {
      const other = await service.tenant();
      const work = async (path: string, email: string) => {
        expect((await post(path, { email })).status).to.equal(202);
        return lastStatements.get(path === "/auth/forgot-password" ? "auth.registration.forgot" : ASK);
      };
      for (const path of ["/auth/forgot-password", "/auth/request-verify-token"]) {
        await service.sql.query("update accounts set is_verified = false where id = $1", [person.accountId]);
        const [member, verified, stranger, unknown] = [
          await work(path, person.email),
          await work(path, tenant.owner.email),
          await work(path, other.owner.email),
          await work(path, "nobody@example.com"),
        ];
        expect([verified, stranger, unknown], path).to.deep.equal([member, member, member]);
      }
    });

    it("does not reveal by its work whether an address has an account", async () => {
      await Promise.all(Array.from({ length: 10 }, () => forgot(person.email)));
      const works = [() => forgot(person.email), (round: number) => forgot(`nobody${round}@example.com`)];
      expect(await spreadOf(200, 5, works)).to.be.below(5);
    }).timeout(240_000);
  });
});

describe("registration as the instance sets it", () => {
  it("quiet: a registered address gets the same answer, changes nothing and notifies the owner by mail", async () => {
    const service = await startService({ SERVICE_REGISTRATION: "quiet" });
    try {
      const tenant = await service.tenant();
      const body = { email: tenant.owner.email.toUpperCase(), password: NEW, full_name: "Somebody else" };
      const taken = await send(service.port, "POST", "/auth/register", { host: tenant.host, body });
      const open = await send(service.port, "POST", "/auth/register", { host: tenant.host, body: { ...body, email: fresh() } });
      expect([taken.status, open.status]).to.deep.equal([201, 201]);
      expect(Object.keys(taken.body)).to.deep.equal(Object.keys(open.body));
      expect(taken.body).to.deep.include({ email: tenant.owner.email, full_name: "Somebody else", is_verified: false });
      expect(taken.body.id).to.not.equal(tenant.owner.accountId);
      const { rows } = await service.sql.query("select password_hash from accounts where id = $1", [tenant.owner.accountId]);
      expect(rows[0].password_hash).to.equal(null);
      expect((await lastMailTo(service.sql, tenant.owner.email)).kind).to.equal("already-registered");
      const work = async (email: string) => {
        await send(service.port, "POST", "/auth/register", { host: tenant.host, body: { ...body, email } });
        return lastStatements.get("auth.registration.register");
      };
      expect(await work(tenant.owner.email), "the same work").to.equal(await work(fresh()));
    } finally {
      await service.stop();
    }
  });

  it("off: 404", async () => {
    const service = await startService({ SERVICE_REGISTRATION: "off" });
    try {
      const tenant = await service.tenant();
      const body = { email: fresh(), password: NEW };
      expect((await send(service.port, "POST", "/auth/register", { host: tenant.host, body })).status).to.equal(404);
    } finally {
      await service.stop();
    }
  });

  it("register, verify, forgot and reset share five calls a minute per address and host, apart from sign-in", async () => {
    const service = await startService({ SERVICE_RATE_LIMIT_ACCOUNT: "5", SERVICE_RATE_LIMIT_SIGN_IN: "10" });
    try {
      const other = await service.tenant();
      let tenant = other;
      const post = (path: string, body: unknown, host = tenant.host) => send(service.port, "POST", path, { host, body });
      const email = "nobody@example.com";
      const work = async () => [
        await post("/auth/register", { email: fresh(), password: PASSWORD }),
        await post("/auth/request-verify-token", { email }),
        await post("/auth/forgot-password", { email }),
        await post("/auth/reset-password", { token: "x", password: NEW }),
        await post("/auth/forgot-password", { email }),
        await post("/auth/forgot-password", { email }),
      ];
      const calls = await inOneMinute(async () => {
        tenant = await service.tenant();
        return work();
      });
      expect(calls.map(({ status }) => status)).to.deep.equal([201, 202, 202, 400, 202, 429]);
      expect((await post("/auth/forgot-password", { email }, other.host)).status).to.equal(202);
      expect((await postLogin(service.port, tenant.host, { username: email, password: "x" })).status).to.equal(400);
    } finally {
      await service.stop();
    }
  });
});
