import { expect } from "chai";
import { type Answer, send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { cookieIn, inSession, postLogin, signIn } from "../../support/sign-in.ts";
import { totp } from "../../support/totp.ts";

const PASSWORD = "correct horse battery";

describe("second factor", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  let session: ReturnType<typeof inSession>;
  const login = (host = tenant.host) => postLogin(service.port, host, { username: person.email, password: PASSWORD });
  const verify = (challenge: string, code: string, method?: string, host = tenant.host): Promise<Answer> =>
    send(service.port, "POST", "/auth/2fa/verify", {
      host,
      body: { challenge_token: challenge, code, ...(method && { method }) },
    });
  const challenge = async (): Promise<string> => (await login()).body.challenge_token;
  const errorOf = ({ status, body }: Answer) => [status, body.error.code];
  const code = (answer: Answer) => errorOf(answer);
  /** Lets the present code pass again: the tests do not wait for the next half minute. */
  const forgetStep = () => service.sql.query("update two_factors set last_step = 0 where account_id = $1", [person.accountId]);
  const wrong = (secret: string) => (totp(secret) === "000000" ? "111111" : "000000");
  async function enrol(): Promise<{ secret: string; codes: string[] }> {
    const { secret } = (await session.post("/auth/2fa/setup")).body;
    const { body } = await session.post("/auth/2fa/confirm", { code: totp(secret) });
    await forgetStep();
    return { secret, codes: body.backup_codes };
  }
  const lastActions = async () =>
    (
      await service.sql.query(
        "select action, target_account_id from access_audit where organisation_id = $1 order by created_at, id",
        [tenant.organisation.id],
      )
    ).rows;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    person = await tenant.member("member", { password: PASSWORD });
    session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
  });

  describe("enrolling", () => {
    it("goes from none over pending to enabled, with ten backup codes shown once", async () => {
      const none = { enabled: false, pending: false, backup_codes_remaining: 0, sms_available: false, sms: null };
      expect((await session.get("/auth/2fa")).body).to.deep.equal(none);
      const { status, body } = await session.post("/auth/2fa/setup");
      expect(status).to.equal(200);
      expect(body.secret).to.match(/^[A-Z2-7]{32}$/);
      expect(body.qr_svg).to.match(/^<svg[\s\S]*<\/svg>\s*$/);
      const url = new URL(body.otpauth_url);
      expect(url.searchParams.get("secret")).to.equal(body.secret);
      expect(url.searchParams.get("issuer")).to.equal(tenant.host);
      expect(decodeURIComponent(url.pathname)).to.contain(person.email);
      expect((await session.get("/auth/2fa")).body).to.deep.equal({ ...none, pending: true });
      const confirmed = await session.post("/auth/2fa/confirm", { code: totp(body.secret) });
      expect(confirmed.status).to.equal(200);
      expect(confirmed.body.backup_codes).to.have.length(10);
      expect((await session.get("/auth/2fa")).body).to.deep.equal({ ...none, enabled: true, backup_codes_remaining: 10 });
    });

    it("names the brand as issuer where there is one", async () => {
      await service.sql.query("update organisations set brand_name = 'Bureau Noord' where id = $1", [tenant.organisation.id]);
      expect(new URL((await session.post("/auth/2fa/setup")).body.otpauth_url).searchParams.get("issuer")).to.equal(
        "Bureau Noord",
      );
    });

    it("shortens a brand name that no picture holds", async () => {
      const brand = "☃".repeat(255);
      await service.sql.query("update organisations set brand_name = $2 where id = $1", [tenant.organisation.id, brand]);
      const { status, body } = await session.post("/auth/2fa/setup");
      expect(status).to.equal(200);
      expect(brand.startsWith(new URL(body.otpauth_url).searchParams.get("issuer") || "none")).to.equal(true);
    });

    it("stores the secret sealed and the backup codes as digests", async () => {
      const { secret, codes } = await enrol();
      const { rows } = await service.sql.query("select f::text as row from two_factors f where account_id = $1", [
        person.accountId,
      ]);
      expect(rows[0].row).to.not.contain(secret);
      for (const one of codes) expect(rows[0].row).to.not.contain(one.replace("-", ""));
    });

    it("a new setup kills the QR code before it", async () => {
      const first = (await session.post("/auth/2fa/setup")).body.secret;
      const second = (await session.post("/auth/2fa/setup")).body.secret;
      expect(code(await session.post("/auth/2fa/confirm", { code: totp(first) }))).to.deep.equal([
        400,
        "two_factor_code_invalid",
      ]);
      expect((await session.post("/auth/2fa/confirm", { code: totp(second) })).status).to.equal(200);
    });

    it("refuses what does not fit the state", async () => {
      expect(code(await session.post("/auth/2fa/confirm", { code: "123456" }))).to.deep.equal([409, "two_factor_not_enabled"]);
      expect(code(await session.post("/auth/2fa/backup-codes", { code: "123456" }))).to.deep.equal([
        409,
        "two_factor_not_enabled",
      ]);
      await session.post("/auth/2fa/setup");
      expect(code(await session.post("/auth/2fa/backup-codes", { code: "123456" }))).to.deep.equal([
        409,
        "two_factor_not_enabled",
      ]);
      await enrol();
      expect(code(await session.post("/auth/2fa/setup"))).to.deep.equal([409, "two_factor_already_enabled"]);
      expect(code(await session.post("/auth/2fa/confirm", { code: "123456" }))).to.deep.equal([
        409,
        "two_factor_already_enabled",
      ]);
    });

    it("new backup codes take a code of the app, and kill the former ones", async () => {
      const { secret, codes } = await enrol();
      expect(code(await session.post("/auth/2fa/backup-codes", { code: codes[0] }))).to.deep.equal([
        400,
        "two_factor_code_invalid",
      ]);
      const fresh = await session.post("/auth/2fa/backup-codes", { code: totp(secret) });
      expect(fresh.body.backup_codes).to.have.length(10);
      expect((await verify(await challenge(), codes[0] as string, "backup")).status).to.equal(400);
      expect((await verify(await challenge(), fresh.body.backup_codes[0], "backup")).status).to.be.oneOf([200, 204]);
    });

    it("disabling a confirmed one takes the password; a pending one goes without", async () => {
      await session.post("/auth/2fa/setup");
      expect((await session.post("/auth/2fa/disable", {})).status).to.equal(204);
      expect((await session.post("/auth/2fa/disable", {})).status).to.equal(204);
      await enrol();
      expect(code(await session.post("/auth/2fa/disable", {}))).to.deep.equal([400, "two_factor_password_invalid"]);
      expect(code(await session.post("/auth/2fa/disable", { password: "no" }))).to.deep.equal([
        400,
        "two_factor_password_invalid",
      ]);
      expect((await session.post("/auth/2fa/disable", { password: PASSWORD })).status).to.equal(204);
      expect((await session.get("/auth/2fa")).body.enabled).to.equal(false);
      expect((await login()).status).to.equal(204);
    });

    it("is for a session, never for a key, and closed to a session made by SSO", async () => {
      expect((await person.get("/auth/2fa")).status).to.equal(401);
      await service.sql.query("update sessions set method = 'sso' where account_id = $1", [person.accountId]);
      expect((await session.get("/auth/2fa")).status).to.equal(403);
      expect((await session.post("/auth/2fa/setup")).status).to.equal(403);
    });
  });

  describe("signing in", () => {
    it("answers a challenge instead of a cookie, and the cookie after a code", async () => {
      const { secret } = await enrol();
      const asked = await login();
      expect(asked.status).to.equal(200);
      expect(asked.headers["set-cookie"]).to.equal(undefined);
      expect(asked.body).to.deep.include({ two_factor_required: true, methods: ["totp", "backup"] });
      const done = await verify(asked.body.challenge_token, totp(secret));
      expect(done.status).to.be.oneOf([200, 204]);
      expect((await inSession(service.port, tenant.host, cookieIn(done)).get("/companies")).status).to.equal(200);
      expect((await lastActions()).at(-1)).to.deep.equal({ action: "sign_in.success", target_account_id: person.accountId });
    });

    it("a wrong code leaves the challenge usable; a used challenge is dead", async () => {
      const { secret } = await enrol();
      const token = await challenge();
      expect(code(await verify(token, wrong(secret)))).to.deep.equal([400, "two_factor_code_invalid"]);
      expect((await verify(token, totp(secret))).status).to.be.oneOf([200, 204]);
      await forgetStep();
      expect(code(await verify(token, totp(secret)))).to.deep.equal([401, "two_factor_challenge_invalid"]);
    });

    it("replays nothing: not from sign-in, not from confirming", async () => {
      const { secret } = (await session.post("/auth/2fa/setup")).body;
      const first = totp(secret);
      await session.post("/auth/2fa/confirm", { code: first });
      expect(code(await verify(await challenge(), first))).to.deep.equal([400, "two_factor_code_invalid"]);
      const next = totp(secret, 1);
      expect((await verify(await challenge(), next)).status).to.be.oneOf([200, 204]);
      expect(code(await verify(await challenge(), next))).to.deep.equal([400, "two_factor_code_invalid"]);
      expect(code(await session.post("/auth/2fa/backup-codes", { code: next }))).to.deep.equal([400, "two_factor_code_invalid"]);
    });

    it("a backup code works once, in any case and spelling; of 50 at once one wins", async () => {
      const { codes } = await enrol();
      const [one, two] = codes as [string, string];
      expect((await verify(await challenge(), one.toUpperCase().replace("-", " "), "backup")).status).to.be.oneOf([200, 204]);
      expect(code(await verify(await challenge(), one, "backup"))).to.deep.equal([400, "two_factor_code_invalid"]);
      expect((await session.get("/auth/2fa")).body.backup_codes_remaining).to.equal(9);
      const tokens = await Promise.all(Array.from({ length: 50 }, challenge));
      const answers = await Promise.all(tokens.map((token) => verify(token, two, "backup")));
      expect(answers.filter(({ status }) => status < 300)).to.have.length(1);
    });

    it("of two verifications with one challenge at once one succeeds", async () => {
      const { codes } = await enrol();
      const token = await challenge();
      const answers = await Promise.all(codes.slice(0, 5).map((one) => verify(token, one, "backup")));
      expect(answers.filter(({ status }) => status < 300)).to.have.length(1);
      expect(answers.filter(({ status }) => status === 401)).to.have.length(4);
    });

    it("locks every factor after eight failures in a row, right codes included, and starts counting again after 15 minutes", async () => {
      const { secret, codes } = await enrol();
      const token = await challenge();
      for (let failure = 1; failure <= 8; failure++)
        expect(code(await verify(token, wrong(secret), failure % 2 ? "totp" : "sms"))).to.deep.equal([
          400,
          "two_factor_code_invalid",
        ]);
      const locked = await verify(token, totp(secret));
      expect(code(locked)).to.deep.equal([429, "two_factor_locked"]);
      expect(Number(locked.headers["retry-after"])).to.be.within(1, 900);
      expect(code(await verify(token, codes[0] as string, "backup"))).to.deep.equal([429, "two_factor_locked"]);
      expect(code(await session.post("/auth/2fa/backup-codes", { code: totp(secret) }))).to.deep.equal([
        429,
        "two_factor_locked",
      ]);
      expect((await lastActions()).map(({ action }) => action)).to.include("sign_in.lock");
      await service.sql.query(
        "update two_factors set last_failure_at = now() - interval '15 minutes 1 second' where account_id = $1",
        [person.accountId],
      );
      expect(code(await verify(token, wrong(secret)))).to.deep.equal([400, "two_factor_code_invalid"]);
      expect((await verify(token, totp(secret))).status).to.be.oneOf([200, 204]);
      const { rows } = await service.sql.query("select failures from two_factors where account_id = $1", [person.accountId]);
      expect(rows[0].failures).to.equal(0);
    });

    it("counts every one of many wrong codes sent at once", async () => {
      const { secret } = await enrol();
      const token = await challenge();
      await Promise.all(Array.from({ length: 8 }, () => verify(token, wrong(secret))));
      expect(code(await verify(token, totp(secret)))).to.deep.equal([429, "two_factor_locked"]);
    });

    for (const [what, spoil] of [
      [
        "expired",
        () => service.sql.query("update sign_in_challenges set expires_at = now() where account_id = $1", [person.accountId]),
      ],
      [
        "of a disabled account",
        () => service.sql.query("update accounts set is_active = false where id = $1", [person.accountId]),
      ],
      ["of a member who left", () => service.sql.query("delete from memberships where id = $1", [person.membershipId])],
      ["whose factor was removed", () => service.sql.query("delete from two_factors where account_id = $1", [person.accountId])],
    ] as const)
      it(`a challenge ${what} is 401`, async () => {
        const { secret } = await enrol();
        const token = await challenge();
        await spoil();
        expect(code(await verify(token, totp(secret)))).to.deep.equal([401, "two_factor_challenge_invalid"]);
      });

    it("a forged challenge, or one of another organisation's host, is 401", async () => {
      const { secret } = await enrol();
      const other = await service.tenant();
      const token = await challenge();
      expect(code(await verify("0".repeat(64), totp(secret)))).to.deep.equal([401, "two_factor_challenge_invalid"]);
      expect(code(await verify(token, totp(secret), "totp", other.host))).to.deep.equal([401, "two_factor_challenge_invalid"]);
    });

    it("is never asked of a key", async () => {
      await enrol();
      expect((await person.get("/companies")).status).to.equal(200);
    });
  });
});
