import { expect } from "chai";
import { resetAdministrator } from "../../../operator/instance/administrators.ts";
import { ADMIN_HOST, administrator, CHOSEN, firstSignIn, instanceClient, invited } from "../../support/instance/administrator.ts";
import { sharedService, startService, type TestService } from "../../support/service.ts";
import { cookieIn } from "../../support/sign-in.ts";
import { totp } from "../../support/totp.ts";

describe("POST /instance/auth/login and /verify", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  const anonymous = () => instanceClient(service.port, {});
  const begin = (email: string, password: string) => anonymous().post("/instance/auth/login", { email, password });
  const finish = (form: Record<string, unknown>) => anonymous().post("/instance/auth/verify", form);

  it("signs in with the passed-on password only together with another password and a code of the new app", async () => {
    const { email, password } = await invited(service, ["organisations"]);
    const begun = await begin(email.toUpperCase(), password);
    expect(begun.status).to.equal(200);
    expect(begun.body).to.deep.include({ expires_in: 300, new_password_required: true });
    const { challenge_token: token, enrolment } = begun.body;
    expect(enrolment.otpauth_url).to.contain(enrolment.secret).and.to.contain("admin.kantoor.test");
    expect(begun.headers["set-cookie"]).to.equal(undefined);
    const without = await finish({ challenge_token: token, code: totp(enrolment.secret) });
    expect([without.status, without.body.error.fields]).to.deep.equal([422, { new_password: "errors.required" }]);
    const weak = await finish({ challenge_token: token, code: totp(enrolment.secret), new_password: "short" });
    expect([weak.status, weak.body.error.fields]).to.deep.equal([422, { new_password: "errors.password_too_short" }]);
    const done = await finish({ challenge_token: token, code: totp(enrolment.secret), new_password: CHOSEN });
    expect(done.status, done.text).to.equal(204);
    expect(done.headers["set-cookie"]?.[0]).to.match(
      /^kantoor_session=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    );
    const me = await instanceClient(service.port, { cookie: cookieIn(done) }).get("/instance/me");
    expect(me.body).to.deep.include({ email, capabilities: ["organisations"], organisations: null, credential: "session" });
    expect((await begin(email, password)).status).to.equal(400);
  });

  it("asks for a fresh code at every later sign-in, and takes each code and token once", async () => {
    const { email, secret } = await administrator(service, []);
    const begun = await begin(email, CHOSEN);
    expect(begun.body).to.deep.include({ new_password_required: false, enrolment: null });
    const used = await finish({ challenge_token: begun.body.challenge_token, code: totp(secret) });
    expect([used.status, used.body.error.code]).to.deep.equal([400, "two_factor_code_invalid"]);
    const form = { challenge_token: begun.body.challenge_token, code: totp(secret, 1) };
    expect((await finish(form)).status).to.equal(204);
    const again = await finish(form);
    expect([again.status, again.body.error.code]).to.deep.equal([401, "two_factor_challenge_invalid"]);
  });

  it("refuses a wrong password, an unknown address, a deactivated administrator and an expired password alike", async () => {
    const [known, gone, late] = [await invited(service, []), await invited(service, []), await invited(service, [])];
    await service.sql.query("update instance_administrators set is_active = false where id = $1", [gone.id]);
    await service.sql.query("update instance_administrators set password_expires_at = now() where id = $1", [late.id]);
    const answers = [
      await begin(known.email, "wrong"),
      await begin("nobody@operator.test", "wrong"),
      await begin(gone.email, gone.password),
      await begin(late.email, late.password),
    ];
    for (const { status, text } of answers)
      expect([status, text]).to.deep.equal([400, '{"error":{"code":"login_bad_credentials","message":"errors.validation"}}']);
  });

  it("locks the second factor for a quarter of an hour after eight wrong codes, also for the right one", async () => {
    const { email, secret } = await administrator(service, []);
    const { body } = await begin(email, CHOSEN);
    for (let attempt = 1; attempt <= 8; attempt++)
      expect((await finish({ challenge_token: body.challenge_token, code: "000000" })).status).to.equal(400);
    const locked = await finish({ challenge_token: body.challenge_token, code: totp(secret, 1) });
    expect([locked.status, locked.body.error.code]).to.deep.equal([429, "two_factor_locked"]);
    expect(Number(locked.headers["retry-after"])).to.be.within(800, 900);
  });

  it("ends a session by signing out, by a reset and by another password", async () => {
    const [out, reset, other] = [
      await administrator(service, []),
      await administrator(service, []),
      await administrator(service, []),
    ];
    expect((await out.post("/instance/auth/logout")).status).to.equal(204);
    await resetAdministrator(service.sql, reset.id);
    const wrong = await other.post("/instance/auth/password", { current_password: "wrong", new_password: "another password" });
    expect([wrong.status, wrong.body.error.code]).to.deep.equal([400, "password_incorrect"]);
    const form = { current_password: CHOSEN, new_password: "another password" };
    expect((await other.post("/instance/auth/password", form)).status).to.equal(204);
    for (const one of [out, reset, other]) expect((await one.get("/instance/me")).status).to.equal(401);
    expect((await begin(other.email, "another password")).status).to.equal(200);
  });

  it("works in a browser, whose pages run no script", async () => {
    const { email, password } = await invited(service, ["jobs"]);
    const page = (method: string, path: string, form?: Record<string, string>, cookie?: string) =>
      service.call(method, `//${path}`, {
        host: ADMIN_HOST,
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        ...(form && { body: new URLSearchParams(form).toString() }),
        ...(cookie !== undefined && { cookie }),
      });
    const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
    expect((await page("GET", "login")).text).to.contain('name="email"');
    const wrong = await page("POST", "login", { email, password: "wrong" });
    expect([wrong.status, wrong.text.includes('role="alert"') || wrong.text.includes("notice")]).to.deep.equal([400, true]);
    const second = await page("POST", "login", { email, password });
    const names = ["challenge_token", "secret", "new_password_required", "next"];
    const carried = Object.fromEntries(names.map((name) => [name, hidden(second.text, name)]));
    expect(carried["next"]).to.equal("/ops");
    const code = totp(carried["secret"] as string);
    const weak = await page("POST", "login/code", { ...carried, code, new_password: "short" });
    expect([weak.status, weak.text.includes('name="new_password"')]).to.deep.equal([422, true]);
    const done = await page("POST", "login/code", { ...carried, code, new_password: CHOSEN });
    expect([done.status, done.headers.location]).to.deep.equal([303, "/ops"]);
    const cookie = cookieIn(done);
    expect((await instanceClient(service.port, { cookie }).get("/instance/me")).body.email).to.equal(email);
    const out = await page("POST", "logout", {}, cookie);
    expect([out.status, out.headers.location]).to.deep.equal([303, "/login"]);
    expect((await instanceClient(service.port, { cookie }).get("/instance/me")).status).to.equal(401);
  });

  it("refuses a write that another site's page sends with the cookie", async () => {
    const { post } = await administrator(service, []);
    const foreign = await post("/instance/auth/logout", undefined, { headers: { Origin: "https://evil.example" } });
    expect(foreign.status).to.equal(403);
  });

  it("stores no secret in the open", async () => {
    const { id, cookie, secret } = await firstSignIn(service, await invited(service, []));
    const { rows } = await service.sql.query(
      `select a::text || s::text as stored from instance_administrators a join instance_sessions s on s.administrator_id = a.id where a.id = $1`,
      [id],
    );
    expect(rows[0].stored).to.not.contain(secret).and.not.contain(cookie.split("=")[1]).and.not.contain(CHOSEN);
  });

  it("records sign-ins and failures, and never changes a line", async () => {
    const { email, id, secret, post } = await administrator(service, ["administrators"]);
    await begin(email, "wrong");
    await post("/instance/auth/verify", { challenge_token: "0".repeat(64), code: totp(secret, 1) });
    const { rows } = await service.sql.query(
      "select action, actor from operator_audit where administrator_id = $1 order by created_at",
      [id],
    );
    expect(rows).to.deep.equal([
      { action: "administrator.password_accepted", actor: email },
      { action: "administrator.signed_in", actor: email },
      { action: "administrator.sign_in_failed", actor: email },
    ]);
    const lines = async () => (await service.sql.query("select count(*)::int as lines from operator_audit")).rows[0].lines;
    const before = await lines();
    await begin("nobody@operator.test", "wrong");
    expect(await lines()).to.equal(before);
    for (const change of ["update operator_audit set actor = 'x'", "delete from operator_audit"])
      expect(await service.sql.query(change).catch((error) => error.code)).to.equal("42501");
  });
});

describe("the limit of sign-ins on the administrators' host", () => {
  let service: TestService;
  before(async () => {
    service = await startService({ SERVICE_RATE_LIMIT_SIGN_IN: "2" });
  });
  after(() => service.stop());

  it("refuses the third attempt of an address in a minute", async () => {
    const attempt = () =>
      service.call("POST", "/instance/auth/login", { host: ADMIN_HOST, body: { email: "x@operator.test", password: "wrong" } });
    const statuses = [(await attempt()).status, (await attempt()).status, (await attempt()).status, (await attempt()).status];
    // A minute may begin between two of them.
    expect(statuses.filter((status) => status === 429).length).to.be.at.least(1);
  });
});
