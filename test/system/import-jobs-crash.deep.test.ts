import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Answer, send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { fileBody } from "../support/multipart.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { waitingAt } from "./advisory-lock.ts";

const HOST = "agency.kantoor.test";
const ROWS = 6000;
const KILLS = 1;
/** A lock that the test holds: the last new row waits for it. */
const LOCK = 50_061;
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

describe("kill -9 during an import that runs as a job", function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let holder: pg.Client;
  let folder: string;
  let key: string;
  let node: Spawned | undefined;

  const launch = () =>
    launchService({
      SERVICE_DATABASE_URL: database.application,
      SERVICE_DATA_DIR: folder,
      SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_JOBS_POLL_MS: "500",
      SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "error",
    });
  const call = (method: string, target: string, body?: object, headers = {}): Promise<Answer> =>
    send(node?.port as number, method, target, { host: HOST, key, ...(body && { body }), headers });
  const companies = async () => (await sql.query("select count(*)::int as n from companies")).rows[0].n;

  before(async () => {
    database = await cloneDatabase();
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-import-job-"));
    sql = new pg.Client({ connectionString: database.owner });
    holder = new pg.Client({ connectionString: database.owner });
    await Promise.all([sql.connect(), holder.connect()]);
    await sql.query(`create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$;
      create trigger wait_for_test before insert on companies for each row when (new.name = 'Bedrijf 2999')
        execute function wait_for_test()`);
    const organisation = await createOrganisation(sql, { slug: "agency", name: "Agency" });
    const { accountId } = await createMember(sql, organisation.id, { email: "a@agency.test", role: "owner" });
    key = (await createKey(sql, organisation.id, "kt", { name: "a key", scopes: everything, accountId })).value;
    node = await launch();
  });
  after(async () => {
    await node?.stop();
    await Promise.all([sql?.end(), holder?.end()]);
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it(`of ${ROWS} rows, kills: ${KILLS}: every row is there once, in the end`, async () => {
    const rows = Array.from({ length: ROWS }, (_, n) => `Bedrijf ${n % 3000}`).join("\n");
    // Namesakes without a key: a second run of the same rows would make them again.
    await holder.query("select pg_advisory_lock($1)", [LOCK]);
    const { body, headers } = fileBody(`Naam;Plaats\n${rows.replaceAll(/$/gm, ";x")}\n`, "text/csv", "a.csv");
    const { status, body: started, text } = await call("POST", "/impex/company?dry_run=false", body, headers);
    expect(status, text).to.equal(202);
    const job = async () => (await sql.query("select * from impex_jobs where id = $1", [started.job_id])).rows[0];
    for (let kill = 0; kill < KILLS; kill++) {
      await until(async () => (await waitingAt(holder, LOCK)) === 1, 120_000);
      await node?.kill();
      await until(async () => (await waitingAt(holder, LOCK)) === 0);
      expect(await companies()).to.equal(0);
      expect((await job()).status).to.equal("running");
      await sql.query("update impex_jobs set rows_done = 0 where id = $1", [started.job_id]);
      await holder.query("select pg_advisory_unlock($1)", [LOCK]);
      node = await launch();
    }
    const done = await until(async () => {
      const { body: shown } = await call("GET", `/impex/jobs/${started.job_id}`);
      return shown.status === "done" && shown;
    }, 120_000);
    expect(done).to.include({ rows_done: ROWS, rows_total: ROWS, error: null });
    expect(done.result).to.include({ created: 3000, unchanged: 3000 });
    expect(await companies()).to.equal(3000);
    expect((await sql.query("select 1 from files")).rowCount).to.equal(0);
  });
});
