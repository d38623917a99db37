import { expect } from "chai";
import { runtime } from "../../../../core/config/runtime.ts";
import { send } from "../../../support/http.ts";
import { type SigningOn, sessionIn, startSigningOn } from "../../../support/oidc/signing-on.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { inSession, postLogin, signIn } from "../../../support/sign-in.ts";

const PASSWORD = "correct horse battery";

describe("an organisation that enforces single sign-on", () => {
  let service: TestService;
  let signing: SigningOn;
  let tenant: Tenant;
  let person: Caller;
  let session: ReturnType<typeof inSession>;
  let bySso: ReturnType<typeof inSession>;
  const DISABLED = [403, "local_login_disabled", "auth.local_login_disabled"];
  const error = ({ status, body }: { status: number; body?: { error?: { code: string; message: string } } }) => [
    status,
    body?.error?.code,
    body?.error?.message,
  ];

  before(async () => {
    service = await sharedService();
    signing = await startSigningOn(service);
    tenant = await service.tenant();
    person = await tenant.member("member", { password: PASSWORD });
    await signing.use(tenant);
    session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
    const visitor = { sub: "enforced", claims: { email: person.email, email_verified: true } };
    bySso = inSession(service.port, tenant.host, sessionIn(await signing.signOn(tenant, visitor)));
    await signing.use(tenant, { enforced: true });
  });
  after(async () => {
    await signing.stop();
    await service.stop();
  });

  it("takes no password, right or wrong, and no form that is incomplete", async () => {
    const forms: Record<string, string>[] = [
      { username: person.email, password: PASSWORD },
      { username: person.email, password: "wrong" },
      { a: "b" },
    ];
    for (const form of forms) expect(error(await postLogin(service.port, tenant.host, form))).to.deep.equal(DISABLED);
  });

  it("registers, verifies and resets nothing", async () => {
    const calls: [string, object][] = [
      ["/auth/register", { email: "a@b.test", password: PASSWORD }],
      ["/auth/request-verify-token", { email: person.email }],
      ["/auth/verify", { token: "x" }],
      ["/auth/forgot-password", { email: person.email }],
      ["/auth/reset-password", { token: "x", password: PASSWORD }],
      ["/auth/2fa/verify", { challenge_token: "x", code: "123456" }],
      ["/auth/2fa/challenge/sms", { challenge_token: "x" }],
    ];
    for (const [path, body] of calls)
      expect(error(await send(service.port, "POST", path, { host: tenant.host, body })), path).to.deep.equal(DISABLED);
  });

  it("closes the second factor and the e-mail address in every session, before anything else is looked at", async () => {
    for (const [who, as] of Object.entries({ session, bySso })) {
      expect(error(await as.get("/auth/2fa")), who).to.deep.equal(DISABLED);
      for (const path of ["/auth/2fa/setup", "/auth/2fa/confirm", "/auth/2fa/backup-codes", "/auth/2fa/disable"])
        expect(error(await as.post(path, {})), `${who} ${path}`).to.deep.equal(DISABLED);
      for (const path of ["/auth/2fa/sms/setup", "/auth/2fa/sms/confirm", "/users/me/email"])
        expect(error(await as.post(path, {})), `${who} ${path}`).to.deep.equal(DISABLED);
    }
    const anonymous = await send(service.port, "GET", "/auth/2fa", { host: tenant.host });
    expect(anonymous.status).to.equal(401);
  });

  it("names the reason also where a session made by SSO alone is closed to", async () => {
    expect(error(await bySso.patch("/users/me", { password: "another password" }))).to.deep.equal(DISABLED);
    expect((await bySso.patch("/users/me", { full_name: "Renamed" })).status).to.equal(200);
  });

  it("leaves sessions, keys, one's own sessions and signing out as they are", async () => {
    expect((await session.get("/meta/me")).status).to.equal(200);
    expect((await bySso.get("/auth/sessions")).body).to.have.length(2);
    expect((await person.get("/meta/me")).status).to.equal(200);
    const visitor = { sub: "enforced", claims: {} };
    const again = inSession(service.port, tenant.host, sessionIn(await signing.signOn(tenant, visitor)));
    expect((await again.post("/auth/logout")).status).to.be.oneOf([200, 204]);
    expect((await again.get("/meta/me")).status).to.equal(401);
  });

  it("is the only one whose sign-in changes", async () => {
    const other = await service.tenant();
    const colleague = await other.member("member", { password: PASSWORD });
    expect((await postLogin(service.port, other.host, { username: colleague.email, password: PASSWORD })).status).to.equal(204);
  });

  it("takes passwords while the deployment forces them back on for everyone", async () => {
    const config = runtime().config as { forceLocalLogin: boolean };
    config.forceLocalLogin = true;
    try {
      expect((await postLogin(service.port, tenant.host, { username: person.email, password: PASSWORD })).status).to.equal(204);
      const { body } = await service.call("GET", "/meta/modules", { host: tenant.host });
      expect(body.local_login_enabled).to.equal(true);
      expect((await session.get("/auth/2fa")).status).to.equal(200);
      expect((await bySso.patch("/users/me", { password: "another password" })).body.error.code).to.equal("forbidden");
    } finally {
      config.forceLocalLogin = false;
    }
  });

  it("takes passwords again as soon as it no longer does, and nothing in between is out of date", async () => {
    const login = () => postLogin(service.port, tenant.host, { username: person.email, password: PASSWORD });
    expect((await login()).status).to.equal(403);
    await tenant.owner.put("/settings/sso", signing.settings({ enforced: false }));
    expect((await login()).status).to.equal(204);
    await tenant.owner.put("/settings/sso", signing.settings({ enforced: true }));
    expect((await login()).status).to.equal(403);
    await tenant.owner.put("/settings/sso", signing.settings({ enabled: false }));
    expect((await login()).status).to.equal(204);
  });
});
