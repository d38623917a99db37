import { expect } from "chai";
import { IS_WORKING, WORKING_CONNECTIONS } from "../../../mixins/google/connection.ts";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import type { GooglePersonRecord } from "../../simulators/google/grants.ts";
import { withDeadline } from "../../support/deadline.ts";
import { until } from "../../support/jobs.ts";
import type { Caller } from "../../support/service.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { configureWorkspace, connected, withoutCalendars } from "../../support/workspace.ts";
import { probe } from "./probe.ts";

const ME = "/workspace/connections/me";

describe("Calling Google as a person (workspace §2.2, §2.7)", () => {
  const google = new GoogleSimulator();
  let service: TestService;
  let tenant: Tenant;
  let ann: Caller;
  let person: GooglePersonRecord;
  before(async () => {
    await google.start();
    service = await startService(google.environment, [probe]);
    await withoutCalendars(service.sql);
  });
  beforeEach(async () => {
    google.reset();
    google.serve("calendar", {
      scopes: [SCOPE.calendar, SCOPE.calendarWhole],
      answer: ({ method, json }) => ({
        status: 200,
        body: method === "GET" ? { kind: "calendar#events", items: [] } : { id: "abc", status: "confirmed", ...(json as object) },
      }),
    });
    tenant = await service.tenant();
    await configureWorkspace(google, tenant);
    ann = await tenant.member("member");
    person = await connected(google, ann);
  });
  afterEach(() => expect(google.complaints).to.deep.equal([]));
  after(async () => {
    await service.stop();
    await google.stop();
  });

  const expire = () => service.sql.query("update workspace_connections set access_expires_at = now() - interval '1 second'");
  const notices = async () =>
    (await ann.get("/notifications")).body.items.filter(
      ({ event_type }: { event_type: string }) => event_type === "workspace.connection_broken",
    );

  it("sends the library's requests with the person's token, and returns the body of the answer", async () => {
    expect((await ann.get("/probe/events")).body.answer).to.deep.equal({ kind: "calendar#events", items: [] });
    expect((await ann.post("/probe/events")).body.answer).to.deep.include({ summary: "Leave" });
    expect(google.calls("calendar")).to.deep.equal([
      "GET /calendar/v3/calendars/primary/events?maxResults=250",
      "POST /calendar/v3/calendars/primary/events",
    ]);
    expect(google.tokenCalls()).to.deep.equal(["authorization_code"]);
  });

  it("refreshes an expired access token once, for any number of calls, even for a single read", async () => {
    await expire();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ann.get("/probe/events")));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(google.tokenCalls()).to.deep.equal(["authorization_code", "refresh_token"]);
  });

  it("fetches another token where Google no longer knows the one in use, and sends the call again", async () => {
    google.expireAccessTokens();
    expect((await ann.post("/probe/events")).body.answer).to.deep.include({ summary: "Leave" });
    expect(google.tokenCalls()).to.deep.equal(["authorization_code", "refresh_token"]);
    expect(google.calls("calendar")).to.have.length(2);
  });

  it("marks a connection whose grant was revoked, notifies its owner once, and answers 409 without calling anyone", async () => {
    google.revoke(person);
    for (const _ of [1, 2, 3]) {
      const { status, body } = await ann.get("/probe/events");
      expect([status, body.error.code]).to.deep.equal([409, "workspace_connection_error"]);
    }
    const { connection } = (await ann.get(ME)).body;
    expect(connection).to.deep.include({ status: "error", last_error: "invalid_grant: Token has been expired or revoked." });
    expect(google.tokenCalls()).to.deep.equal(["authorization_code", "refresh_token"]);
    expect(await notices()).to.have.length(1);

    await connected(google, ann, { person });
    expect((await ann.get(ME)).body.connection).to.deep.include({ status: "active", last_error: null });
    expect((await ann.get("/probe/events")).status).to.equal(200);
  });

  it("keeps the connection through a 401, 403 or 5xx of an API and through a token endpoint that is down", async () => {
    for (const [status, reason] of [
      [403, "insufficientFilePermissions"],
      [503, "backendError"],
      [503, "backendError"],
    ] as const) {
      google.fail(GoogleSimulator.refusing(status, reason));
    }
    expect((await ann.get("/probe/events")).body).to.deep.include({
      kind: "forbidden",
      status: 403,
      reason: "insufficientFilePermissions",
    });
    expect((await ann.get("/probe/events")).body).to.deep.include({ kind: "unavailable", status: 503, reason: "backendError" });
    const mend = google.failWhen(({ path }) => path.startsWith("/calendar/"), GoogleSimulator.refusing(401, "authError"));
    expect((await ann.get("/probe/events")).body).to.deep.include({ kind: "forbidden", status: 401, reason: "authError" });
    mend();
    await expire();
    google.fail({ kind: "reply", status: 502, body: "<html>" }, { kind: "reply", status: 502, body: "<html>" });
    expect((await ann.get("/probe/events")).body).to.deep.include({ kind: "unavailable", status: 502, reason: null });
    expect((await ann.get(ME)).body.connection.status).to.equal("active");
    expect((await ann.get("/probe/events")).status).to.equal(200);
    expect(await notices()).to.have.length(0);
  });

  it("repeats a read once and a create never", async () => {
    google.fail({ kind: "drop" });
    expect((await ann.get("/probe/events")).body.answer).to.deep.include({ kind: "calendar#events" });
    google.fail({ kind: "lose" });
    expect((await ann.post("/probe/events")).body).to.deep.include({ kind: "unavailable", status: null });
    expect(google.calls("calendar").map((call) => call.split(" ")[0])).to.deep.equal(["GET", "GET", "POST"]);
  });

  it("distinguishes a missing scope from a disabled API, a limit and everything else", async () => {
    google.disabled.add("calendar");
    expect((await ann.get("/probe/events")).body).to.deep.include({ kind: "api_disabled", reason: "SERVICE_DISABLED" });
    google.disabled.clear();
    google.fail(GoogleSimulator.refusing(429, "rateLimitExceeded", { headers: { "Retry-After": "7" } }));
    expect((await ann.get("/probe/events")).body).to.deep.include({ kind: "rate", status: 429, retryAfter: 7 });
  });

  it("distinguishes a scope that was not granted from everything else, and connects the rest (P12)", async () => {
    await connected(google, ann, { person: google.state.person("one@example.com"), without: [SCOPE.calendar] });
    expect((await ann.get("/probe/events")).body).to.deep.include({
      kind: "scope",
      status: 403,
      reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
    });
    expect((await ann.get(ME)).body.connection.status).to.equal("active");
  });

  it("gives the token endpoint 20 seconds in all, and marks nothing where they pass", async () => {
    await expire();
    google.fail({ kind: "hang" });
    await withDeadline(20_000, async () => {
      expect((await ann.get("/probe/events")).body).to.deep.include({ kind: "unavailable", status: null });
    });
    expect(google.tokenCalls()).to.have.length(2);
    expect((await ann.get(ME)).body.connection.status).to.equal("active");
    expect((await ann.get("/probe/events")).status).to.equal(200);
  });

  it("gives the revocation 10 seconds, and disconnects where they pass", async () => {
    google.fail({ kind: "hang" });
    await withDeadline(10_000, async () => {
      expect((await ann.post(`${ME}/disconnect`)).status).to.equal(204);
    });
    expect((await ann.get(ME)).body.connected).to.equal(false);
  });

  it("marks a connection whose OAuth client the token endpoint refuses, and none for an answer that is not a refusal", async () => {
    for (const [body, type, status] of [
      ["<html>404</html>", "text/html", "active"],
      ['{"error":{"code":400,"message":"no"}}', "application/json", "active"],
      ['{"error":"invalid_client","error_description":"The OAuth client was deleted."}', "application/json", "error"],
    ] as const) {
      await expire();
      google.fail({ kind: "reply", status: 401, headers: { "Content-Type": type }, body });
      await ann.get("/probe/events");
      expect((await ann.get(ME)).body.connection.status, body).to.equal(status);
    }
    expect((await ann.get(ME)).body.connection.last_error).to.equal("invalid_client: The OAuth client was deleted.");
  });

  it("keeps at most 500 characters of why", async () => {
    await expire();
    const body = JSON.stringify({ error: "invalid_grant", error_description: "x".repeat(2000) });
    google.fail({ kind: "reply", status: 400, headers: { "Content-Type": "application/json" }, body });
    await ann.get("/probe/events");
    expect((await ann.get(ME)).body.connection.last_error).to.have.length(500);
  });

  it("notifies once more after a reconnection that breaks again, and never twice in between", async () => {
    for (const breakage of [1, 2]) {
      google.revoke(person);
      await expire();
      await ann.get("/probe/events");
      await ann.get("/probe/events");
      const reported = await service.sql.query(
        "select count(*)::int as n from notification_events where event_type = $1 and organisation_id = $2",
        ["workspace.connection_broken", tenant.organisation.id],
      );
      expect(reported.rows[0].n).to.equal(breakage);
      await connected(google, ann, { person });
    }
    const bob = await tenant.member("admin");
    const { items } = (await bob.get("/notifications")).body;
    expect(items).to.deep.equal([]);
  });

  it("counts tokens that no longer decrypt as a broken connection, and marks nothing", async () => {
    await service.sql.query("update workspace_connections set refresh_token = 'v1.00000000.x', access_token = 'v1.00000000.x'");
    const { status, body } = await ann.get("/probe/events");
    expect([status, body.error.code]).to.deep.equal([409, "workspace_connection_error"]);
    expect(google.tokenCalls()).to.deep.equal(["authorization_code"]);
    expect((await ann.get(ME)).body.connection.status).to.equal("active");
  });

  it("answers 409 workspace_not_configured where a refresh finds no OAuth client any more", async () => {
    await tenant.owner.put("/workspace/settings", {});
    await expire();
    await service.sql.query("update workspace_settings set client_secret = null where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    const { status, body } = await ann.get("/probe/events");
    expect([status, body.error.code]).to.deep.equal([409, "workspace_not_configured"]);
  });

  it("answers 409 workspace_not_connected if the connection ends during a call", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    google.expireAccessTokens();
    const end = google.failWhen(({ path }) => path.startsWith("/calendar/"), { kind: "wait", until: held });
    const call = ann.get("/probe/events");
    await until(() => google.calls("calendar").length === 1);
    await ann.post(`${ME}/disconnect`);
    end();
    release();
    const { status, body } = await call;
    expect([status, body.error.code]).to.deep.equal([409, "workspace_not_connected"]);
  });

  it("does not mark a connection that was renewed while its old grant was refused", async () => {
    await expire();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    google.revoke(person);
    const end = google.failWhen(({ body }) => body.includes("grant_type=refresh_token"), { kind: "wait", until: held });
    const call = ann.get("/probe/events");
    await until(() => google.tokenCalls().includes("refresh_token"));
    await connected(google, ann, { person });
    end();
    release();
    await call;
    expect((await ann.get(ME)).body.connection).to.deep.include({ status: "active", last_error: null });
    expect(await notices()).to.have.length(0);
  });

  it("has jobs work through the connections that are not broken, of members who are there", async () => {
    const working = async () =>
      (
        await service.sql.query(`select c.account_id from ${WORKING_CONNECTIONS} where ${IS_WORKING}`, [tenant.organisation.id])
      ).rows.map(({ account_id }) => account_id);
    expect(await working()).to.deep.equal([ann.accountId]);
    await service.sql.query("update memberships set deactivated_at = now() where id = $1", [ann.membershipId]);
    expect(await working()).to.deep.equal([]);
    await service.sql.query("update memberships set deactivated_at = null where id = $1", [ann.membershipId]);
    await service.sql.query("update workspace_connections set status = 'error' where account_id = $1", [ann.accountId]);
    expect(await working()).to.deep.equal([]);
  });

  it("refuses without a connection: 409 workspace_not_connected", async () => {
    const bob = await tenant.member("member");
    const { status, body } = await bob.get("/probe/events");
    expect([status, body.error.code]).to.deep.equal([409, "workspace_not_connected"]);
  });
});
