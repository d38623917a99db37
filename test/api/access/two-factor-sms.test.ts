import { expect } from "chai";
import { TelnyxSimulator } from "../../simulators/telnyx.ts";
import { type Answer, send } from "../../support/http.ts";
import { settled } from "../../support/jobs.ts";
import { type Caller, sharedService, startService, type Tenant, type TestService } from "../../support/service.ts";
import { cookieIn, inSession, postLogin, signIn } from "../../support/sign-in.ts";
import { totp } from "../../support/totp.ts";

const PASSWORD = "correct horse battery";
const PHONE = "+31 6 12345678";

describe("second factor by text message", () => {
  const gateway = new TelnyxSimulator();
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  let session: ReturnType<typeof inSession>;
  let secret: string;
  const login = () => postLogin(service.port, tenant.host, { username: person.email, password: PASSWORD });
  const post = (path: string, body: unknown) => send(service.port, "POST", path, { host: tenant.host, body });
  const remove = () => send(service.port, "DELETE", "/auth/2fa/sms", { host: tenant.host, cookie });
  const codeOf = ({ status, body }: Answer) => [status, body.error.code];
  /** Lets another code be sent now: the tests do not wait half a minute. */
  const later = () =>
    service.sql.query("update two_factors set sms_sent_at = sms_sent_at - interval '30 seconds' where account_id = $1", [
      person.accountId,
    ]);
  async function received(): Promise<string> {
    await settled(service);
    const { to, text } = gateway.sent.at(-1) as { to: string; text: string };
    expect(to).to.equal("+31612345678");
    return /\d{6}/.exec(text)?.[0] as string;
  }
  async function addPhone(): Promise<void> {
    await session.post("/auth/2fa/sms/setup", { phone: PHONE });
    expect((await session.post("/auth/2fa/sms/confirm", { code: await received() })).status).to.equal(204);
    await later();
  }
  let cookie: string;
  /** The mails to the person about changes of the second factor. */
  const changes = async () =>
    (
      await service.sql.query(
        "select variables ->> 'change' as change from mails where account_id = $1 and kind = 'second-factor-change' order by id",
        [person.accountId],
      )
    ).rows.map(({ change }) => change);

  before(async () => {
    await gateway.start();
    service = await startService({
      SERVICE_SMS_API_URL: gateway.baseUrl,
      SERVICE_SMS_API_KEY: gateway.key,
      SERVICE_SMS_SENDER: "Kantoor",
      SERVICE_SMS_PROFILE: gateway.profile,
    });
  });
  after(async () => {
    await service.stop();
    await gateway.stop();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    person = await tenant.member("member", { password: PASSWORD });
    cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
    session = inSession(service.port, tenant.host, cookie);
    secret = (await session.post("/auth/2fa/setup")).body.secret;
    await session.post("/auth/2fa/confirm", { code: totp(secret) });
  });

  it("a number is pending until its code came back, then usable, shown masked", async () => {
    const { status, body } = await session.post("/auth/2fa/sms/setup", { phone: PHONE });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ phone_masked: "+31••••••678" });
    expect((await session.get("/auth/2fa")).body).to.deep.include({
      sms_available: true,
      sms: { phone_masked: "+31••••••678", confirmed: false },
    });
    expect((await login()).body.methods).to.deep.equal(["totp", "backup"]);
    expect((await session.post("/auth/2fa/sms/confirm", { code: await received() })).status).to.equal(204);
    expect((await session.get("/auth/2fa")).body.sms.confirmed).to.equal(true);
    expect((await login()).body.methods).to.deep.equal(["totp", "backup", "sms"]);
    expect(await changes()).to.deep.equal(["on", "phone"]);
    await later();
    await session.post("/auth/2fa/sms/setup", { phone: "+31 6 87654321" });
    expect(await changes(), "the former number gets no codes any more").to.deep.equal(["on", "phone", "no-phone"]);
  });

  it("finishes a sign-in with a code that works once", async () => {
    await addPhone();
    const { challenge_token } = (await login()).body;
    const sent = await post("/auth/2fa/challenge/sms", { challenge_token });
    expect([sent.status, sent.body.phone_masked]).to.deep.equal([200, "+31••••••678"]);
    const code = await received();
    const done = await post("/auth/2fa/verify", { challenge_token, code, method: "sms" });
    expect((await inSession(service.port, tenant.host, cookieIn(done)).get("/users/me")).status).to.equal(200);
    const again = await post("/auth/2fa/verify", { challenge_token: (await login()).body.challenge_token, code, method: "sms" });
    expect(codeOf(again)).to.deep.equal([400, "two_factor_code_invalid"]);
  });

  it("a number that is not confirmed finishes no sign-in: its code only confirms it", async () => {
    await session.post("/auth/2fa/sms/setup", { phone: PHONE });
    const code = await received();
    const { challenge_token } = (await login()).body;
    const refused = await post("/auth/2fa/verify", { challenge_token, code, method: "sms" });
    expect(codeOf(refused)).to.deep.equal([400, "two_factor_code_invalid"]);
    expect((await session.post("/auth/2fa/sms/confirm", { code })).status).to.equal(204);
  });

  it("one code per 30 seconds", async () => {
    await session.post("/auth/2fa/sms/setup", { phone: PHONE });
    const early = await session.post("/auth/2fa/sms/setup", { phone: PHONE });
    expect(codeOf(early)).to.deep.equal([429, "sms_resend_too_soon"]);
    expect(Number(early.headers["retry-after"])).to.be.within(1, 30);
    await later();
    expect((await session.post("/auth/2fa/sms/setup", { phone: PHONE })).status).to.equal(200);
  });

  it("of two sends at once one goes", async () => {
    await addPhone();
    const { challenge_token } = (await login()).body;
    const answers = await Promise.all([1, 2, 3].map(() => post("/auth/2fa/challenge/sms", { challenge_token })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 429, 429]);
  });

  it("a code lives ten minutes and takes five tries", async () => {
    await addPhone();
    const { challenge_token } = (await login()).body;
    const verify = (code: string) => post("/auth/2fa/verify", { challenge_token, code, method: "sms" });
    await post("/auth/2fa/challenge/sms", { challenge_token });
    const first = await received();
    await service.sql.query("update two_factors set sms_expires_at = now() where account_id = $1", [person.accountId]);
    expect(codeOf(await verify(first))).to.deep.equal([400, "two_factor_code_invalid"]);
    await later();
    await post("/auth/2fa/challenge/sms", { challenge_token });
    const second = await received();
    for (let attempt = 1; attempt <= 5; attempt++) await verify(second === "111111" ? "222222" : "111111");
    expect(codeOf(await verify(second))).to.deep.equal([400, "two_factor_code_invalid"]);
  });

  it("is stored nowhere: not in a row, not in a job", async () => {
    await session.post("/auth/2fa/sms/setup", { phone: PHONE });
    const code = await received();
    const { rows } = await service.sql.query(
      "select (select string_agg(f::text, '') from two_factors f) || (select coalesce(string_agg(s::text, ''), '') from sms_messages s) as all",
    );
    expect(rows[0].all).to.not.match(new RegExp(`[^0-9a-f]${code}[^0-9a-f]`));
  });

  it("refuses an invalid number, and one before the app is confirmed", async () => {
    for (const phone of ["0612345678", "+12345", "hello"])
      expect((await session.post("/auth/2fa/sms/setup", { phone })).body.error.fields).to.deep.equal({
        phone: "errors.invalid_phone",
      });
    await session.post("/auth/2fa/disable", { password: PASSWORD });
    expect(codeOf(await session.post("/auth/2fa/sms/setup", { phone: PHONE }))).to.deep.equal([409, "two_factor_not_enabled"]);
    expect(codeOf(await session.post("/auth/2fa/sms/confirm", { code: "123456" }))).to.deep.equal([
      409,
      "two_factor_not_enabled",
    ]);
  });

  it("is only ever additional: removing it leaves app and backup codes", async () => {
    await addPhone();
    expect((await remove()).status).to.equal(204);
    expect((await session.get("/auth/2fa")).body).to.deep.include({ enabled: true, backup_codes_remaining: 10, sms: null });
    const { challenge_token } = (await login()).body;
    expect(codeOf(await post("/auth/2fa/challenge/sms", { challenge_token }))).to.deep.equal([400, "sms_not_configured"]);
    expect(codeOf(await post("/auth/2fa/challenge/sms", { challenge_token: "0".repeat(64) }))).to.deep.equal([
      401,
      "two_factor_challenge_invalid",
    ]);
  });

  it("eight wrong codes of any kind lock it too, sending included", async () => {
    await addPhone();
    const { challenge_token } = (await login()).body;
    for (let failure = 1; failure <= 8; failure++)
      await post("/auth/2fa/verify", { challenge_token, code: "000000", method: "backup" });
    const locked = await post("/auth/2fa/challenge/sms", { challenge_token });
    expect(codeOf(locked)).to.deep.equal([429, "two_factor_locked"]);
    expect(Number(locked.headers["retry-after"])).to.be.within(1, 900);
  });
});

describe("second factor by text message without a gateway", () => {
  it("cannot be set up: 400 sms_not_configured, for any phone", async () => {
    const service = await sharedService();
    try {
      const tenant = await service.tenant();
      const person = await tenant.member("member", { password: PASSWORD });
      const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
      const { status, body } = await session.post("/auth/2fa/sms/setup", { phone: PHONE });
      expect([status, body.error.code]).to.deep.equal([400, "sms_not_configured"]);
    } finally {
      await service.stop();
    }
  });
});
