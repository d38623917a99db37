import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { SCOPE } from "../../mixins/google/scopes.ts";
import { GoogleSimulator } from "../simulators/google/google.ts";
import type { GooglePersonRecord } from "../simulators/google/grants.ts";
import type { Received } from "../simulators/simulator.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { holdWorkspace, strike, until } from "../support/jobs.ts";
import { type Caller, makeTenant, type Tenant } from "../support/service.ts";
import { waitingFor } from "../support/waiting.ts";
import { configureWorkspace, connected, locationOf, withoutCalendars } from "../support/workspace.ts";

const ME = "/workspace/connections/me";
/** A lock that the test holds: the record to write waits for it. */
const LOCK = 50_069;

/** A node in a process of its own, with the endpoints of the probe. */
interface Node {
  process: ChildProcess;
  port: number;
  output(): string;
}

describe("nodes that call Google (workspace §2.2)", function () {
  this.timeout(300_000);
  const google = new GoogleSimulator();
  const nodes: Node[] = [];
  /** Everything that nodes wrote which are gone. */
  let written = "";
  let database: TestDatabase;
  let sql: pg.Client;
  let holder: pg.Client;
  let tenant: Tenant;
  let ann: Caller;
  let person: GooglePersonRecord;
  /** Which node the next call goes to. */
  let turn: () => number;

  const launch = async (): Promise<Node> => {
    const settings = { ...google.environment, SERVICE_LOG_LEVEL: "debug", SERVICE_JOBS_POLL_MS: "250" };
    const words = [database.application, database.owner, "", JSON.stringify(settings)];
    const child = fork(path.join(import.meta.dirname, "workspace-node.ts"), words, {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      silent: true,
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (said += text));
    const [port] = await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => Promise.reject(new Error(`the node ended: ${said.slice(-2000)}`))),
    ]);
    return { process: child, port: port as number, output: () => said };
  };
  const kill = async (at: number): Promise<void> => {
    const { process: child, output } = nodes[at] as Node;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    written += output();
    nodes[at] = await launch();
  };
  const on = (at: number) => {
    turn = () => at;
    return ann;
  };

  before(async () => {
    await google.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    holder = new pg.Client({ connectionString: database.owner });
    await Promise.all([sql.connect(), holder.connect()]);
    await withoutCalendars(sql);
    await holdWorkspace(sql);
    nodes.push(...(await Promise.all([launch(), launch()])));
  });
  beforeEach(async () => {
    google.reset();
    google.serve("calendar", {
      scopes: [SCOPE.calendar],
      answer: () => ({ status: 200, body: { kind: "calendar#events", items: [] } }),
    });
    turn = () => 0;
    tenant = await makeTenant(sql, () => (nodes[turn()] as Node).port, `agency${Date.now()}`);
    await configureWorkspace(google, tenant);
    ann = await tenant.member("member");
    person = await connected(google, ann);
  });
  afterEach(() => expect(google.complaints).to.deep.equal([]));
  after(async () => {
    for (const { process: child } of nodes) child.kill("SIGKILL");
    await Promise.all([sql?.end(), holder?.end()]);
    await database?.drop();
    await google.stop();
  });

  const row = async () =>
    (await sql.query("select * from workspace_connections where organisation_id = $1", [tenant.organisation.id])).rows[0];
  const expire = () => sql.query("update workspace_connections set access_expires_at = now() - interval '1 second'");
  const isToken = ({ path: asked }: Received) => asked === "/token";
  /** Makes Google do the request and delay the answer. @returns releases it */
  const holdBack = (matches: (request: Received) => boolean) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const end = google.failWhen(matches, { kind: "wait", until: held });
    return () => {
      end();
      release();
    };
  };
  const tokenCalls = () => google.tokenCalls().filter((type) => type === "refresh_token").length;

  it("refresh once for 20 simultaneous calls on two nodes", async () => {
    await expire();
    const release = holdBack(isToken);
    let call = 0;
    turn = () => call++ % 2;
    const answers = Array.from({ length: 20 }, () => ann.get("/probe/events"));
    await until(() => tokenCalls() === 1);
    release();
    for (const { status, text } of await Promise.all(answers)) expect(status, text).to.equal(200);
    expect(tokenCalls()).to.equal(1);
    expect(google.calls("calendar")).to.have.length(20);
    expect(await row()).to.deep.include({ refresh_holder: null, refresh_until: null });
  });

  it("mark a revoked grant once and notify once, with 20 simultaneous calls on two nodes", async () => {
    await expire();
    google.revoke(person);
    let call = 0;
    turn = () => call++ % 2;
    const answers = await Promise.all(Array.from({ length: 20 }, () => ann.get("/probe/events")));
    expect(new Set(answers.map(({ body }) => body.error?.code))).to.deep.equal(new Set(["workspace_connection_error"]));
    expect(tokenCalls()).to.equal(1);
    const reported =
      "select count(*)::int as n from notifications where account_id = $1 and event_type = 'workspace.connection_broken'";
    expect((await sql.query(reported, [ann.accountId])).rows[0].n).to.equal(1);
  });

  it("take over the refresh of a node that was killed between Google's yes and ours, once its lease has ended", async () => {
    await expire();
    const release = holdBack(isToken);
    const lost = on(0)
      .get("/probe/events")
      .catch(() => null);
    await until(() => tokenCalls() === 1);
    await kill(0);
    expect(await lost).to.equal(null);
    release();
    const waiting = on(1).get("/probe/events");
    await until(async () => (await row()).refresh_holder !== null);
    expect(tokenCalls()).to.equal(1);
    await sql.query("update workspace_connections set refresh_until = now()");
    expect((await waiting).status).to.equal(200);
    expect(tokenCalls()).to.equal(2);
    expect(await row()).to.deep.include({ status: "active", refresh_holder: null });
    expect((await on(0).get("/probe/events")).status).to.equal(200);
    expect(tokenCalls()).to.equal(2);
    expect(google.state.grants).to.have.length(1);
  });

  /** The browser's redirect from the consent screen, without following it. */
  const searchOf = async (): Promise<string> => {
    const sent = await on(0).get("/workspace/oauth/connect");
    return new URL(google.consent(locationOf(sent), person)).search;
  };

  it("leave nothing half of an exchange whose node was killed before it had the answer; connecting again makes it whole", async () => {
    await on(0).post(`${ME}/disconnect`);
    const release = holdBack(isToken);
    const search = await searchOf();
    const lost = on(0)
      .get(`/workspace/oauth/callback${search}`)
      .catch(() => null);
    await until(() => google.state.grants[0]?.refreshTokens.length === 1);
    await kill(0);
    expect(await lost).to.equal(null);
    release();
    expect(await row()).to.equal(undefined);
    // The code is spent, which a redirect reports to the person.
    expect(locationOf(await on(1).get(`/workspace/oauth/callback${search}`))).to.match(/workspace=error$/);
    await connected(google, on(1), { person });
    expect(google.state.grants).to.have.length(1);
    expect((await on(1).get("/probe/events")).status).to.equal(200);
  });

  it("record an exchange by a job whose node was killed after it had the answer, without a second one", async () => {
    await on(0).post(`${ME}/disconnect`);
    const search = await searchOf();
    await sql.query(`create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${LOCK}); return old; end $$;
      create trigger wait_for_test before delete on outside_acts for each row execute function wait_for_test()`);
    await holder.query("select pg_advisory_lock($1)", [LOCK]);
    const before = google.tokenCalls().length;
    const lost = on(0)
      .get(`/workspace/oauth/callback${search}`)
      .catch(() => null);
    await until(async () => (await waitingFor(holder)) === 1);
    await kill(0);
    expect(await lost).to.equal(null);
    await until(async () => (await waitingFor(holder)) === 0);
    await holder.query("select pg_advisory_unlock($1)", [LOCK]);
    await sql.query("drop trigger wait_for_test on outside_acts; drop function wait_for_test()");
    expect(await row()).to.equal(undefined);
    await sql.query("update outside_acts set due_at = now()");
    await until(async () => (await sql.query("select 1 from jobs.agenda_jobs where name = 'jobs.acts'")).rowCount === 1);
    await strike({ sql }, "jobs.acts");
    await until(async () => (await row()) !== undefined);
    expect(google.tokenCalls().length - before).to.equal(1);
    expect(await row()).to.deep.include({ account_id: ann.accountId, email: person.email, status: "active" });
    expect((await on(1).get("/probe/events")).status).to.equal(200);
  });

  const ended = async () => (await sql.query("select id from workspace_ended_grants")).rows;
  const failures = async () =>
    (await sql.query("select 1 from activity where action = 'workspace.grant_not_revoked'")).rowCount as number;
  /** A request whose node does not live to answer it. */
  const cutOff = () =>
    on(0)
      .post(`${ME}/disconnect`)
      .catch(() => null);

  it("revoke the grant of a connection that was ended on a node that was killed before it called Google", async () => {
    const mend = google.failWhen(({ path: asked }) => asked === "/revoke", { kind: "drop" });
    const lost = cutOff();
    await until(async () => (await ended()).length === 1);
    await Promise.all([kill(0), kill(1)]);
    await lost;
    expect([google.state.grants.length, (await ended()).length, await row()]).to.deep.equal([1, 1, undefined]);
    mend();
    await until(async () => (await ended()).length === 0, 120_000);
    expect([google.state.grants, await failures()]).to.deep.equal([[], 0]);
  });

  it("have ended a connection whose node was killed between Google's yes to the revocation and ours", async () => {
    const release = holdBack(({ path: asked }) => asked === "/revoke");
    const lost = cutOff();
    await until(() => google.state.grants.length === 0);
    await Promise.all([kill(0), kill(1)]);
    await lost;
    release();
    expect([(await ended()).length, await row()]).to.deep.equal([1, undefined]);
    expect((await on(1).post(`${ME}/disconnect`)).status).to.equal(204);
    expect((await on(1).get(ME)).body.connected).to.equal(false);
    // Google calls the token invalid now, which is no failure.
    await until(async () => (await ended()).length === 0, 120_000);
    expect(await failures()).to.equal(0);
  });

  it("write no token, code or client secret into log, trace, job, error or any table, at debug level", async () => {
    const texts: string[] = [];
    const call = async (work: Promise<{ text: string }>) => texts.push((await work).text);
    const everything = () => [...google.state.secrets];
    await call(on(0).get("/probe/events"));
    await expire();
    await call(on(0).get("/probe/events"));
    // Google itself repeats its message.
    const [token = "", refresh = ""] = [google.state.secrets.at(-1), google.state.grants[0]?.refreshTokens.at(-1)];
    google.fail(GoogleSimulator.refusing(403, "forbidden", { message: `no, ${token}` }));
    await call(on(0).get("/probe/events"));
    google.fail({ kind: "reply", status: 503, body: `down: ${token} ${refresh}` }, { kind: "reply", status: 503, body: token });
    await call(on(0).get("/probe/events"));
    google.fail({ kind: "drop" }, { kind: "drop" });
    await call(on(0).get("/probe/events"));
    await expire();
    const refusal = JSON.stringify({ error: "invalid_grant", error_description: `refused ${refresh}` });
    google.fail({ kind: "reply", status: 400, headers: { "Content-Type": "application/json" }, body: refusal });
    await call(on(0).get("/probe/events"));
    await call(on(0).get(ME));
    await call(tenant.owner.get("/workspace/connections"));
    await call(tenant.owner.get("/workspace/settings"));
    await call(tenant.owner.get("/activity?entity_type=workspace_connection"));
    const search = await searchOf();
    google.fail({ kind: "reply", status: 503, body: search });
    await on(0).get(`/workspace/oauth/callback${search}`);
    expect((await on(0).get(ME)).body.connection).to.deep.include({ status: "error", last_error: "invalid_grant: refused ***" });
    await until(() => (nodes[0] as Node).output().includes("google_oauth refresh"));
    const { rows: tables } = await sql.query<{ text: string; name: string }>(
      `select format('select t::text as row from %I.%I t', schemaname, tablename) as text, schemaname || '.' || tablename as name
         from pg_tables where schemaname !~ '^pg_' and schemaname <> 'information_schema'`,
    );
    for (const { text, name } of tables) {
      const all = (await sql.query<{ row: string }>(text)).rows.map(({ row: one }) => one).join("\n");
      for (const secret of everything()) expect(all.includes(secret), name).to.equal(false);
    }
    const logged = written + nodes.map(({ output }) => output()).join("");
    expect(logged).to.include("google_calendar events.list");
    for (const secret of everything()) {
      for (const text of texts) expect(text.includes(secret), text).to.equal(false);
      for (const form of [secret, encodeURIComponent(secret)])
        expect(logged.split("\n").filter((line) => line.includes(form))).to.deep.equal([]);
    }
  });
});
