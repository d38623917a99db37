import { expect } from "chai";
import { lastMailTo } from "../../support/mail/mailed.ts";
import { hiddenIn, type PageCall, sessionOf, visitPage } from "../../support/pages.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { totp } from "../../support/totp.ts";

const PASSWORD = "correct horse battery";

describe("pages", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;

  const visit = (method: string, path: string, { headers = {}, ...call }: PageCall = {}) =>
    visitPage(service.port, headers["Host"] ?? tenant.host, method, path, { ...call, headers });
  const get = (path: string, options = {}) => visit("GET", path, options);
  const post = (path: string, form: Record<string, string>, options = {}) => visit("POST", path, { form, ...options });
  const signedIn = async () => sessionOf(await post("/login", { username: person.email, password: PASSWORD }));

  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());
  beforeEach(async () => {
    person = await tenant.member("member", { password: PASSWORD, name: "Bert <b>Jansen</b>" });
  });

  it("keep their visitors signed in: the session slides, and its cookie with it", async () => {
    const idle = "update sessions set last_used_at = now() - interval '2 days' where account_id = $1";
    const [cookie, other] = [await signedIn(), await signedIn()];
    await service.sql.query(idle, [person.accountId]);
    const renewed = await get("/account", { cookie });
    expect(renewed.headers["set-cookie"]?.map((one) => one.split("; ").at(-1))).to.deep.equal(["Max-Age=604800"]);
    expect(sessionOf(renewed)).to.equal(cookie);
    expect((await get("/account", { cookie })).headers["set-cookie"], "once in a while").to.equal(undefined);
    const left = await post("/logout", {}, { cookie: other });
    expect(
      left.headers["set-cookie"]?.map((one) => one.split("; ").at(-1)),
      "leaving counts more",
    ).to.deep.equal(["Max-Age=0", "Max-Age=0"]);
  });

  it("come with a policy that allows nothing from elsewhere, and are not cached", async () => {
    const { status, headers, text } = await get("/login");
    expect(status).to.equal(200);
    expect(headers["content-security-policy"]).to.match(
      /^default-src 'none'; style-src 'self' 'nonce-[^']+'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(headers["cache-control"]).to.equal("no-store");
    expect(headers["x-frame-options"]).to.equal("DENY");
    expect(text).to.not.match(/<script|\son[a-z]+=|style="/);
    const style = /href="(\/pages\/[0-9a-f]{16}\.css)"/.exec(text)?.[1] as string;
    const sheet = await get(style);
    expect([sheet.status, sheet.headers["cache-control"]]).to.deep.equal([200, "public, max-age=31536000, immutable"]);
  });

  it("show the organisation's name, colour and logo, and nothing that would run", async () => {
    const fresh = await service.tenant();
    const branding = {
      brand_name: "Noord & <script>Zuid",
      primary_color: "#ffdd00",
      logo_url: "https://cdn.example.com/logo.png",
    };
    await fresh.owner.patch("/meta/tenant", branding);
    const { text, headers } = await get("/login", { headers: { Host: fresh.host } });
    expect(text).to.contain("Noord &#38; &#60;script&#62;Zuid").and.to.not.contain("<script>");
    expect(text).to.contain(":root{--brand:#ffdd00;--on-brand:#000}");
    expect(text).to.contain('<img src="https://cdn.example.com/logo.png" alt="">');
    expect(headers["content-security-policy"]).to.contain("img-src 'self' https://cdn.example.com;");
  });

  it("speak the language asked for, chosen before, or the browser's", async () => {
    const language = async (path: string, headers = {}) => /<html lang="(..)">/.exec((await get(path, { headers })).text)?.[1];
    expect(await language("/login")).to.equal("nl");
    expect(await language("/login", { "Accept-Language": "en-GB,nl;q=0.5" })).to.equal("en");
    expect(await language("/login", { "Accept-Language": "fr" })).to.equal("nl");
    expect(await language("/login?lang=en")).to.equal("en");
    expect(await language("/login", { Cookie: "kantoor_language=en" })).to.equal("en");
    expect((await get("/login?lang=en")).headers["set-cookie"]?.[0]).to.match(/^kantoor_language=en; /);
  });

  it("sign in, go on where the visitor was, and sign out", async () => {
    const done = await post("/login", { username: person.email, password: PASSWORD, next: "/account?x=1" });
    expect([done.status, done.headers.location]).to.deep.equal([303, "/account?x=1"]);
    const cookie = sessionOf(done);
    const { status, text } = await get("/account", { cookie });
    expect(status).to.equal(200);
    expect(text).to.contain("Bert &#60;b&#62;Jansen&#60;/b&#62;").and.to.not.contain("<b>Jansen");
    const left = await post("/logout", {}, { cookie });
    expect([left.status, left.headers.location]).to.deep.equal([303, "/login"]);
    expect((await get("/account", { cookie })).headers.location).to.equal("/login?next=/account");
  });

  for (const next of ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
    it(`never go on to ${next}`, async () => {
      const done = await post("/login", { username: person.email, password: PASSWORD, next });
      expect(done.headers.location).to.equal("/account");
    });

  it("go on to an address with letters of any alphabet", async () => {
    const done = await post("/login", { username: person.email, password: PASSWORD, next: "/account?q=%2F☃ €" });
    expect([done.status, done.headers.location]).to.deep.equal([303, "/account?q=%2F%E2%98%83%20%E2%82%AC"]);
    expect((await get("/account", { cookie: sessionOf(done) })).status).to.equal(200);
  });

  it("answer a wrong first code without its picture, or with one no picture holds, in words", async () => {
    const cookie = await signedIn();
    await post("/account/two-factor/setup", {}, { cookie });
    for (const address of ["", `otpauth://totp/${"x".repeat(5_000)}`]) {
      const form = { code: "000000", otpauth_url: address };
      const { status, text } = await post("/account/two-factor/confirm", form, { cookie });
      expect([status, text.includes('role="alert"')]).to.deep.equal([400, true]);
    }
  });

  it("name the error above the form, keep the address and not the password", async () => {
    const { status, text } = await post("/login", { username: person.email, password: "wrong password" });
    expect(status).to.equal(400);
    expect(text).to.contain('role="alert"').and.to.contain("klopt niet").and.to.contain(`value="${person.email}"`);
    expect(text).to.contain('aria-invalid="true"').and.to.not.contain("wrong password");
  });

  it("refuse a form from another site", async () => {
    const form = { username: person.email, password: PASSWORD };
    for (const headers of [{ Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }, { Origin: "null" }])
      expect((await post("/login", form, { headers })).status).to.equal(403);
  });

  it("take the second step, with another kind of code where the app is lost", async () => {
    const cookie = await signedIn();
    const enrolment = await post("/account/two-factor/setup", {}, { cookie });
    const secret = /<span class="secret">([A-Z2-7]{32})<\/span>/.exec(enrolment.text)?.[1] as string;
    expect(enrolment.text).to.contain("<svg");
    const again = { otpauth_url: hiddenIn(enrolment, "otpauth_url").replaceAll("&#38;", "&"), secret };
    const mistyped = await post("/account/two-factor/confirm", { ...again, code: "000000" }, { cookie });
    expect(mistyped.text).to.contain("Die code klopt niet").and.to.contain(secret).and.to.contain("<svg");
    const on = await post("/account/two-factor/confirm", { ...again, code: totp(secret) }, { cookie });
    const codes = [...on.text.matchAll(/<li>([0-9a-f]{5}-[0-9a-f]{5})<\/li>/g)].map(([, code]) => code as string);
    expect(codes).to.have.length(10);

    const asked = await post("/login", { username: person.email, password: PASSWORD });
    expect([asked.status, sessionOf(asked)]).to.deep.equal([200, ""]);
    const carried = {
      challenge_token: hiddenIn(asked, "challenge_token"),
      methods: hiddenIn(asked, "methods"),
      next: "/account",
    };
    const wrong = await post("/login/code", { ...carried, method: "totp", code: "000000" });
    expect(wrong.status).to.equal(400);
    expect(wrong.text).to.contain("Die code klopt niet");
    const other = await post("/login/method", { ...carried, method: "backup" });
    expect(other.text).to.contain("Reservecode");
    const done = await post("/login/code", { ...carried, method: "backup", code: codes[0] as string });
    expect([done.status, done.headers.location]).to.deep.equal([303, "/account"]);
    expect((await get("/account", { cookie: sessionOf(done) })).text).to.contain("9 ongebruikte reservecodes");
    const late = await post("/login/code", { ...carried, method: "backup", code: codes[1] as string });
    expect(late.text).to.contain("Begin opnieuw");
    const off = await post("/account/two-factor/disable", { password: PASSWORD }, { cookie });
    expect(off.text).to.contain("Tweestapsverificatie staat uit");
  });

  it("lead from a forgotten password to a new one", async () => {
    const asked = await post("/forgot-password", { email: person.email });
    expect(asked.text).to.contain("mail onderweg");
    expect((await post("/forgot-password", { email: "nobody@example.com" })).text).to.equal(
      asked.text.replace(/nonce-[^']+/, ""),
    );
    const { token } = await lastMailTo(service.sql, person.email);
    const page = await get(`/reset-password?token=${token}`);
    expect(hiddenIn(page, "token")).to.equal(token);
    const short = await post("/reset-password", { token, password: "short" });
    expect(short.text).to.contain("te kort").and.to.contain(token);
    expect((await post("/reset-password", { token, password: "a much better one" })).text).to.contain(
      "Je wachtwoord is opgeslagen",
    );
    expect((await post("/reset-password", { token, password: "once more please" })).text).to.contain("verlopen of al gebruikt");
    expect((await post("/login", { username: person.email, password: "a much better one" })).status).to.equal(303);
  });

  it("welcome an invited person, and confirm an address only by the button", async () => {
    const email = `invited${Date.now()}@example.com`;
    await tenant.owner.post("/members/invite", { email });
    const { token } = await lastMailTo(service.sql, email);
    expect((await get(`/accept-invite?token=${token}`)).text).to.contain("Welkom");
    expect((await post("/accept-invite", { token, password: PASSWORD })).text).to.contain("Je wachtwoord is opgeslagen");
    await service.sql.query("update accounts set is_verified = false where email = $1", [email]);
    await service.call("POST", "/auth/request-verify-token", { host: tenant.host, body: { email } });
    const verification = (await lastMailTo(service.sql, email)).token;
    const verified = async () =>
      (await service.sql.query("select is_verified from accounts where email = $1", [email])).rows[0].is_verified;
    await get(`/verify?token=${verification}`);
    expect(await verified()).to.equal(false);
    expect((await post("/verify", { token: verification })).text).to.contain("is bevestigd");
    expect(await verified()).to.equal(true);
  });

  describe("my account", () => {
    it("changes name, password and address, each with its refusal in words", async () => {
      const cookie = await signedIn();
      expect((await post("/account/name", { full_name: "Bert" }, { cookie })).text).to.contain('value="Bert"');
      expect((await post("/account/password", { password: "short" }, { cookie })).text).to.contain("te kort");
      expect((await post("/account/password", { password: "a much better one" }, { cookie })).text).to.contain(
        "Je wachtwoord is gewijzigd",
      );
      const wrong = await post("/account/email", { email: "x@example.com", password: "wrong" }, { cookie });
      expect(wrong.text).to.contain("Het wachtwoord klopt niet");
      const moved = `moved${Date.now()}@example.com`;
      expect((await post("/account/email", { email: moved, password: "a much better one" }, { cookie })).text).to.contain(moved);
    });

    it("shows sessions and ends another one", async () => {
      const [other, cookie] = [await signedIn(), await signedIn()];
      const page = await get("/account", { cookie });
      const id = hiddenIn(page, "id");
      expect((await post("/account/sessions/end", { id }, { cookie })).text).to.contain("Afgemeld op dat apparaat");
      expect((await get("/account", { cookie: other })).status).to.equal(303);
      expect((await get("/account", { cookie })).status).to.equal(200);
    });

    it("makes a key that is shown once and works, and revokes it", async () => {
      const cookie = await signedIn();
      const made = await post(
        "/account/keys/create",
        { name: "script", scope: "companies.company.read", expires_on: "" },
        { cookie },
      );
      const secret = /kt_[0-9a-f]{12}_[0-9a-f]{64}/.exec(made.text)?.[0] as string;
      expect((await service.call("GET", "/companies", { host: tenant.host, key: secret })).status).to.equal(200);
      const again = await get("/account", { cookie });
      expect(again.text).to.contain("script").and.to.not.contain(secret);
      const id = /action="\/account\/keys\/revoke#keys"><input type="hidden" name="id" value="([^"]+)"/.exec(
        again.text,
      )?.[1] as string;
      expect((await post("/account/keys/revoke", { id }, { cookie })).text).to.contain("ingetrokken");
      expect((await get("/account", { cookie })).text).to.not.contain(id);
      expect((await service.call("GET", "/companies", { host: tenant.host, key: secret })).status).to.equal(401);
    });

    it("offers only the person's own permissions as scopes", async () => {
      const { text } = await get("/account", { cookie: await signedIn() });
      expect(text).to.contain('value="leave.request.read:own"').and.to.not.contain("settings.roles.manage");
    });
  });

  it("answer 404 on an unknown host, and 413 to an oversized form", async () => {
    expect((await get("/login", { headers: { Host: "nobody.kantoor.test" } })).status).to.equal(404);
    expect((await post("/login", { username: "x".repeat(70_000), password: "x" })).status).to.equal(413);
  });
});
