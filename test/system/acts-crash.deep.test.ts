import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import type { Organisation } from "../../core/declare/principal.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import type { Received } from "../simulators/simulator.ts";
import { type ActingCall, ActsWorld, type Ask } from "../support/acts/acts-world.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { holdTimesOfDay, strike, until } from "../support/jobs.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { waitingAt } from "./advisory-lock.ts";

const HOST = "agency.kantoor.test";
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
/** A lock that the test holds: the record to write waits for it. */
const LOCK = 50_050;

describe("a node that is killed between an act outside and its record", function () {
  this.timeout(300_000);
  const world = new ActsWorld();
  let database: TestDatabase;
  let sql: pg.Client;
  let holder: pg.Client;
  let organisation: Organisation;
  let node: Spawned;
  let ask: Ask;

  const launch = () =>
    launchService({
      ...world.environment,
      SERVICE_DATABASE_URL: database.application,
      SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "error",
      SERVICE_ACCOUNT_SYNC_HOURS: "0",
    });

  before(async () => {
    await world.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    holder = new pg.Client({ connectionString: database.owner });
    await Promise.all([sql.connect(), holder.connect()]);
    await holdTimesOfDay(sql);
    organisation = await createOrganisation(sql, { slug: "agency", name: "Agency" });
    const { accountId } = await createMember(sql, organisation.id, { email: "a@agency.test", role: "owner" });
    const { value: key } = await createKey(sql, organisation.id, "kt", { name: "a key", scopes: everything, accountId });
    node = await launch();
    ask = (method, path, body, headers = {}) => send(node.port as number, method, path, { host: HOST, key, body, headers });
    await world.settle(ask);
    // The first PDF waits for the browser.
    const [mail] = (await world.calls(sql, organisation.id, ask)).filter(({ name }) => name === "mail") as [ActingCall];
    await until(async () => (await ask("POST", mail.path, mail.body)).status === 200, 110_000);
    await sql.query(`create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${LOCK}); return old; end $$;
      create trigger wait_for_test before delete on outside_acts for each row execute function wait_for_test()`);
  });
  after(async () => {
    await node?.stop();
    await Promise.all([sql?.end(), holder?.end()]);
    await database?.drop();
    await world.stop();
  });
  afterEach(() => expect(world.complaints).to.deep.equal([]));

  const stored = async (): Promise<number> => (await sql.query("select count(*)::int as acts from outside_acts")).rows[0].acts;
  /** Has all calls act, kills the node before any is recorded, and starts another. */
  const killAmid = async (calls: ActingCall[], headers: (name: string) => Record<string, string>) => {
    await holder.query("select pg_advisory_lock($1)", [LOCK]);
    const lost = calls.map(({ name, path, body }) => ask("POST", path, body, headers(name)).catch(() => null));
    await until(async () => (await waitingAt(holder, LOCK)) === calls.length);
    await node.kill();
    expect(await Promise.all(lost)).to.deep.equal(calls.map(() => null));
    await until(async () => (await waitingAt(holder, LOCK)) === 0);
    await holder.query("select pg_advisory_unlock($1)", [LOCK]);
    expect(await stored()).to.equal(calls.length);
    for (const { name, acts } of calls) expect(acts(), name).to.equal(1);
    node = await launch();
  };

  it("leaves it to the caller's retry under the same key, which gets the answer and acts no second time", async () => {
    const calls = await world.calls(sql, organisation.id, ask);
    const headers = (name: string) => ({ "Idempotency-Key": `killed ${name}` });
    await killAmid(calls, headers);
    // A key stays locked for twenty seconds after its node's last sign of life.
    await sql.query("update idempotency_keys set held_until = now() where held_until is not null");
    for (const { name, path, body, status, acts, recorded, expected } of calls) {
      const { status: answered, text } = await ask("POST", path, body, headers(name));
      expect([answered, acts(), await recorded()], `${name} ${text}`).to.deep.equal([status, 1, expected]);
    }
    expect(await stored()).to.equal(0);
  });

  it("leaves it to a job where the caller does not retry", async () => {
    const calls = await world.calls(sql, organisation.id, ask);
    await killAmid(calls, () => ({}));
    await sql.query("update outside_acts set due_at = now()");
    await until(async () => (await sql.query("select 1 from jobs.agenda_jobs where name = 'jobs.acts'")).rowCount === 1);
    await strike({ sql }, "jobs.acts");
    await until(async () => (await stored()) === 0);
    for (const { name, acts, recorded, expected } of calls) expect([acts(), await recorded()], name).to.deep.equal([1, expected]);
  });

  it("adopts, under the same key, an object created while its answer was lost", async () => {
    const [edge] = (await world.calls(sql, organisation.id, ask)).filter(({ name }) => name === "edge") as [ActingCall];
    const headers = { "Idempotency-Key": "killed before the answer" };
    const isAct = edge.provider?.isAct as (request: Received) => boolean;
    let release = () => {};
    const mend = world.edge.failWhen(isAct, { kind: "wait", until: new Promise<void>((resolve) => (release = resolve)) });
    const lost = ask("POST", edge.path, edge.body, headers).catch(() => null);
    await until(async () => edge.acts() === 1);
    await node.kill();
    expect(await lost).to.equal(null);
    mend();
    release();
    expect(await stored(), "nothing was stored of it").to.equal(0);
    node = await launch();
    await sql.query("update idempotency_keys set held_until = now() where held_until is not null");
    const records = world.edge.state.records.length;
    const { status, text } = await ask("POST", edge.path, edge.body, headers);
    expect([status, await edge.recorded()], text).to.deep.equal([201, edge.expected]);
    expect(world.edge.state.records.length).to.equal(records);
  });
});
