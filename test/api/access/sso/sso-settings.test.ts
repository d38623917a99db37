import { expect } from "chai";
import pg from "pg";
import { until } from "../../../support/jobs.ts";
import { type SigningOn, startSigningOn } from "../../../support/oidc/signing-on.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { waitingFor } from "../../../support/waiting.ts";

describe("single sign-on settings", () => {
  let service: TestService;
  let signing: SigningOn;
  let tenant: Tenant;
  const put = (values: object = {}, as = tenant.owner) => as.put("/settings/sso", signing.settings(values));
  const read = async () => (await tenant.owner.get("/settings/sso")).body;
  const test = async () => (await tenant.owner.post("/settings/sso/test")).body;
  const lines = async () =>
    (
      await service.sql.query(
        "select action, detail from access_audit where organisation_id = $1 and action like 'sso.%' order by created_at, id",
        [tenant.organisation.id],
      )
    ).rows;

  before(async () => {
    service = await sharedService();
    signing = await startSigningOn(service);
  });
  after(async () => {
    await signing.stop();
    await service.stop();
  });
  beforeEach(async () => {
    signing.provider.broken.clear();
    tenant = await service.tenant();
  });

  describe("GET /settings/sso", () => {
    it("gives the defaults where nothing was saved, with this host's callback and the system roles", async () => {
      const { role_options, ...rest } = await read();
      expect(rest).to.deep.equal({
        enabled: false,
        enforced: false,
        name: "SSO",
        discovery_url: null,
        client_id: null,
        secret_configured: false,
        default_role: "member",
        auto_provision: true,
        tested: false,
        callback_url: `http://${tenant.host}/api/v1/auth/oidc/callback`,
        weak_encryption_key: false,
      });
      expect(role_options.map(({ key }: { key: string }) => key)).to.deep.equal(["owner", "admin", "member", "client"]);
      expect(role_options[0].name_i18n).to.have.property("en");
    });

    it("names the callback of the requested host", async () => {
      const host = `sso-${tenant.organisation.slug}.example`;
      await service.sql.query(
        "insert into organisation_domains (organisation_id, hostname, verified_at) values ($1, $2, now())",
        [tenant.organisation.id, host],
      );
      const { body } = await service.call("GET", "/settings/sso", { host, key: tenant.owner.key });
      expect(body.callback_url).to.equal(`http://${host}/api/v1/auth/oidc/callback`);
    });
  });

  describe("PUT /settings/sso", () => {
    it("replaces everything but the secret, which no answer shows and which lies encrypted", async () => {
      const first = await put({ name: "Staff", default_role: "client", auto_provision: false });
      expect(first.status).to.equal(200);
      expect(first.body).to.include({ name: "Staff", default_role: "client", auto_provision: false, secret_configured: true });
      const { client_id, client_secret } = signing.provider.client;
      for (const kept of [undefined, null, ""]) {
        const again = await put({ client_secret: kept, name: "Other", auto_provision: undefined });
        expect(again.body).to.include({ name: "Other", auto_provision: true, secret_configured: true, client_id });
        expect(again.text + (await tenant.owner.get("/settings/sso")).text).to.not.contain(client_secret);
      }
      const { rows } = await service.sql.query("select client_secret from sso_settings where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows[0].client_secret).to.match(/^v1\./);
      expect((await put({ enabled: false, discovery_url: undefined, client_id: " " })).body).to.include({
        discovery_url: null,
        client_id: null,
      });
    });

    it("sends no stored secret to an address with another scheme, host or port", async () => {
      const { discovery_url } = (await put()).body;
      const other = new URL(discovery_url);
      other.port = "65001";
      const moved = { discovery_url: other.href, client_secret: undefined };
      const refused = await put(moved);
      expect([refused.status, refused.body.error.fields]).to.deep.equal([422, { client_secret: "errors.required" }]);
      expect((await put({ ...moved, enabled: false })).body).to.include({ secret_configured: false });
      expect((await put({ client_secret: undefined, enabled: false })).body).to.include({ secret_configured: false });
      expect((await put()).body).to.include({ secret_configured: true });
      const path = { discovery_url: `${discovery_url}?tenant=2`, client_secret: undefined };
      expect((await put(path)).body).to.include({ secret_configured: true });
    });

    const refusals: [string, object, object][] = [
      ["an address that is none", { discovery_url: "not an address" }, { discovery_url: "errors.invalid_url" }],
      ["an address of another scheme", { discovery_url: "ftp://idp.test/x" }, { discovery_url: "errors.invalid_url" }],
      ["an address without a host", { discovery_url: "https://" }, { discovery_url: "errors.invalid_url" }],
      ["an address with a password in it", { discovery_url: "https://a:b@idp.test" }, { discovery_url: "errors.invalid_url" }],
      [
        "being enabled without any of the three",
        { discovery_url: null, client_id: "", client_secret: null },
        { discovery_url: "errors.required", client_id: "errors.required", client_secret: "errors.required" },
      ],
      ["being enforced without being enabled", { enabled: false, enforced: true }, { enforced: "errors.validation" }],
      ["a default role that is none", { default_role: "nonsense" }, { default_role: "errors.validation" }],
      ["no name", { name: "" }, { name: "errors.validation" }],
    ];
    for (const [what, values, fields] of refusals)
      it(`refuses ${what}`, async () => {
        const { status, body } = await put(values);
        expect([status, body.error.code, body.error.fields]).to.deep.equal([422, "validation", fields]);
        expect((await read()).name).to.equal("SSO");
      });

    it("takes first settings that several callers save at the same time", async () => {
      const holder = new pg.Client({ connectionString: service.database.owner });
      await holder.connect();
      try {
        await holder.query("begin");
        await holder.query("insert into sso_settings (id, organisation_id) values (gen_random_uuid(), $1)", [
          tenant.organisation.id,
        ]);
        const answers = ["One", "Two", "Three"].map((name) => put({ name }));
        await until(async () => (await waitingFor(holder)) === 3);
        await holder.query("rollback");
        for (const { status, text } of await Promise.all(answers)) expect(status, text).to.equal(200);
      } finally {
        await holder.end();
      }
    });

    it("takes a disabled draft that is half filled", async () => {
      expect((await put({ enabled: false, discovery_url: null, client_id: null, client_secret: null })).status).to.equal(200);
    });

    it("wants settings.roles.manage too for a default role that administers access", async () => {
      const admin = await tenant.member("member", { grants: ["settings.auth.manage"] });
      await service.sql.query("insert into roles (organisation_id, key, permissions) values ($1, 'boss', $2)", [
        tenant.organisation.id,
        ["settings.roles.manage"],
      ]);
      for (const default_role of ["owner", "admin"]) expect((await put({ default_role }, admin)).status).to.equal(403);
      expect((await put({ default_role: "boss" }, admin)).status, "no system role").to.equal(422);
      expect((await put({ default_role: "member" }, admin)).status).to.equal(200);
      expect((await put({ default_role: "admin" })).status).to.equal(200);
      await service.sql.query("update roles set permissions = $2 where organisation_id = $1 and key = 'member'", [
        tenant.organisation.id,
        ["settings.roles.manage"],
      ]);
      expect((await put({ default_role: "member" }, admin)).status, "it carries administration by now").to.equal(403);
    });

    it("takes If-Match, and is nothing where nothing changes", async () => {
      const first = await put();
      const again = await put({});
      expect(again.headers.etag).to.equal(first.headers.etag);
      const send = (tag: string) =>
        tenant.owner.put("/settings/sso", signing.settings({ name: "New" }), { headers: { "If-Match": tag } });
      expect((await send('"99"')).status).to.equal(412);
      expect((await send(first.headers.etag as string)).status).to.equal(200);
      expect((await lines()).map(({ detail }) => detail.changed)).to.deep.equal([
        ["enabled", "name", "discovery_url", "client_id", "client_secret"],
        ["name"],
      ]);
    });
  });

  describe("POST /settings/sso/test", () => {
    it("reads the discovery document and marks the connection as tested", async () => {
      await put();
      expect((await read()).tested).to.equal(false);
      expect(await test()).to.deep.equal({ ok: true, issuer: signing.provider.issuer, error: null });
      expect((await read()).tested).to.equal(true);
      expect((await lines()).at(-1)).to.deep.equal({ action: "sso.test", detail: { ok: true } });
    });

    it("works on a disabled draft, and says so where there is nothing to test", async () => {
      expect(await test()).to.deep.equal({ ok: false, issuer: null, error: "errors.sso_not_configured" });
      await put({ enabled: false });
      expect((await test()).ok).to.equal(true);
    });

    it("reports the error, always 200, and leaves the marker unchanged", async () => {
      await put();
      await test();
      const path = "/.well-known/openid-configuration";
      const whole = { issuer: "https://a.test", authorization_endpoint: "https://a.test/a", token_endpoint: "https://a.test/t" };
      const bodies: [string | null, string][] = [
        [null, "errors.sso_discovery_failed"],
        ["no json", "errors.sso_discovery_invalid"],
        ["null", "errors.sso_discovery_invalid"],
        [JSON.stringify(whole), "errors.sso_discovery_invalid"],
        [JSON.stringify({ ...whole, jwks_uri: "javascript:1" }), "errors.sso_discovery_invalid"],
      ];
      for (const [body, error] of bodies) {
        signing.provider.broken.set(path, body);
        expect(await test()).to.deep.equal({ ok: false, issuer: null, error });
      }
      expect((await read()).tested).to.equal(true);
      signing.provider.broken.set(path, JSON.stringify({ ...whole, jwks_uri: "https://a.test/k" }));
      expect((await test()).ok).to.equal(true);
    });

    const unreachable: [string, string][] = [
      ["http://169.254.169.254/latest/meta-data", "errors.sso_address_refused"],
      ["http://[fe80::1]/", "errors.sso_address_refused"],
      ["http://[::ffff:169.254.169.254]/", "errors.sso_address_refused"],
      ["https://127.0.0.1:65001/", "errors.sso_unreachable"],
    ];
    for (const [discovery_url, error] of unreachable)
      it(`answers ${error} for ${discovery_url}`, async () => {
        await put({ discovery_url });
        expect(await test()).to.deep.equal({ ok: false, issuer: null, error });
      });
  });

  describe("enforcing", () => {
    const enforce = (values: object = {}) => put({ enforced: true, ...values });
    const refused = async (answer: ReturnType<typeof put>) => {
      const { status, body } = await answer;
      expect([status, body.error]).to.deep.equal([
        422,
        {
          code: "sso_test_required",
          message: "errors.sso_test_required",
          fields: { enforced: "errors.sso_test_required" },
        },
      ]);
    };

    it("takes a connection that was tested as it is stored", async () => {
      await refused(enforce());
      await put();
      await refused(enforce());
      await test();
      expect((await enforce()).body).to.include({ enforced: true, tested: true });
      expect((await enforce({ client_secret: undefined, name: "Another name" })).status).to.equal(200);
    });

    it("needs another test after another address, client or secret, and none after the same secret", async () => {
      await put();
      await test();
      for (const values of [
        { discovery_url: `${signing.provider.discoveryUrl}?x` },
        { client_id: "another" },
        { client_secret: "another" },
      ]) {
        await refused(enforce(values));
        expect((await read()).tested).to.equal(true);
        expect((await put(values)).body.tested).to.equal(false);
        await refused(enforce(values));
        await put();
        await test();
      }
      expect((await enforce()).status).to.equal(200);
    });
  });

  it("gives the sign-in page its options", async () => {
    const offered = async () => {
      const { body } = await service.call("GET", "/meta/modules", { host: tenant.host });
      const { local_login_enabled, oidc_enabled, oidc_name } = body;
      return { local_login_enabled, oidc_enabled, oidc_name };
    };
    const page = async () => (await service.call("GET", "//login?next=/account", { host: tenant.host })).text;
    expect(await offered()).to.deep.equal({ local_login_enabled: true, oidc_enabled: false, oidc_name: null });
    expect(await page()).to.not.contain("oidc");
    await signing.use(tenant, { name: "Staff <login>" });
    expect(await offered()).to.deep.equal({ local_login_enabled: true, oidc_enabled: true, oidc_name: "Staff <login>" });
    expect(await page())
      .to.contain('href="/api/v1/auth/oidc/login?next=%2Faccount"')
      .and.contain("Staff &#60;login&#62;")
      .and.contain('name="password"');
    await signing.use(tenant, { enforced: true });
    expect(await offered()).to.deep.equal({ local_login_enabled: false, oidc_enabled: true, oidc_name: "Staff login" });
    expect(await page())
      .to.contain("/auth/oidc/login")
      .and.not.contain('name="password"')
      .and.not.contain("/forgot-password");
  });
});
