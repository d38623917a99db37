import { expect } from "chai";
import { callOutside } from "../../../../core/outbound/call.ts";
import { authorizationAddress, returnedIdentity } from "../../../../services/access/sso/provider.ts";
import { beginRoundTrip } from "../../../../services/access/sso/round-trip.ts";
import { removeMember, type SigningOn, sessionIn, startSigningOn } from "../../../support/oidc/signing-on.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { inSession, signIn } from "../../../support/sign-in.ts";

const PASSWORD = "correct horse battery";
let counter = 0;
const nextSub = () => `subject-${++counter}`;

describe("GET /auth/oidc/login and /callback", () => {
  let service: TestService;
  let signing: SigningOn;
  let tenant: Tenant;
  const visitorOf = (email: string, more: object = {}) => ({ sub: nextSub(), claims: { email, email_verified: true, ...more } });
  const leads = (answer: { status: number; headers: { location?: string } }) => [answer.status, answer.headers.location];
  const IN = [307, "/"];
  const FAILED = [307, "/login?error=oidc"];
  const NO_ACCESS = [307, "/login?error=oidc_no_access"];
  const me = async (answer: Awaited<ReturnType<SigningOn["signOn"]>>, at = tenant) =>
    inSession(service.port, at.host, sessionIn(answer)).get("/meta/me");
  const accountOf = async (email: string) =>
    (await service.sql.query("select * from accounts where email = $1", [email])).rows[0];
  const lines = async (action: string) =>
    (
      await service.sql.query(
        "select actor_id, target_account_id, role_key, detail from access_audit where organisation_id = $1 and action = $2 order by created_at, id",
        [tenant.organisation.id, action],
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
    await signing.use(tenant);
  });

  describe("the way to the provider", () => {
    it("asks for openid, e-mail and profile with state, nonce and PKCE S256, and comes back to this host", async () => {
      const { location, answer } = await signing.begin(tenant);
      expect(answer.status).to.equal(302);
      expect(answer.headers["cache-control"]).to.equal("no-store");
      const to = new URL(location);
      expect(to.origin).to.equal(signing.provider.issuer);
      const { state, nonce, code_challenge, ...rest } = Object.fromEntries(to.searchParams);
      expect(rest).to.deep.equal({
        client_id: "kantoor",
        response_type: "code",
        scope: "openid email profile",
        redirect_uri: `http://${tenant.host}/api/v1/auth/oidc/callback`,
        code_challenge_method: "S256",
      });
      for (const random of [state, nonce, code_challenge]) expect(random).to.have.length.greaterThan(40);
    });

    it("keeps what must come back in an encrypted cookie of ten minutes that no script reads", async () => {
      const { location, cookie, answer } = await signing.begin(tenant, "/account");
      const [set = ""] = answer.headers["set-cookie"] ?? [];
      expect(set).to.match(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
      expect(cookie).to.not.contain(new URL(location).searchParams.get("state"));
      expect(Buffer.from(cookie, "base64url").toString()).to.not.contain("account");
    });

    it("is 404 sso_not_configured while it is off or incomplete, and unknown_host on an unknown host", async () => {
      const other = await service.tenant();
      const code = async (host: string) => {
        const { status, body } = await service.call("GET", "/auth/oidc/login", { host });
        return [status, body.error.code];
      };
      expect(await code(other.host)).to.deep.equal([404, "sso_not_configured"]);
      expect((await tenant.owner.put("/settings/sso", signing.settings({ enabled: false }))).status).to.equal(200);
      expect(await code(tenant.host)).to.deep.equal([404, "sso_not_configured"]);
      expect(await code("unknown.kantoor.test")).to.deep.equal([404, "unknown_host"]);
    });

    it("is as good as not configured with a secret that no longer decrypts", async () => {
      await service.sql.query("update sso_settings set client_secret = 'v1.00000000.x.y.z' where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect((await signing.begin(tenant)).answer.status).to.equal(404);
      expect((await tenant.owner.get("/settings/sso")).body.secret_configured).to.equal(false);
      expect((await service.call("GET", "/meta/modules", { host: tenant.host })).body.oidc_enabled).to.equal(false);
    });

    it("leads back to the sign-in page when the provider is down", async () => {
      // Another client, so that nothing is known of the provider yet.
      await tenant.owner.put("/settings/sso", signing.settings({ client_id: "another" }));
      signing.provider.broken.set("/.well-known/openid-configuration", null);
      const { answer } = await signing.begin(tenant, "/account");
      expect(leads(answer)).to.deep.equal([302, "/login?error=oidc&next=%2Faccount"]);
    });
  });

  describe("a member", () => {
    it("signs in by verified e-mail in any case, for this organisation, in a session made by SSO", async () => {
      const person = await tenant.member("member");
      const answer = await signing.signOn(tenant, visitorOf(person.email.toUpperCase()));
      expect(leads(answer)).to.deep.equal(IN);
      expect((await me(answer)).body).to.include({ id: person.accountId, email: person.email });
      const session = inSession(service.port, tenant.host, sessionIn(answer));
      expect((await session.get("/auth/sessions")).body[0].method).to.equal("sso");
      const elsewhere = await service.tenant();
      expect((await inSession(service.port, elsewhere.host, sessionIn(answer)).get("/meta/me")).status).to.equal(401);
      expect(await lines("sign_in.success")).to.deep.equal([
        { actor_id: person.accountId, target_account_id: person.accountId, role_key: null, detail: { method: "sso" } },
      ]);
    });

    it("is not asked for a second factor", async () => {
      const person = await tenant.member("member", { password: PASSWORD });
      await service.sql.query(
        "insert into two_factors (account_id, secret, confirmed_at) values ($1, 'v1.00000000.x.y.z', now())",
        [person.accountId],
      );
      expect(sessionIn(await signing.signOn(tenant, visitorOf(person.email)))).to.not.equal("");
    });

    it("is recognised by the link once it exists, whatever the address says by then", async () => {
      const [person, other] = [await tenant.member("member"), await tenant.member("member")];
      const visitor = visitorOf(person.email);
      await signing.signOn(tenant, visitor);
      for (const claims of [{ email: other.email, email_verified: true }, {}, { email: "new@elsewhere.test" }]) {
        const answer = await signing.signOn(tenant, { ...visitor, claims });
        expect((await me(answer)).body.id).to.equal(person.accountId);
      }
    });

    it("is another person under another subject, though the address is the same in text", async () => {
      const person = await tenant.member("member");
      const visitor = visitorOf(person.email);
      await signing.signOn(tenant, visitor);
      expect(leads(await signing.signOn(tenant, { ...visitor, sub: nextSub(), claims: {} }))).to.deep.equal(FAILED);
    });

    for (const verified of [undefined, false, "false", "no", 0, 1, null])
      it(`is not linked where the provider says email_verified ${JSON.stringify(verified)}`, async () => {
        const person = await tenant.member("member");
        const answer = await signing.signOn(tenant, visitorOf(person.email, { email_verified: verified }));
        expect(leads(answer)).to.deep.equal(FAILED);
        expect(sessionIn(answer)).to.equal("");
      });

    for (const verified of ["true", "TRUE", "1", "yes"])
      it(`is linked where the provider says email_verified "${verified}"`, async () => {
        const person = await tenant.member("member");
        const answer = await signing.signOn(tenant, visitorOf(person.email, { email_verified: verified }));
        expect(leads(answer)).to.deep.equal(IN);
      });

    it("who never proved the address loses password, factor, keys and sessions when the link is made, and no later", async () => {
      const person = await tenant.member("member", { password: PASSWORD });
      const old = await signIn(service.port, tenant.host, person.email, PASSWORD);
      await service.sql.query("update accounts set is_verified = false where id = $1", [person.accountId]);
      const visitor = visitorOf(person.email);
      const answer = await signing.signOn(tenant, visitor);
      expect(leads(answer)).to.deep.equal(IN);
      expect((await accountOf(person.email)).password_hash).to.equal(null);
      expect((await person.get("/meta/me")).status).to.equal(401);
      expect((await inSession(service.port, tenant.host, old).get("/meta/me")).status).to.equal(401);
      expect((await me(answer)).status).to.equal(200);
      await signing.signOn(tenant, visitor);
      expect((await me(answer)).status, "a second sign-in strips nothing").to.equal(200);
    });

    it("keeps password and keys where the address was verified", async () => {
      const person = await tenant.member("member", { password: PASSWORD });
      await signing.signOn(tenant, visitorOf(person.email));
      expect(await signIn(service.port, tenant.host, person.email, PASSWORD)).to.not.equal("");
      expect((await person.get("/meta/me")).status).to.equal(200);
    });

    it("gets a message without access if deactivated here, or if the account is disabled", async () => {
      const [one, two, three] = [await tenant.member("member"), await tenant.member("member"), await tenant.member("member")];
      const linked = visitorOf(three.email);
      await signing.signOn(tenant, linked);
      await service.sql.query("update memberships set deactivated_at = now() where id = any($1)", [
        [one.membershipId, three.membershipId],
      ]);
      await service.sql.query("update accounts set is_active = false where id = $1", [two.accountId]);
      for (const visitor of [visitorOf(one.email), visitorOf(two.email), linked])
        expect(leads(await signing.signOn(tenant, visitor))).to.deep.equal(NO_ACCESS);
      expect((await lines("sign_in.failure")).map((line) => line.target_account_id)).to.deep.equal([
        one.accountId,
        two.accountId,
        three.accountId,
      ]);
    });

    it("gets the provider's picture at each sign-in, below an own one, and a name only if missing", async () => {
      const person = await tenant.member("member", { name: "Own Name" });
      const visitor = visitorOf(person.email, { name: "Their Name", picture: "https://pictures.test/1.png" });
      const first = await signing.signOn(tenant, visitor);
      expect((await me(first)).body).to.include({ full_name: "Own Name", avatar_url: "https://pictures.test/1.png" });
      await inSession(service.port, tenant.host, sessionIn(first)).patch("/meta/me", {
        custom_avatar_url: "https://own.test/a.png",
      });
      visitor.claims = { ...visitor.claims, picture: "https://pictures.test/2.png" } as never;
      expect((await me(await signing.signOn(tenant, visitor))).body.avatar_url).to.equal("https://own.test/a.png");
      expect((await accountOf(person.email)).avatar_url).to.equal("https://pictures.test/2.png");
    });

    it("is not kept out by a missing picture or one that is too long", async () => {
      const person = await tenant.member("member");
      const visitor = visitorOf(person.email);
      for (const picture of [`https://pictures.test/${"x".repeat(5000)}`, "javascript:alert(1)", 7]) {
        const answer = await signing.signOn(tenant, { ...visitor, claims: { ...visitor.claims, picture } });
        expect((await me(answer)).body.avatar_url).to.equal(null);
      }
    });

    it("gets name and picture of the profile endpoint if the token has none, and signs in when that fails", async () => {
      const email = `profile${counter}@people.test`;
      const visitor = { ...visitorOf(email), profile: { name: "From Profile", picture: "https://pictures.test/p.png" } };
      expect((await me(await signing.signOn(tenant, visitor))).body).to.include({ full_name: "From Profile" });
      expect(leads(await signing.signOn(tenant, { ...visitor, profile: null }))).to.deep.equal(IN);
    });
  });

  describe("a person who is not known", () => {
    it("gets an account, verified and without password, and one membership with the default role", async () => {
      const email = `new${counter}@people.test`;
      const answer = await signing.signOn(tenant, visitorOf(email.toUpperCase(), { name: "New Person" }));
      expect(leads(answer)).to.deep.equal(IN);
      const account = await accountOf(email);
      expect(account).to.include({ is_verified: true, password_hash: null, full_name: "New Person" });
      expect((await me(answer)).body.permissions).to.include("companies.company.read");
      expect(await lines("membership.invited")).to.deep.equal([
        { actor_id: account.id, target_account_id: account.id, role_key: "member", detail: { by: "sso" } },
      ]);
    });

    it("gets an account even if the provider does not assert the address, because it is not an account's yet", async () => {
      expect(leads(await signing.signOn(tenant, { sub: nextSub(), claims: { email: `u${counter}@people.test` } }))).to.deep.equal(
        IN,
      );
    });

    it("is refused without provisioning, or without a default role", async () => {
      await tenant.owner.put("/settings/sso", signing.settings({ auto_provision: false }));
      expect(leads(await signing.signOn(tenant, visitorOf("stranger@people.test")))).to.deep.equal(NO_ACCESS);
      await tenant.owner.put("/settings/sso", signing.settings());
      await service.sql.query("update sso_settings set default_role = 'gone' where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(leads(await signing.signOn(tenant, visitorOf("stranger@people.test")))).to.deep.equal(NO_ACCESS);
      expect(await accountOf("stranger@people.test")).to.equal(undefined);
    });

    it("does not come back by signing in after having been removed, but is provisioned elsewhere", async () => {
      const email = `removed${counter}@people.test`;
      const visitor = visitorOf(email);
      expect(leads(await signing.signOn(tenant, visitor))).to.deep.equal(IN);
      await removeMember(tenant, email);
      expect(leads(await signing.signOn(tenant, visitor))).to.deep.equal(NO_ACCESS);
      expect(leads(await signing.signOn(tenant, { ...visitor, sub: nextSub() })), "under another subject").to.deep.equal(
        NO_ACCESS,
      );
      const other = await service.tenant();
      await signing.use(other);
      expect(leads(await signing.signOn(other, visitor))).to.deep.equal(IN);
      await tenant.owner.post("/members/invite", { email, send_email: false });
      expect(leads(await signing.signOn(tenant, visitor)), "invited again").to.deep.equal(IN);
    });

    it("does not come back either who had been invited and signed in that way, under another subject neither", async () => {
      const person = await tenant.member("member");
      const visitor = visitorOf(person.email);
      await signing.signOn(tenant, visitor);
      await removeMember(tenant, person.email);
      expect(leads(await signing.signOn(tenant, visitor))).to.deep.equal(NO_ACCESS);
      expect(leads(await signing.signOn(tenant, { ...visitor, sub: nextSub() }))).to.deep.equal(NO_ACCESS);
    });

    it("has one account and one membership, however many callbacks come at once", async () => {
      const email = `races${counter}@people.test`;
      const visitor = visitorOf(email);
      const returned = [];
      for (let time = 0; time < 4; time++) {
        const { location, cookie } = await signing.begin(tenant);
        returned.push({ url: await signing.back(location, visitor), cookie });
      }
      const answers = await Promise.all(returned.map(({ url, cookie }) => signing.callback(tenant, url, cookie)));
      expect(answers.map(leads)).to.deep.equal([IN, IN, IN, IN]);
      const { rows } = await service.sql.query(
        `select count(distinct a.id)::int as accounts, count(m.id)::int as memberships from accounts a
           left join memberships m on m.account_id = a.id where a.email = $1`,
        [email],
      );
      expect(rows).to.deep.equal([{ accounts: 1, memberships: 1 }]);
    });
  });

  describe("an account of another organisation", () => {
    it("is not this one's by its address alone: it is provisioned once, or gets a message without access", async () => {
      const other = await service.tenant();
      const [one, two] = [await other.member("admin"), await other.member("admin")];
      const answer = await signing.signOn(tenant, visitorOf(one.email));
      expect((await me(answer)).body).to.include({ id: one.accountId });
      expect((await me(answer)).body.permissions, "of the default role, not of the other organisation's").to.not.include(
        "settings.roles.manage",
      );
      await tenant.owner.put("/settings/sso", signing.settings({ auto_provision: false }));
      expect(leads(await signing.signOn(tenant, visitorOf(two.email)))).to.deep.equal(NO_ACCESS);
      expect((await lines("sign_in.failure")).at(-1)?.target_account_id, "another organisation's people are not named").to.equal(
        null,
      );
    });

    it("is out of reach for a provider that does not assert the address", async () => {
      const other = await service.tenant();
      const person = await other.member("owner");
      const answer = await signing.signOn(tenant, { sub: nextSub(), claims: { email: person.email } });
      expect(leads(answer)).to.deep.equal(FAILED);
    });
  });

  describe("what proves no identity", () => {
    const now = () => Math.floor(Date.now() / 1000);
    const forgeries: Record<string, object> = {
      "an ID token of another issuer": { forged: (claims: object) => ({ ...claims, iss: "https://elsewhere.test" }) },
      "an ID token with another nonce": { forged: (claims: object) => ({ ...claims, nonce: "another" }) },
      "an ID token without a nonce": { forged: ({ nonce: _, ...claims }: { nonce?: string }) => claims },
      "an ID token for another client": { forged: (claims: object) => ({ ...claims, aud: "another" }) },
      "an ID token for others too, by another party": {
        forged: (claims: object) => ({ ...claims, aud: ["kantoor", "another"], azp: "another" }),
      },
      "an ID token that has expired": { forged: (claims: object) => ({ ...claims, iat: now() - 7200, exp: now() - 3600 }) },
      "an ID token that is not signed": { signature: "none" },
      "an ID token signed by another key": { signature: "other" },
      "no e-mail and no link": { claims: {} },
      "an e-mail that is none": { claims: { email: "no address", email_verified: true } },
      "an error of the provider": { error: "access_denied" },
    };
    for (const [what, more] of Object.entries(forgeries))
      it(`is refused: ${what}`, async () => {
        const person = await tenant.member("member");
        const answer = await signing.signOn(tenant, { ...visitorOf(person.email), ...more }, "/account");
        expect(leads(answer)).to.deep.equal([307, "/login?error=oidc&next=%2Faccount"]);
        expect(sessionIn(answer)).to.equal("");
        const { rows } = await service.sql.query("select 1 from sso_links where organisation_id = $1", [tenant.organisation.id]);
        expect(rows).to.have.length(0);
      });

    it("is refused: another state, another browser, another organisation, a cookie that was tampered with or is old", async () => {
      const person = await tenant.member("member");
      const other = await service.tenant();
      await signing.use(other);
      const returned = async () => {
        const { location, cookie } = await signing.begin(tenant);
        return { url: await signing.back(location, visitorOf(person.email)), cookie };
      };
      const [one, two] = [await returned(), await returned()];
      // With another secret the provider's cached data is gone: the first call let through would read it again.
      await tenant.owner.put("/settings/sso", signing.settings({ client_secret: "another" }));
      const before = signing.provider.calls.length;
      const altered = new URL(one.url);
      altered.searchParams.set("state", "another");
      expect(leads(await signing.callback(tenant, altered, one.cookie)), "state").to.deep.equal(FAILED);
      expect(leads(await signing.callback(tenant, one.url)), "no cookie").to.deep.equal(FAILED);
      expect(leads(await signing.callback(tenant, one.url, two.cookie)), "of another start").to.deep.equal(FAILED);
      expect(leads(await signing.callback(other, one.url, one.cookie)), "of another organisation").to.deep.equal(FAILED);
      expect(leads(await signing.callback(tenant, one.url, `${one.cookie}x`)), "tampered").to.deep.equal(FAILED);
      expect(signing.provider.calls.length, "none of them reaches the provider").to.equal(before);
      await tenant.owner.put("/settings/sso", signing.settings());
      expect(leads(await signing.callback(tenant, one.url, one.cookie)), "and the real one still does").to.deep.equal(IN);
    });

    it("is refused: a code that was redeemed before", async () => {
      const person = await tenant.member("member");
      const { location, cookie } = await signing.begin(tenant);
      const url = await signing.back(location, visitorOf(person.email));
      const first = await signing.callback(tenant, url, cookie);
      expect(leads(first)).to.deep.equal(IN);
      expect(first.headers["set-cookie"]?.join(), "the cookie goes").to.match(/kantoor_sign_on=; .*Max-Age=0/);
      expect(leads(await signing.callback(tenant, url, cookie))).to.deep.equal(FAILED);
    });

    it("is refused: a provider that is down, or answers nonsense, at the token and keys endpoints", async () => {
      const person = await tenant.member("member");
      for (const [client, path, body] of [
        ["a", "/token", null],
        ["b", "/token", "{"],
        ["c", "/jwks", null],
        ["d", "/jwks", '{"keys":[]}'],
      ] as const) {
        signing.provider.broken.clear();
        await service.sql.query("update sso_settings set version = version + 1 where organisation_id = $1", [
          tenant.organisation.id,
        ]);
        signing.provider.broken.set(path, body);
        const answer = await signing.signOn(tenant, visitorOf(person.email));
        expect(leads(answer), `${client} ${path}`).to.deep.equal(FAILED);
      }
    });

    it("is refused: a provider that names addresses of the machine or its network, on every use", async () => {
      const document = JSON.parse((await callOutside("sso", signing.provider.discoveryUrl)).body.toString());
      const visitor = visitorOf("guarded@people.test", { name: "Only a name" });
      const reason = async (names: object) => {
        const connection = { ...signing.settings(), secret: signing.provider.client.client_secret, ...signing.provider.client };
        signing.provider.broken.set("/other", JSON.stringify({ ...document, ...names }));
        const whole = { ...connection, discovery_url: `${signing.provider.issuer}/other` };
        const roundTrip = beginRoundTrip(null, "", Date.now());
        const callback = `http://${tenant.host}/api/v1/auth/oidc/callback`;
        const organisation = JSON.stringify(names);
        const back = await signing.back(await authorizationAddress(whole, organisation, callback, roundTrip), visitor);
        return returnedIdentity(whole, organisation, back, roundTrip).then(
          ({ name, picture }) => ({ name, picture }),
          (error: Error) => error.message,
        );
      };
      const metadata = "https://169.254.169.254/latest";
      expect(await reason({ token_endpoint: metadata })).to.contain("'169.254.169.254' is not a public address");
      expect(await reason({ jwks_uri: metadata })).to.contain("'169.254.169.254' is not a public address");
      expect(await reason({ token_endpoint: "http://127.0.0.1/token" }), "found over https").to.contain("HTTPS");
      expect(await reason({ userinfo_endpoint: metadata })).to.deep.equal({ name: "Only a name", picture: null });
    });

    it("is refused: settings that were switched off meanwhile", async () => {
      const person = await tenant.member("member");
      const { location, cookie } = await signing.begin(tenant);
      const url = await signing.back(location, visitorOf(person.email));
      await tenant.owner.put("/settings/sso", signing.settings({ enabled: false }));
      expect(leads(await signing.callback(tenant, url, cookie))).to.deep.equal(FAILED);
    });

    it("is refused: a code that the provider issued before, and the new session does not see it", async () => {
      const person = await tenant.member("member");
      const { location, cookie } = await signing.begin(tenant);
      const url = await signing.back(location, visitorOf(person.email));
      await tenant.owner.put("/settings/sso", signing.settings({ client_id: "another" }));
      const before = signing.provider.calls.length;
      expect(leads(await signing.callback(tenant, url, cookie))).to.deep.equal(FAILED);
      expect(signing.provider.calls.length).to.equal(before);
    });
  });

  describe("next", () => {
    const landing = async (next?: string) => {
      const person = await tenant.member("member");
      return (await signing.signOn(tenant, visitorOf(person.email), next)).headers.location;
    };

    it("leads on to a path of this site", async () => {
      expect(await landing("/account?tab=keys#top")).to.equal("/account?tab=keys#top");
    });

    for (const next of ["https://evil.test/", "//evil.test", "/\\evil.test", "account", "/a\nb", "", "javascript:alert(1)"])
      it(`is / for ${JSON.stringify(next)}`, async () => {
        expect(await landing(next)).to.equal("/");
      });

    it("of an earlier start is cleared by a start without one", async () => {
      const person = await tenant.member("member");
      await signing.begin(tenant, "/account");
      const answer = await signing.signOn(tenant, visitorOf(person.email));
      expect(answer.headers.location).to.equal("/");
    });
  });
});
