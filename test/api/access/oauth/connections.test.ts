import { expect } from "chai";
import { hiddenIn, visitPage } from "../../../support/pages.ts";
import { INVALID_GRANT, OAuthWorld, type Registered, refusedWith, reported } from "./oauth-world.ts";

describe("OAuth sessions that end (access §8.5)", () => {
  let world: OAuthWorld;
  let client: Registered;
  before(async () => {
    world = await OAuthWorld.open();
  });
  after(() => world.service.stop());
  beforeEach(async () => {
    client = await world.register({ client_name: "An app", client_uri: "https://app.example.com" });
  });

  const connections = async (at = world) => (await at.call("GET", "/oauth/connections")).body;
  const disconnect = (at: OAuthWorld, id: string, headers = {}) =>
    at.call("DELETE", `/oauth/connections/${id}`, undefined, headers);
  const idOf = async ({ client_id }: Registered): Promise<string> =>
    (await world.service.sql.query("select id from oauth_clients where client_id = $1", [client_id])).rows[0].id;

  describe("POST /oauth/revoke", () => {
    for (const which of ["access_token", "refresh_token"] as const)
      it(`ends the whole session by its ${which}`, async () => {
        const session = await world.session(client);
        const answer = await world.form("/oauth/revoke", { token: session[which], token_type_hint: "nonsense" });
        expect([answer.status, answer.text, answer.headers["cache-control"]]).to.deep.equal([200, "{}", "no-store"]);
        expect(await world.status(session.access_token)).to.equal(401);
        expect(refusedWith(await world.refresh(client, session.refresh_token))).to.deep.equal(INVALID_GRANT);
        expect((await world.audited("oauth.revoke")).at(-1)).to.deep.equal({
          actor: null,
          target: world.person.accountId,
          detail: { by: "token", client_id: client.client_id, client_name: "An app", sessions: 1 },
        });
      });

    it("ends it by a rotated refresh token, and by an access token that has ended", async () => {
      const first = await world.session(client);
      const next = await world.refreshed(client, first.refresh_token);
      await world.form("/oauth/revoke", { token: first.refresh_token });
      expect(await world.status(next.access_token)).to.equal(401);
      const other = await world.session(client);
      await world.shift("api_keys", "expires_at = now()", `lookup = '${other.access_token.slice(3, 15)}'`);
      await world.form("/oauth/revoke", { token: other.access_token });
      expect(refusedWith(await world.refresh(client, other.refresh_token))).to.deep.equal(INVALID_GRANT);
    });

    it("does nothing with anything else, and does not reveal it", async () => {
      const session = await world.session(client);
      const other = await OAuthWorld.open(world.service);
      const wrong = `${session.access_token.slice(0, -4)}0000`;
      for (const token of ["", "nonsense", world.person.key, wrong, `ktr_${"0".repeat(64)}`])
        expect((await world.form("/oauth/revoke", { token })).text, token).to.equal("{}");
      expect((await other.form("/oauth/revoke", { token: session.refresh_token })).text, "on another host").to.equal("{}");
      expect([await world.status(session.access_token), (await world.person.get("/companies")).status]).to.deep.equal([200, 200]);
      expect(refusedWith(await world.form("/oauth/revoke", {}))).to.deep.equal([422, "invalid_request", "errors.validation"]);
    });
  });

  describe("GET /oauth/connections", () => {
    it("lists the caller's approvals, newest first, with their live sessions", async () => {
      const own = await world.as("member");
      const other = await own.register({ client_name: "Another" });
      const registered = await own.register();
      const first = await own.session(client);
      await own.session(client);
      const ended = await own.session(client);
      await own.form("/oauth/revoke", { token: ended.access_token });
      await own.code(other);
      const list = await connections(own);
      expect(
        list.map(({ client_name, client_uri, sessions }: Record<string, unknown>) => [client_name, client_uri, sessions]),
      ).to.deep.equal([
        ["Another", null, 0],
        ["An app", "https://app.example.com", 2],
      ]);
      expect(list[1].last_used_at).to.equal(null);
      await own.shift("api_keys", "last_used_at = '2026-03-02T09:30:00Z'", `lookup = '${first.access_token.slice(3, 15)}'`);
      expect(Date.parse((await connections(own))[1].last_used_at)).to.equal(Date.parse("2026-03-02T09:30:00Z"));
      expect(await connections(await world.as("member")), "of another person").to.deep.equal([]);
      expect(registered.client_id).to.have.length(32);
    });

    it("does not count a session that is over: refresh token expired, or access token expired without one", async () => {
      const own = await world.as("member");
      const [live, over] = [await own.session(client), await own.session(client)];
      const ofSession = ({ access_token }: { access_token: string }) => `lookup = '${access_token.slice(3, 15)}'`;
      const sessions = async () => (await connections(own))[0].sessions;
      expect(await sessions()).to.equal(2);
      await own.shift("api_keys", "expires_at = now()", ofSession(live));
      expect(await sessions(), "an access token lives an hour, its session goes on by the refresh token").to.equal(2);
      await own.shift(
        "oauth_refresh_tokens",
        "expires_at = now()",
        `key_id = (select id from api_keys where ${ofSession(over)})`,
      );
      expect(await sessions(), "until its access token ends").to.equal(2);
      await own.shift("api_keys", "expires_at = now()", ofSession(over));
      expect(await sessions()).to.equal(1);
      const renewed = await own.refreshed(client, live.refresh_token);
      await own.shift("oauth_refresh_tokens", "expires_at = now()", "rotated_at is null");
      await own.shift("api_keys", "expires_at = now()", ofSession(renewed));
      expect(await sessions(), "a rotated token keeps none alive").to.equal(0);
    });

    it("reports the changes since an instant, with one statement for any number of them", async () => {
      const own = await world.as("member");
      const statements = async () => (await own.call("GET", "/oauth/connections")).statements;
      await own.code(client);
      const before = await statements();
      const since = (await own.call("GET", "/oauth/connections?updated_since=2020-01-01T00:00:00Z")).headers["updated-until"];
      expect(since).to.be.a("string");
      for (let n = 0; n < 4; n++) await own.code(await own.register());
      expect(await statements()).to.equal(before);
      const changed = await own.call(
        "GET",
        `/oauth/connections?updated_since=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`,
      );
      expect(changed.body).to.deep.equal([]);
    });
  });

  describe("DELETE /oauth/connections/{client_pk}", () => {
    it("ends everything the client issued, and the client", async () => {
      const colleague = await world.as("member");
      const [mine, theirs] = [await world.session(client), await colleague.session(client)];
      const pending = await colleague.code(client);
      const elsewhere = await world.session(await world.register());
      const id = await idOf(client);
      expect((await disconnect(world, id)).status).to.equal(204);
      expect([await world.status(mine.access_token), await world.status(theirs.access_token)]).to.deep.equal([401, 401]);
      expect(refusedWith(await world.refresh(client, mine.refresh_token))).to.deep.equal([
        401,
        "invalid_client",
        "errors.oauth_client_unknown",
      ]);
      expect(refusedWith(await colleague.redeem(client, pending))[1]).to.equal("invalid_client");
      expect(reported(await world.describe({ client_id: client.client_id }))).to.deep.equal([
        400,
        "not_found",
        "errors.oauth_client_unknown",
      ]);
      expect([await world.status(elsewhere.access_token), (await disconnect(world, id)).status]).to.deep.equal([200, 404]);
      expect((await connections(colleague)).length).to.equal(0);
      expect((await world.audited("oauth.revoke")).at(-1)).to.deep.equal({
        actor: world.person.accountId,
        target: null,
        detail: { by: "connection", client_id: client.client_id, client_name: "An app", sessions: 2 },
      });
    });

    it("is for who approved the client, or manages service accounts", async () => {
      const id = await idOf(client);
      const [stranger, administrator] = [await world.as("member"), await world.as("admin")];
      const session = await world.session(client);
      expect((await disconnect(stranger, id)).status).to.equal(404);
      expect(await world.status(session.access_token)).to.equal(200);
      expect((await disconnect(administrator, id)).status).to.equal(204);
      expect(await world.status(session.access_token)).to.equal(401);
      const elsewhere = await OAuthWorld.open(world.service, "owner");
      expect((await disconnect(elsewhere, await idOf(await world.register()))).status).to.equal(404);
    });

    it("looks at If-Match", async () => {
      await world.code(client);
      const id = await idOf(client);
      expect((await disconnect(world, id, { "If-Match": '"7"' })).status).to.equal(412);
      expect((await disconnect(world, id, { "If-Match": "*" })).status).to.equal(204);
    });
  });

  it("end with the key that they are", async () => {
    const session = await world.session(client);
    const [key] = (await world.call("GET", "/api-keys")).body;
    expect((await world.call("POST", `/api-keys/${key.id}/revoke`)).status).to.equal(200);
    expect(await world.status(session.access_token)).to.equal(401);
    expect(refusedWith(await world.refresh(client, session.refresh_token))).to.deep.equal(INVALID_GRANT);
    expect((await connections()).find(({ id }: { id: string }) => id !== "")?.sessions).to.equal(0);
  });

  it("take the keys along that were made with them", async () => {
    const session = await world.session(client, { scopes: ["apikeys.personal.manage", "companies.company.read"] });
    const headers = { Authorization: `Bearer ${session.access_token}` };
    const made = await world.service.call("POST", "/api-keys", {
      host: world.tenant.host,
      headers,
      body: { name: "child", scopes: ["companies.company.read"] },
    });
    expect(made.status, made.text).to.equal(201);
    expect(await world.status(made.body.secret)).to.equal(200);
    await world.form("/oauth/revoke", { token: session.refresh_token });
    expect(await world.status(made.body.secret)).to.equal(401);
  });

  it("rest while the person is deactivated, and end for good when the membership does", async () => {
    const person = await world.as("member");
    const admin = await world.as("admin");
    const session = await person.session(client);
    const { membershipId, email } = person.person;
    await admin.call("PATCH", `/members/${membershipId}/account`, { active: false });
    expect(await world.status(session.access_token)).to.equal(401);
    expect(refusedWith(await world.refresh(client, session.refresh_token))).to.deep.equal(INVALID_GRANT);
    await admin.call("PATCH", `/members/${membershipId}/account`, { active: true });
    expect(await world.status(session.access_token)).to.equal(200);
    const next = await world.refreshed(client, session.refresh_token);
    expect((await admin.call("DELETE", `/members/${membershipId}`)).status).to.equal(204);
    expect((await admin.call("POST", "/members/invite", { email, send_email: false })).status).to.equal(201);
    expect(await world.status(next.access_token)).to.equal(401);
    expect(refusedWith(await world.refresh(client, next.refresh_token))).to.deep.equal(INVALID_GRANT);
  });

  it("end with a stranger's way into an account that is then invited, codes under way included", async () => {
    const person = await world.as("member");
    const session = await person.session(client);
    const pending = await person.code(client);
    await world.service.sql.query("update accounts set is_verified = false where id = $1", [person.person.accountId]);
    const elsewhere = await OAuthWorld.open(world.service, "owner");
    const invited = await elsewhere.call("POST", "/members/invite", { email: person.person.email, send_email: false });
    expect(invited.status, invited.text).to.equal(201);
    expect(await world.status(session.access_token)).to.equal(401);
    expect(refusedWith(await person.refresh(client, session.refresh_token))).to.deep.equal(INVALID_GRANT);
    expect(refusedWith(await person.redeem(client, pending))).to.deep.equal(INVALID_GRANT);
  });

  it("shrink with the roles of the person, from the next call on", async () => {
    const person = await world.as("member", ["companies.company.read", "apikeys.personal.manage"]);
    const session = await person.session(client);
    expect(await world.status(session.access_token)).to.equal(200);
    const role = "id in (select role_id from membership_roles where membership_id = $2)";
    const change = (permissions: string[]) =>
      world.service.sql.query(`update roles set permissions = $1 where ${role}`, [permissions, person.person.membershipId]);
    await change(["apikeys.personal.manage"]);
    expect(await world.status(session.access_token)).to.equal(403);
    await change(["companies.company.read", "apikeys.personal.manage"]);
    expect(await world.status(session.access_token)).to.equal(200);
  });

  it("work on this organisation's host alone", async () => {
    const other = await OAuthWorld.open(world.service);
    const session = await world.session(client);
    expect((await world.with(session.access_token, "/companies", other.tenant.host)).status).to.equal(401);
  });

  it("are on the account's page, with a button to disconnect", async () => {
    const person = await world.as("member");
    const named = await world.register({ client_name: "An <b>app</b>", client_uri: "https://app.example.com" });
    const session = await person.session(named);
    const { port } = world.service;
    const show = await visitPage(port, world.tenant.host, "GET", "/account", { cookie: person.cookie });
    const section = { ...show, text: show.text.slice(show.text.indexOf('id="apps"')) };
    expect(section.text).to.contain("An &#60;b&#62;app&#60;/b&#62;").and.to.contain("https://app.example.com");
    const form = { id: hiddenIn(section, "id") };
    const done = await visitPage(port, world.tenant.host, "POST", "/account/apps/disconnect", { cookie: person.cookie, form });
    expect([done.status, done.text.includes("De verbinding is verbroken.")]).to.deep.equal([200, true]);
    expect(await world.status(session.access_token)).to.equal(401);
  });
});
