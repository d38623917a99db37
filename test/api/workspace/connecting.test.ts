import { expect } from "chai";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import { settled } from "../../support/jobs.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { configureWorkspace, connect, connected, locationOf, type Workspace } from "../../support/workspace.ts";
import { trailOf } from "../clients/companies/company-records.ts";
import { startWorkspace, type WorkspaceWorld } from "./workspace-world.ts";

const ME = "/workspace/connections/me";
const CALLBACK = "/workspace/oauth/callback";

describe("Connecting an account at Google (workspace §2.2)", () => {
  let world: WorkspaceWorld;
  let tenant: Tenant;
  let workspace: Workspace;
  let ann: Caller;
  before(async () => {
    world = await startWorkspace();
  });
  beforeEach(async () => {
    world.google.reset();
    tenant = await world.service.tenant();
    workspace = await configureWorkspace(world.google, tenant);
    ann = await tenant.member("member");
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const rows = async () =>
    (await world.service.sql.query("select * from workspace_connections where organisation_id = $1", [tenant.organisation.id]))
      .rows;
  const mine = async (who = ann) => (await who.get(ME)).body.connection;
  /** Where the browser is sent, and the query that Google would send it back with. */
  const begun = async (who = ann, query = "") => locationOf(await who.get(`/workspace/oauth/connect?${query}`));
  const cameBack = (address: string, how = {}) =>
    new URL(world.google.consent(address, world.google.state.person("x@example.com"), how)).search;

  it("sends the browser to the consent screen, and stores the returned grant", async () => {
    const person = await connected(world.google, ann);
    const { body } = await ann.get(ME);
    expect(body.connection).to.deep.include({ user_id: ann.accountId, email: person.email, status: "active", last_error: null });
    expect(body.connection.scopes).to.include.members(["openid", SCOPE.calendar, SCOPE.drive]);
    expect(body).to.deep.include({ connected: true, configured: true, calendar_enabled: true, drive_enabled: true });
    expect(world.google.tokenCalls()).to.deep.equal(["authorization_code"]);
    const [row] = await rows();
    expect([row.refresh_token.slice(0, 3), row.access_token.slice(0, 3)]).to.deep.equal(["v1.", "v1."]);
    expect((await trailOf(world.service.sql, "workspace_connection", row.id)).map(({ action }) => action)).to.deep.equal([
      "workspace.connected",
    ]);
  });

  it("requests only enabled surfaces", async () => {
    await workspace.configure({ drive_enabled: false, mail_enabled: false });
    const asked = new URL(await begun(ann, "include_mail=true&include_analytics=true")).searchParams;
    expect(asked.get("scope")?.split(" ")).to.deep.equal(["openid", "email", SCOPE.calendar, SCOPE.analytics]);
    expect(asked.get("redirect_uri")).to.equal((await tenant.owner.get("/workspace/settings")).body.callback_url);
  });

  it("refuses to begin without an OAuth client: 409 workspace_not_configured", async () => {
    const other = await world.service.tenant();
    const { status, body } = await other.owner.get("/workspace/oauth/connect");
    expect([status, body.error.code]).to.deep.equal([409, "workspace_not_configured"]);
    expect((await other.owner.get(ME)).body).to.deep.equal({
      connected: false,
      connection: null,
      configured: false,
      calendar_enabled: false,
      drive_enabled: false,
      mail_enabled: false,
    });
  });

  it("is for people: a service account gets 403", async () => {
    const robot = await tenant.serviceAccount(["workspace.connection.manage"]);
    expect((await robot.get("/workspace/oauth/connect")).status).to.equal(403);
    expect((await robot.get(CALLBACK)).status).to.equal(403);
  });

  describe("comes back with workspace=error, by a redirect and with nothing stored", () => {
    const failed = async (query: string, who = ann, next = "/settings/account") => {
      const { status, headers } = await who.get(`${CALLBACK}${query}`);
      expect([status, headers.location]).to.deep.equal([307, `${next}?workspace=error`]);
      expect(await mine(who)).to.equal(null);
    };

    it("from a refused consent, to where it began", async () => {
      const { landing } = await connect(world.google, ann, { refuses: true, query: "next=/home%3Ftab%3D1" });
      expect(landing).to.equal("/home?tab=1&workspace=error");
      expect(await mine()).to.equal(null);
    });
    it("from a refusal with a parameter that Google adds", async () =>
      failed(`${cameBack(await begun(), { refuses: true })}&error_subtype=access_denied`));
    it("without state and code", () => failed(""));
    it("with a state that was made up", async () =>
      failed(cameBack(await begun()).replace(/state=[^&]+/, "state=v1.00000000.x")));
    it("with the state of a colleague", async () => {
      const bob = await tenant.member("member");
      await failed(cameBack(await begun(bob)));
    });
    it("with the state of another session or key of the same person", async () => {
      const search = cameBack(await begun());
      const scopes = ["workspace.connection.manage"];
      const { secret: key } = (await ann.post("/api-keys", { name: "another", scopes })).body;
      const { status, headers } = await ann.get(`${CALLBACK}${search}`, { key });
      expect([status, headers.location]).to.deep.equal([307, "/settings/account?workspace=error"]);
      expect(locationOf(await ann.get(`${CALLBACK}${search}`))).to.match(/workspace=connected$/);
    });
    it("with the state of another organisation of the same person", async () => {
      const other = await world.service.tenant();
      await configureWorkspace(world.google, other);
      const search = cameBack(await begun(other.owner));
      await failed(search);
    });
    it("with a code that Google does not know", async () =>
      failed(cameBack(await begun(ann, "next=/a")).replace(/code=[^&]+/, "code=4/0Anone"), ann, "/a"));
    it("with a code a second time", async () => {
      const search = cameBack(await begun());
      expect(locationOf(await ann.get(`${CALLBACK}${search}`))).to.match(/workspace=connected$/);
      expect(locationOf(await ann.get(`${CALLBACK}${search}`))).to.match(/workspace=error$/);
    });
    it("from a token endpoint that is down", async () => {
      const search = cameBack(await begun());
      world.google.fail({ kind: "reply", status: 503, body: "<html>" });
      await failed(search);
      expect(world.google.tokenCalls()).to.have.length(1);
    });
    it("from a wrong client secret", async () => {
      await workspace.configure({ client_secret: "GOCSPX-wrong" });
      await failed(cameBack(await begun()));
    });
    it("where the OAuth client was replaced meanwhile", async () => {
      const search = cameBack(await begun());
      await workspace.configure({ client_id: "another.example" });
      await failed(search);
      expect(world.google.tokenCalls()).to.deep.equal([]);
    });
    it("from a first connect without a refresh token", async () => {
      const { landing } = await connect(world.google, ann, { givesRefreshToken: false });
      expect(landing).to.equal("/settings/account?workspace=error");
      expect(await mine()).to.equal(null);
    });
  });

  it("leads on to an encoded path, without a raw space", async () => {
    const { landing } = await connect(world.google, ann, { query: "next=/a%20b%3Fc%3Dd+e" });
    expect(landing).to.equal("/a%20b?c=d%20e&workspace=connected");
  });

  it("never leads to another site", async () => {
    for (const next of ["//evil.example", "https://evil.example", "/\\evil.example", "/a\nb"])
      expect((await connect(world.google, ann, { query: `next=${encodeURIComponent(next)}` })).landing).to.equal(
        "/settings/account?workspace=connected",
      );
  });

  it("keeps the stored refresh token if re-consent returns none, uses the scopes of the answer, and clears the error", async () => {
    const person = await connected(world.google, ann);
    const [before] = await rows();
    await world.service.sql.query(
      "update workspace_connections set status = 'error', error_since = now(), last_error = 'invalid_grant' where id = $1",
      [before.id],
    );
    await connected(world.google, ann, { person, givesRefreshToken: false, query: "include_analytics=true" });
    const [after] = await rows();
    expect(after).to.deep.include({
      id: before.id,
      refresh_token: before.refresh_token,
      status: "active",
      error_since: null,
      last_error: null,
    });
    expect(after.scopes).to.include.members([SCOPE.calendar, SCOPE.drive, SCOPE.analytics]);
    expect(Date.parse(after.connected_at)).to.be.greaterThan(Date.parse(before.connected_at));
  });

  it("falls back to the old and the requested scopes if the token's answer names none", async () => {
    world.google.state.namesScopes = false;
    const person = await connected(world.google, ann, { query: "include_analytics=true" });
    expect((await mine()).scopes).to.deep.equal([SCOPE.analytics, SCOPE.calendar, SCOPE.drive, "email", "openid"].toSorted());
    await connected(world.google, ann, { person, query: "include_ads=true" });
    expect((await mine()).scopes).to.include.members([SCOPE.analytics, SCOPE.ads]);
  });

  it("connects with one box unticked, and lists the scopes given (P12)", async () => {
    await connected(world.google, ann, { without: [SCOPE.drive] });
    const { scopes, status } = await mine();
    expect(status).to.equal("active");
    expect(scopes).to.include(SCOPE.calendar);
    expect(scopes).not.to.include(SCOPE.drive);
  });

  it("turns mail on only if requested and granted, and never off", async () => {
    const person = await connected(world.google, ann);
    expect((await mine()).mail_sync_enabled).to.equal(false);
    await connected(world.google, ann, { person, query: "include_mail=true", without: [SCOPE.mail] });
    expect((await mine()).mail_sync_enabled).to.equal(false);
    await connected(world.google, ann, { person, query: "include_mail=true" });
    expect((await mine()).mail_sync_enabled).to.equal(true);
    await connected(world.google, ann, { person });
    expect((await mine()).mail_sync_enabled).to.equal(true);
    await ann.patch(ME, { mail_sync_enabled: false });
    await connected(world.google, ann, { person });
    expect((await mine()).mail_sync_enabled).to.equal(false);
  });

  it("leaves mail off where the organisation has not enabled it, though an earlier grant covers it", async () => {
    const person = await connected(world.google, ann, { query: "include_mail=true" });
    await ann.patch(ME, { mail_sync_enabled: false });
    await workspace.configure({ mail_enabled: false });
    await connected(world.google, ann, { person, query: "include_mail=true" });
    expect((await mine()).scopes).to.include(SCOPE.mail);
    expect((await mine()).mail_sync_enabled).to.equal(false);
  });

  it("makes another connection of another Google account, which inherits neither token nor choice", async () => {
    await connected(world.google, ann, { query: "include_mail=true" });
    const [before] = await rows();
    const { landing } = await connect(world.google, ann, { givesRefreshToken: false });
    expect(landing).to.match(/workspace=error$/);
    expect((await rows()).map(({ id }) => id)).to.deep.equal([before.id]);
    const other = await connected(world.google, ann);
    const [after] = await rows();
    expect(after.id).not.to.equal(before.id);
    expect(await mine()).to.deep.include({ email: other.email, mail_sync_enabled: false });
  });

  it("leaves one connection and one grant after 120 reconnections, of which the newest works (P11)", async () => {
    const person = await connected(world.google, ann);
    for (let turn = 0; turn < 120; turn++) await connected(world.google, ann, { person });
    expect(await rows()).to.have.length(1);
    expect(world.google.state.grants).to.have.length(1);
    const [row] = await rows();
    const { unseal } = await import("../../../core/database/sealed.ts");
    const place = { table: "workspace_connections", column: "refresh_token", organisation: tenant.organisation.id, row: row.id };
    expect(world.google.state.grants[0]?.refreshTokens.at(-1)).to.equal(unseal(row.refresh_token, place));
  });

  it("lists all connections by address for administrators, without a token", async () => {
    const bob = await tenant.member("member");
    await connected(world.google, ann, { person: world.google.state.person("zoe@example.com") });
    await connected(world.google, bob, { person: world.google.state.person("bob@example.com") });
    const { body, text } = await tenant.owner.get("/workspace/connections");
    expect(body.map(({ email, user_id }: Record<string, string>) => [email, user_id])).to.deep.equal([
      ["bob@example.com", bob.accountId],
      ["zoe@example.com", ann.accountId],
    ]);
    expect(Object.keys(body[0])).to.have.members([
      "user_id",
      "email",
      "status",
      "scopes",
      "mail_sync_enabled",
      "mail_excluded_label",
      "connected_at",
      "last_error",
    ]);
    for (const secret of world.google.state.secrets) expect(text).not.to.include(secret);
    expect((await ann.get("/workspace/connections")).status).to.equal(403);
  });

  it("is listed with as many statements for 30 connections as for one", async () => {
    await connected(world.google, ann);
    await tenant.owner.get("/workspace/connections");
    const { statements: ofOne } = await tenant.owner.get("/workspace/connections");
    for (let n = 0; n < 29; n++) {
      const { accountId } = await tenant.member("member");
      await world.service.sql.query(
        `insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, refresh_token)
         values (gen_random_uuid(), $1, $2, $3, 'client', $3, 'v1.00000000.x')`,
        [tenant.organisation.id, accountId, `s${n}@example.com`],
      );
    }
    // The new members have moved the access revision: the caller is loaded again once.
    await tenant.owner.get("/workspace/connections");
    const { statements, body } = await tenant.owner.get("/workspace/connections");
    expect([body.length, statements]).to.deep.equal([30, ofOne]);
  });

  it("goes when its owner leaves the organisation", async () => {
    await connected(world.google, ann);
    await tenant.owner.delete(`/members/${ann.membershipId}`);
    expect(await rows()).to.have.length(0);
  });

  describe(`PATCH ${ME}`, () => {
    it("changes the sent fields and keeps absent or null ones; a blank label clears", async () => {
      await connected(world.google, ann);
      const patched = async (body: object) => {
        const { status, body: answer } = await ann.patch(ME, body);
        const { mail_sync_enabled, mail_excluded_label } = answer.connection;
        return [status, mail_sync_enabled, mail_excluded_label];
      };
      expect(await patched({ mail_sync_enabled: true })).to.deep.equal([200, true, null]);
      expect(await patched({ mail_excluded_label: " Private " })).to.deep.equal([200, true, "Private"]);
      expect(await patched({})).to.deep.equal([200, true, "Private"]);
      expect(await patched({ mail_sync_enabled: null })).to.deep.equal([200, true, "Private"]);
      expect(await patched({ mail_excluded_label: "  " })).to.deep.equal([200, true, null]);
      await patched({ mail_excluded_label: "Private" });
      expect(await patched({ mail_excluded_label: null, mail_sync_enabled: false })).to.deep.equal([200, false, null]);
      expect((await ann.patch(ME, { mail_excluded_label: "x".repeat(128) })).status).to.equal(200);
      const { status, body } = await ann.patch(ME, { mail_excluded_label: "x".repeat(129) });
      expect([status, body.error.fields]).to.deep.equal([422, { mail_excluded_label: "errors.validation" }]);
    });

    it("is 409 workspace_not_connected without a connection", async () => {
      const { status, body } = await ann.patch(ME, { mail_sync_enabled: true });
      expect([status, body.error.code]).to.deep.equal([409, "workspace_not_connected"]);
    });
  });

  describe(`POST ${ME}/disconnect`, () => {
    const disconnect = async (who = ann) => (await who.post(`${ME}/disconnect`)).status;

    it("revokes the grant by a form, removes the row and says 204, also where nothing is connected", async () => {
      await connected(world.google, ann);
      expect(await disconnect()).to.equal(204);
      expect(world.google.calls("oauth")).to.deep.equal(["POST /token", "POST /revoke"]);
      expect([world.google.state.grants, await rows()]).to.deep.equal([[], []]);
      expect(await disconnect()).to.equal(204);
      expect(world.google.calls("oauth")).to.have.length(2);
    });

    it("answers 204 for any answer of Google", async () => {
      for (const fault of [
        { kind: "reply", status: 400, body: '{"error":"invalid_token"}' },
        { kind: "reply", status: 400, body: '{"error":"invalid_request"}' },
        { kind: "drop" },
      ] as const) {
        await connected(world.google, ann);
        const mend = world.google.failWhen(({ path }) => path === "/revoke", fault);
        expect(await disconnect()).to.equal(204);
        expect(await rows()).to.have.length(0);
        mend();
        await settled(world.service);
      }
    });

    it("leaves the grant alone while another organisation uses it with the same OAuth client (P10)", async () => {
      const other = await world.service.tenant();
      await other.owner.put("/workspace/settings", { client_id: workspace.client.id, client_secret: workspace.client.secret });
      const person = await connected(world.google, ann);
      await connected(world.google, other.owner, { person });
      expect(await disconnect()).to.equal(204);
      expect(world.google.calls("oauth").filter((call) => call.includes("revoke"))).to.have.length(0);
      expect(world.google.state.grants).to.have.length(1);
      expect((await other.owner.get(ME)).body.connection.status).to.equal("active");
      expect(await disconnect(other.owner)).to.equal(204);
      expect(world.google.state.grants).to.have.length(0);
    });

    it("revokes where the other organisation has an OAuth client of its own, or a connection that is broken", async () => {
      const other = await world.service.tenant();
      await configureWorkspace(world.google, other);
      const person = await connected(world.google, ann);
      await connected(world.google, other.owner, { person });
      await disconnect();
      expect(world.google.state.grants.map(({ clientId }) => clientId)).not.to.include(workspace.client.id);
      await other.owner.put("/workspace/settings", { client_id: workspace.client.id, client_secret: workspace.client.secret });
      await connected(world.google, ann, { person });
      await connected(world.google, other.owner, { person });
      await world.service.sql.query("update workspace_connections set status = 'error' where account_id = $1", [
        other.owner.accountId,
      ]);
      await disconnect();
      expect(world.google.state.grantOf(person, workspace.client.id)).to.equal(undefined);
    });

    it("leaves no grant behind where two organisations end theirs at once", async () => {
      const other = await world.service.tenant();
      await other.owner.put("/workspace/settings", { client_id: workspace.client.id, client_secret: workspace.client.secret });
      const person = await connected(world.google, ann);
      await connected(world.google, other.owner, { person });
      expect(await Promise.all([disconnect(), disconnect(other.owner)])).to.deep.equal([204, 204]);
      expect(world.google.state.grants).to.have.length(0);
    });
  });
});
