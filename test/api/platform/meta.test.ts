import { expect } from "chai";
import { send } from "../../support/http.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

describe("metadata of organisation and caller", () => {
  let service: TestService;
  let tenant: Tenant;
  let admin: Caller;
  const open = (path: string, host = tenant.host) => send(service.port, "GET", path, { host });
  const suspend = (status: string) =>
    service.sql.query("update organisations set status = $2 where id = $1", [tenant.organisation.id, status]);

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    admin = await tenant.member("admin");
  });

  describe("GET /meta/tenant and /meta/modules", () => {
    it("need no credential and say whose host it is", async () => {
      const { status, body } = await open("/meta/tenant");
      expect(status).to.equal(200);
      expect(body).to.have.all.keys(
        "slug",
        "brand_name",
        "logo_url",
        "icon_url",
        "primary_color",
        "accent_color",
        "locale",
        "timezone",
        "currency",
        "country",
        "enabled_modules",
        "licensed_modules",
        "entitled_modules",
        "posture",
        "suspended",
      );
      expect(body).to.deep.include({
        slug: tenant.organisation.slug,
        brand_name: tenant.organisation.name,
        locale: "nl",
        timezone: "Europe/Amsterdam",
        currency: "EUR",
        country: "NL",
        posture: "self-hosted",
        suspended: false,
      });
      const modules = (await open("/meta/modules")).body;
      expect(modules).to.deep.include({ local_login_enabled: true, oidc_enabled: false, supported_locales: ["nl", "en"] });
      expect(modules.entitled_modules).to.deep.equal(body.entitled_modules);
      expect((await open("/meta/tenant", "nobody.kantoor.test")).status).to.equal(404);
    });

    it("go on while the organisation is suspended, and say so", async () => {
      await suspend("suspended");
      expect((await open("/meta/tenant")).body.suspended).to.equal(true);
      expect((await open("/meta/modules")).status).to.equal(200);
      expect((await admin.get("/meta/me")).status).to.equal(403);
      await suspend("active");
    });
  });

  describe("PATCH /meta/tenant", () => {
    it("changes branding and says so on the trail; a repeat changes nothing", async () => {
      const body = {
        brand_name: "Bureau Noord",
        primary_color: "#0a0a0a",
        logo_url: "https://example.com/logo.png",
        locale: "en",
      };
      expect((await admin.patch("/meta/tenant", body)).body).to.deep.include(body);
      expect((await open("/meta/tenant")).body).to.deep.include(body);
      expect((await admin.patch("/meta/tenant", { brand_name: "", logo_url: "" })).body).to.deep.include({
        brand_name: "Bureau Noord",
        logo_url: null,
      });
      await admin.patch("/meta/tenant", { brand_name: "Bureau Noord" });
      const { rows } = await service.sql.query(
        "select payload from activity where organisation_id = $1 and entity_type = 'organisation' order by created_at, id",
        [tenant.organisation.id],
      );
      expect(rows.map(({ payload }) => Object.keys(payload.changes).sort())).to.deep.equal([
        ["brand_name", "locale", "logo_url", "primary_color"],
        ["logo_url"],
      ]);
    });

    it("names every field that does not hold, and writes nothing", async () => {
      const { status, body } = await admin.patch("/meta/tenant", { primary_color: "red", timezone: "Mars", brand_name: "X" });
      expect([status, Object.keys(body.error.fields).sort()]).to.deep.equal([422, ["primary_color", "timezone"]]);
      expect((await open("/meta/tenant")).body.brand_name).to.equal(tenant.organisation.name);
    });

    it("switches modules by the rules of the licence", async () => {
      const enabled = (await open("/meta/tenant")).body.enabled_modules;
      const put = (enabled_modules: string[]) => admin.patch("/meta/tenant", { enabled_modules });
      expect((await put([...enabled, "magic"])).body.error.fields).to.have.property("enabled_modules");
      expect((await put(enabled.filter((name: string) => name !== "companies"))).status).to.equal(422);
      const without = await put(["companies", "edge"]);
      expect([without.status, without.body.error.code]).to.deep.equal([409, "module_requirements_unmet"]);
      expect((await put(["companies", "domains", "edge"])).body.enabled_modules).to.deep.equal(["companies", "domains", "edge"]);
      await service.sql.query("update installation set installed_at = now() - interval '15 days'");
      const { status, body } = await put(["companies", "domains", "edge", "hr"]);
      expect([status, body.error.code, body.error.fields]).to.deep.equal([
        409,
        "license_required",
        { enabled_modules: "errors.license_required" },
      ]);
      expect((await put(["companies", "domains"])).status).to.equal(200);
      await service.sql.query("update installation set installed_at = now()");
    });

    it("needs settings.branding.write", async () => {
      expect((await (await tenant.member("member")).patch("/meta/tenant", { brand_name: "X" })).status).to.equal(403);
    });
  });

  describe("GET and PATCH /meta/me", () => {
    it("return the caller's identity and current permissions", async () => {
      const { body } = await admin.get("/meta/me");
      expect(body).to.deep.include({
        id: admin.accountId,
        email: admin.email,
        is_portal: false,
        impersonated_by: null,
        locale: null,
      });
      expect(body.permissions).to.include("settings.roles.manage").and.deep.equal(body.permissions.toSorted());
      expect((await (await tenant.member("client")).get("/meta/me")).body.is_portal).to.equal(true);
    });

    it("an owner's session holds the wildcard, an owner's key never", async () => {
      const boss = await tenant.member("owner", { password: "correct horse battery" });
      const cookie = await signIn(service.port, tenant.host, boss.email, "correct horse battery");
      expect((await inSession(service.port, tenant.host, cookie).get("/meta/me")).body.permissions).to.deep.equal(["*"]);
      expect((await boss.get("/meta/me")).body.permissions).to.not.include("*");
    });

    it("change name, language and picture; the picture's own address goes before the provider's", async () => {
      await service.sql.query("update accounts set avatar_url = 'https://sso.example.com/a.png' where id = $1", [
        admin.accountId,
      ]);
      expect((await admin.get("/meta/me")).body.avatar_url).to.equal("https://sso.example.com/a.png");
      const sent = { full_name: " Zoë ", locale: "en", custom_avatar_url: "https://example.com/me.png" };
      expect((await admin.patch("/meta/me", sent)).body).to.deep.include({
        full_name: "Zoë",
        locale: "en",
        avatar_url: "https://example.com/me.png",
      });
      expect((await admin.patch("/meta/me", { custom_avatar_url: "" })).body.avatar_url).to.equal(
        "https://sso.example.com/a.png",
      );
      expect((await admin.patch("/meta/me", { full_name: null, locale: null })).body).to.deep.include({
        full_name: null,
        locale: null,
      });
    });

    it("a repeat changes nothing: no tag moves and no access is reloaded", async () => {
      const state = async () =>
        (
          await service.sql.query(
            `select a.version, a.updated_at, o.access_revision from accounts a, organisations o where a.id = $1 and o.id = $2`,
            [admin.accountId, tenant.organisation.id],
          )
        ).rows;
      const sent = { full_name: "Zoë", locale: null, custom_avatar_url: "https://example.com/me.png" };
      await admin.patch("/meta/me", sent);
      const before = await state();
      expect((await admin.patch("/meta/me", sent)).body.full_name).to.equal("Zoë");
      expect(await state()).to.deep.equal(before);
    });

    it("refuse an unknown language and an invalid address", async () => {
      expect((await admin.patch("/meta/me", { locale: "de" })).body.error.fields).to.have.property("locale");
      for (const custom_avatar_url of ["javascript:alert(1)", "nonsense"])
        expect((await admin.patch("/meta/me", { custom_avatar_url })).body.error.fields).to.have.property("custom_avatar_url");
    });

    it("a service account reads its own name and permissions, and cannot change anything", async () => {
      const script = await tenant.serviceAccount(["companies.company.read"]);
      const { body } = await script.get("/meta/me");
      expect(body).to.deep.include({ id: null, email: null, full_name: script.email, permissions: ["companies.company.read"] });
      expect((await script.patch("/meta/me", { full_name: "X" })).status).to.equal(403);
    });
  });
});
