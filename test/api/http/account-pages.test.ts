import { expect } from "chai";
import { runtime } from "../../../core/config/runtime.ts";
import { hiddenIn, type PageCall, sessionOf, visitPage } from "../../support/pages.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";

const PASSWORD = "correct horse battery";
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0";
const HTML = { Accept: "text/html,application/xhtml+xml" };

describe("the page of one's own account", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  let cookie: string;
  const visit = (method: string, path: string, call: PageCall = {}) =>
    visitPage(service.port, tenant.host, method, path, { cookie, ...call });
  const page = (headers = {}) => visit("GET", "/account", { headers });
  const post = (path: string, form: [string, string][]) => visit("POST", path, { form });
  const signedIn = async (who: Caller, headers = {}) =>
    sessionOf(
      await visitPage(service.port, tenant.host, "POST", "/login", {
        form: { username: who.email, password: PASSWORD },
        headers,
      }),
    );
  const keys = async () =>
    (
      await service.sql.query("select name, scopes, expires_at from api_keys where account_id = $1 and name not like '%@%'", [
        person.accountId,
      ])
    ).rows;
  const plain = (text: string) =>
    text
      .replace(/<[^>]+>/g, "")
      .replace(/\s+/g, " ")
      .replaceAll("&#39;", "'");

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    person = await tenant.member("member", { password: PASSWORD, name: "Bert Jansen" });
    cookie = await signedIn(person, { "User-Agent": FIREFOX });
  });

  it("shows the organisation's logo, icon and colour where they are set", async () => {
    expect((await page()).text).to.not.match(/<img|rel="icon"/);
    const branding = {
      primary_color: "#0b6e4f",
      logo_url: "https://cdn.example.com/logo.png",
      icon_url: "https://icons.example.com/icon.png",
    };
    expect((await tenant.owner.patch("/meta/tenant", branding)).status).to.equal(200);
    const { text, headers } = await page();
    expect(text).to.contain('<img src="https://cdn.example.com/logo.png" alt="">').and.to.contain("--brand:#0b6e4f");
    expect(text).to.contain('<link rel="icon" href="https://icons.example.com/icon.png">');
    expect(headers["content-security-policy"]).to.contain("img-src 'self' https://cdn.example.com https://icons.example.com;");
  });

  it("names devices as people do, with the time of the organisation's clock", async () => {
    await service.sql.query("update sessions set last_used_at = '2026-01-31T23:30:00Z' where account_id = $1", [
      person.accountId,
    ]);
    await tenant.owner.patch("/meta/tenant", { timezone: "Asia/Tokyo" });
    const other = await signedIn(person);
    const { text } = await visit("GET", "/account", { cookie: other });
    expect(text).to.contain("Firefox op Windows").and.to.contain("Onbekend apparaat").and.to.not.contain("Mozilla/5.0");
    expect(text).to.contain('<time datetime="2026-01-31T23:30:00+00:00">1 feb 2026, 08:30 GMT+9</time>');
    const english = await visit("GET", "/account", { cookie: other, headers: { "Accept-Language": "en" } });
    expect(english.text).to.contain("Firefox on Windows");
  });

  describe("makes a key", () => {
    const form = (more: [string, string][] = [], name = "script"): [string, string][] => [["name", name], ...more];
    const READ: [string, string] = ["scope", "companies.company.read"];

    it("valid through a day, which ends where the organisation is", async () => {
      const inADay = async (zone: string, day: string) => {
        await tenant.owner.patch("/meta/tenant", { timezone: zone });
        await post("/account/keys/create", form([READ, ["expires_on", day]], zone));
        const made = (await keys()).find(({ name }) => name === zone);
        return new Date(made.expires_at).toISOString();
      };
      // A day in winter within a year from now.
      const now = new Date();
      const isJanuary = now.getUTCMonth() === 0;
      const year = now.getUTCFullYear() + (isJanuary ? 0 : 1);
      const [day, next, named, after] = isJanuary
        ? [`${year}-11-30`, `${year}-12-01`, "30 november", "1 dec"]
        : [`${year}-01-31`, `${year}-02-01`, "31 januari", "1 feb"];
      expect(await inADay("Europe/Amsterdam", day)).to.equal(`${day}T23:00:00.000Z`);
      expect(await inADay("America/New_York", day)).to.equal(`${next}T05:00:00.000Z`);
      expect(await inADay("Asia/Tokyo", day)).to.equal(`${day}T15:00:00.000Z`);
      const { text } = await page();
      expect(text).to.contain(`geldig tot en met ${named} ${year}`).and.to.contain("Asia/Tokyo");
      expect(text, "what ends within a day of this clock").to.match(
        new RegExp(`geldig tot <time [^>]+>${after} \\d{4}, 08:00 GMT\\+9`),
      );
    });

    it("of scopes with names in the page's language, in groups with all of each", async () => {
      const dutch = await page();
      expect(dutch.text)
        .to.match(/<summary>Klanten \(\d+\)<\/summary>/)
        .and.to.contain("Alles hiervan");
      expect(plain(dutch.text)).to.contain("Klanten bekijken").and.to.contain("Verlofaanvragen bekijken (alleen eigen)");
      const english = await page({ "Accept-Language": "en" });
      expect(plain(english.text)).to.contain("View clients").and.to.contain("View leave requests (one's own only)");
      await post("/account/keys/create", form([["scope_group", "contacts"], READ]));
      const held = (await service.call("GET", "/meta/me", { host: tenant.host, cookie })).body.permissions as string[];
      const [made] = await keys();
      expect(made.scopes).to.have.members([READ[1], ...held.filter((grant) => grant.startsWith("contacts."))]);
    });

    it("once, however often the page that made it is loaded again", async () => {
      const once = hiddenIn(await page(), "once");
      expect(once).to.match(/^[0-9a-f-]{36}$/);
      const sent = form([["once", once], READ]);
      const made = await post("/account/keys/create", sent);
      expect(made.text).to.match(/kt_[0-9a-f]{12}_[0-9a-f]{64}/);
      const again = await post("/account/keys/create", sent);
      expect(again.status).to.equal(409);
      expect(again.text)
        .to.contain("Deze sleutel is al gemaakt")
        .and.to.not.match(/kt_[0-9a-f]{12}_[0-9a-f]{64}/);
      expect(await keys()).to.have.length(1);
      const fresh = hiddenIn(again, "once");
      expect(fresh).to.not.equal(once);
      await post("/account/keys/create", form([["once", fresh], READ], "another"));
      expect(await keys()).to.have.length(2);
    });

    it("or names the missing field and keeps the input", async () => {
      const bare = await post("/account/keys/create", [
        ["name", ""],
        ["expires_on", "2020-01-31"],
      ]);
      expect(bare.status).to.equal(422);
      expect(bare.text).to.contain("Geef de sleutel een naam").and.to.contain("Kies minstens één recht.");
      const refused = await post("/account/keys/create", form([READ, ["scope_group", "leave"], ["expires_on", "2020-01-31"]]));
      expect(refused.text).to.contain("Die datum is voorbij.");
      expect(refused.text)
        .to.match(/id="key-name"[^>]* value="script"/)
        .and.to.match(/id="key-expires"[^>]* value="2020-01-31"/);
      expect(refused.text).to.match(/id="key-expires"[^>]* aria-invalid="true"/);
      for (const [name, value] of [READ, ["scope_group", "leave"]])
        expect(refused.text).to.contain(`name="${name}" value="${value}" checked>`);
      expect(refused.text.match(/ checked>/g)).to.have.length(2);
      expect(await keys()).to.deep.equal([]);
      const nonsense = await post("/account/keys/create", form([READ, ["expires_on", "soon"]]));
      expect(nonsense.text).to.contain("Vul een datum in als jjjj-mm-dd.").and.to.contain('value="soon"');
      expect((await page()).text, "a fresh page is empty").to.not.contain(" checked>");
    });
  });

  it("keeps the input when it refuses a name or an address, and marks the field", async () => {
    const name = await post("/account/name", [["full_name", "x".repeat(256)]]);
    expect(name.text)
      .to.contain("hoogstens 255 tekens")
      .and.to.match(/id="full_name"[^>]* value="x{256}"[^>]* aria-invalid="true"/);
    const wrong = await post("/account/email", [
      ["email", "not an address"],
      ["password", PASSWORD],
    ]);
    expect(wrong.text).to.contain("geldig e-mailadres");
    expect(wrong.text).to.match(/id="email"[^>]* value="not an address"[^>]* aria-invalid="true"/);
    const unsure = await post("/account/email", [
      ["email", "new@example.com"],
      ["password", "wrong"],
    ]);
    expect(unsure.text).to.match(/id="email"[^>]* value="new@example.com"/);
    expect(unsure.text)
      .to.match(/id="email-password"[^>]* aria-invalid="true"/)
      .and.to.not.contain("wrong");
  });

  it("asks for the current password once the sign-in is ten minutes old, and marks the field", async () => {
    const CURRENT = /id="current-password"[^>]* autocomplete="current-password"/;
    expect((await page()).text, "just signed in").to.not.match(CURRENT);
    await service.sql.query("update sessions set created_at = now() - interval '11 minutes' where account_id = $1", [
      person.accountId,
    ]);
    expect((await page()).text).to.match(CURRENT);
    const missing = await post("/account/password", [["password", "another horse battery"]]);
    expect(missing.status).to.equal(422);
    expect(missing.text)
      .to.contain("Vul je huidige wachtwoord in.")
      .and.to.match(/id="current-password"[^>]* aria-invalid="true"/)
      .and.to.not.match(/id="new-password"[^>]* aria-invalid="true"/);
    const wrong = await post("/account/password", [
      ["password", "another horse battery"],
      ["current_password", "a guess"],
    ]);
    expect(wrong.text)
      .to.contain("Het wachtwoord klopt niet.")
      .and.to.match(/id="current-password"[^>]* aria-invalid="true"/);
    const done = await post("/account/password", [
      ["password", "another horse battery"],
      ["current_password", PASSWORD],
    ]);
    expect(done.text).to.contain("Je wachtwoord is gewijzigd.");
  });

  it("leads to the API reference, and an instance administrator to operations and kept mail as well", async () => {
    const links = async () => [...(await page()).text.matchAll(/<li><a href="([^"]+)">/g)].map(([, href]) => href);
    const { config } = runtime();
    expect(await links()).to.deep.equal(["/api/docs"]);
    await service.sql.query("update accounts set is_superuser = true where id = $1", [person.accountId]);
    expect(await links()).to.deep.equal(["/api/docs", "/ops"]);
    const { databaseUrl: _there, ...embedded } = config;
    runtime().config = { ...embedded, databaseUrl: undefined };
    expect(await links()).to.deep.equal(["/api/docs", "/ops", "/ops/mail"]);
    runtime().config = { ...config, apiDocsEnabled: false };
    expect(await links()).to.deep.equal(["/ops"]);
    runtime().config = config;
  });

  it("comes before the operator's pages: without a session they lead to signing in, and back", async () => {
    await service.sql.query("update accounts set is_superuser = true where id = $1", [person.accountId]);
    for (const path of ["/ops", "/ops/jobs", "/ops/jobs/figures", "/ops/mail", "/ops/mail?x=1&y=%2F"]) {
      for (const stale of [undefined, "kantoor_session=ended"]) {
        const { status, headers } = await visit("GET", path, { cookie: stale, headers: HTML });
        expect([status, headers.location]).to.deep.equal([303, `/login?next=${encodeURIComponent(path)}`]);
        expect(headers["cache-control"]).to.equal("no-store");
      }
      expect((await visit("GET", path, { cookie: undefined })).status, "a program gets an error").to.equal(401);
    }
    const { location } = (await visit("GET", "/ops/jobs/figures", { cookie: undefined, headers: HTML })).headers;
    const next = hiddenIn(await visitPage(service.port, tenant.host, "GET", location as string), "next");
    const done = await visitPage(service.port, tenant.host, "POST", "/login", {
      form: { username: person.email, password: PASSWORD, next },
    });
    expect(done.headers.location).to.equal("/ops/jobs/figures");
    const arrived = await visit("GET", "/ops/jobs/figures", { cookie: sessionOf(done), headers: HTML });
    expect(arrived.status).to.equal(200);
    expect((await visit("POST", "/ops/jobs/retry", { cookie: undefined, headers: HTML })).status).to.equal(401);
    const key = { "X-API-Key": person.key, ...HTML };
    expect((await visit("GET", "/ops/jobs", { cookie: undefined, headers: key })).status, "a key is no person").to.equal(401);
    const colleague = await tenant.member("owner", { password: PASSWORD });
    const theirs = await signedIn(colleague);
    expect((await visit("GET", "/ops/jobs", { cookie: theirs, headers: HTML })).status).to.equal(403);
  });
});
