import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/jobs.ts";

/** Moments: so many, and at most `MOST` until both nodes have run something. */
const [MOMENTS, MOST] = [20, 500];
const ORGANISATIONS = 5;

describe("a schedule over several nodes", function () {
  this.timeout(120_000);
  const nodes: ReturnType<typeof fork>[] = [];
  let database: TestDatabase;
  let sql: pg.Client;
  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await sql.query("create table proof_runs (node text, job text, due timestamptz, organisation text)");
    await sql.query("grant all on proof_runs to public");
    await sql.query("insert into organisations (slug, name) select 'o' || n, 'O ' || n from generate_series(1, $1) n", [
      ORGANISATIONS,
    ]);
    for (const name of ["one", "two"]) {
      const node = fork(path.join(import.meta.dirname, "schedules-node.ts"), [name, database.application, database.owner], {
        execArgv: ["--disable-warning=ExperimentalWarning"],
      });
      nodes.push(node);
      await once(node, "message");
    }
  });
  after(async () => {
    const ended = nodes.map((node) => once(node, "exit"));
    for (const node of nodes) node.send("stop");
    await Promise.all(ended);
    await sql.end();
    await database.drop();
  });

  it(`fires once per moment and then once per organisation, on any node, over ${MOMENTS} moments and more`, async () => {
    const count = async (job: string) =>
      (await sql.query("select count(*)::int as runs from proof_runs where job = $1", [job])).rows[0].runs;
    const parts = async () =>
      (await sql.query("select distinct node from proof_runs order by node")).rows.map(({ node }) => node);
    let moment = 0;
    while (moment < MOMENTS || (moment < MOST && (await parts()).length < 2)) {
      moment += 1;
      // Every moment counts as another one, though all are within a minute.
      await sql.query("delete from jobs.occurrences");
      for (const job of ["proof.each", "proof.once"])
        await sql.query("update jobs.agenda_jobs set next_run_at = now() where name = $1 and type = 'single'", [job]);
      await until(async () => (await count("proof.each")) >= moment * ORGANISATIONS && (await count("proof.once")) >= moment);
      const rested =
        "select 1 from jobs.agenda_jobs where name like 'proof.%' and (locked_at is not null or next_run_at <= now())";
      await until(async () => (await sql.query(rested)).rowCount === 0);
    }
    expect([await count("proof.each"), await count("proof.once")]).to.deep.equal([moment * ORGANISATIONS, moment]);
    const { rows } = await sql.query(`select count(*)::int as runs from proof_runs where job = 'proof.each'
      group by organisation order by organisation`);
    expect(rows.map(({ runs }) => runs)).to.deep.equal(Array(ORGANISATIONS).fill(moment));
    expect(await parts()).to.deep.equal(["one", "two"]);
  });
});
