import { expect } from "chai";
import { SCOPE } from "../../../integrations/workspace/connections/consent.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import type { GooglePersonRecord } from "../../simulators/google/grants.ts";
import type { Caller } from "../../support/service.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { configureWorkspace, connected } from "../../support/workspace.ts";
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

  it("sends what the library builds with the person's token, and gives the body of the answer", async () => {
    expect((await ann.get("/probe/events")).body.answer).to.deep.equal({ kind: "calendar#events", items: [] });
    expect((await ann.post("/probe/events")).body.answer).to.deep.include({ summary: "Leave" });
    expect(google.calls("calendar")).to.deep.equal([
      "GET /calendar/v3/calendars/primary/events?maxResults=250",
      "POST /calendar/v3/calendars/primary/events",
    ]);
    expect(google.tokenCalls()).to.deep.equal(["authorization_code"]);
  });

  it("refreshes an expired access token once, however many calls need it, also where only a read was asked for", async () => {
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

  it("tells a missing scope from an API that is switched off, a limit and everything else", async () => {
    google.disabled.add("calendar");
    expect((await ann.get("/probe/events")).body).to.deep.include({ kind: "api_disabled", reason: "SERVICE_DISABLED" });
    google.disabled.clear();
    google.fail(GoogleSimulator.refusing(429, "rateLimitExceeded", { headers: { "Retry-After": "7" } }));
    expect((await ann.get("/probe/events")).body).to.deep.include({ kind: "rate", status: 429, retryAfter: 7 });
  });

  it("refuses without a connection: 409 workspace_not_connected", async () => {
    const bob = await tenant.member("member");
    const { status, body } = await bob.get("/probe/events");
    expect([status, body.error.code]).to.deep.equal([409, "workspace_not_connected"]);
  });
});
