import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Answer, type Call, send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { fileBody } from "../support/multipart.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";

const HOST = "agency.kantoor.test";
/** How long the calls in flight wait after the worker got its signal, in milliseconds. */
const HELD = 2500;
/** The advisory lock that holds up a commit. */
const LOCK = 4711;
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

describe("a worker that stops while it serves", function () {
  this.timeout(480_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  let gateway: Spawned;
  let worker: Spawned;
  let key: string;

  const start = (...words: string[]) =>
    launchService({ ...nodeSettings(database, nats), SERVICE_LOG_LEVEL: "warn" }, ["--actors", ...words]);
  const call = (method: string, target: string, options: Call = {}) =>
    send(gateway.port as number, method, target, { host: HOST, key, ...options });
  const waiting = async (count: number) =>
    until(async () => {
      const { rows } = await sql.query(
        "select count(*)::int as count from pg_locks where not granted and locktype in ('relation', 'advisory')",
      );
      return rows[0].count >= count;
    });

  const serves = async () => (await call("GET", "/companies?limit=1")).status === 200;

  before(async function () {
    requireNats(this);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    const { id } = await createOrganisation(sql, { slug: "agency", name: "An agency" });
    const { accountId } = await createMember(sql, id, { email: "owner@agency.test", fullName: "Owner", role: "owner" });
    ({ value: key } = await createKey(sql, id, "kt", { name: "a key", scopes: everything, accountId }));
    nats = await startNats();
    [gateway, worker] = await Promise.all([start("api"), start("!api")]);
    await until(serves, 240_000);
  });
  after(async () => {
    await Promise.all([gateway, worker].map((node) => node?.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
  });

  /** Holds what `statement` locks until the calls have waited for it and the worker was stopping for a while. */
  const heldWhileStopping = async (statement: string, calls: () => Promise<Answer>[]) => {
    const holder = new pg.Client({ connectionString: database.owner });
    await holder.connect();
    await holder.query("begin");
    await holder.query(statement);
    const made = calls();
    await waiting(made.length);
    const stopped = worker.stop();
    await delay(HELD);
    await holder.query("rollback");
    await holder.end();
    const answers = await Promise.all(made);
    expect(await stopped).to.equal(0);
    worker = await start("!api");
    await until(serves, 240_000);
    return answers.map(({ status, text }) => (status < 300 ? status : `${status} ${text}`));
  };

  it("answers a read, a write and an import that it began", async () => {
    const { body, headers } = fileBody("name\nOne\nTwo\n", "text/csv", "clients.csv");
    const answers = await heldWhileStopping("lock table companies in access exclusive mode", () => [
      call("GET", "/companies?limit=1"),
      call("POST", "/companies", { body: { name: "Made" } }),
      call("POST", "/impex/company?dry_run=false", { body, headers }),
    ]);
    expect(answers).to.deep.equal([200, 201, 200]);
  });

  it("answers a write that is being committed", async () => {
    await sql.query(`create function commit_held() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(${LOCK}); return null; end $$;
      create constraint trigger commit_held after insert on tasks deferrable initially deferred
      for each row execute function commit_held()`);
    const answers = await heldWhileStopping(`select pg_advisory_xact_lock(${LOCK})`, () => [
      call("POST", "/tasks", { body: { title: "Made" } }),
    ]);
    await sql.query("drop function commit_held cascade");
    expect(answers).to.deep.equal([201]);
  });

  it("is not waited for by a gateway whose calls to it have timed out", async () => {
    process.kill(worker.pid, "SIGSTOP");
    try {
      expect((await send(gateway.port as number, "GET", "/health/ready")).status).to.equal(503);
      expect(await gateway.stop()).to.equal(0);
      expect(gateway.output()).not.to.match(/running context|gracefully/);
    } finally {
      process.kill(worker.pid, "SIGCONT");
    }
  });
});
