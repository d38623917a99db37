import { expect } from "chai";
import { PostgresTable } from "../../../core/jobs/queue/postgres.ts";
import { statement } from "../../../core/sql/statement.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { startService, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

const FLUSH = statement("select pg_stat_force_next_flush()");

describe("a claim of jobs", () => {
  let service: TestService;
  let table: PostgresTable;
  before(async () => {
    service = await startService({});
    await jobsOf(service.node.broker).stop();
    table = new PostgresTable(service.database.application, () => {});
  });
  after(async () => {
    await table.disconnect();
    await service.stop();
  });

  const claim = (most: number) => table.claim("proof.claimed", new Date(), new Date(0), "this node", most, false);

  it("reads what it claims by index, also on a connection that has claimed while none waited", async () => {
    const scanned = async () => {
      await table.ask(FLUSH, []);
      const { rows } = await service.sql.query(
        "select seq_tup_read::int as rows from pg_stat_all_tables where relid = 'jobs.agenda_jobs'::regclass",
      );
      return rows[0].rows;
    };
    for (let round = 0; round < 7; round++) expect(await claim(1)).to.deep.equal([]);
    await service.sql.query(
      "insert into jobs.agenda_jobs (name, next_run_at) select 'proof.claimed', now() - n * interval '1 s' from generate_series(1, 5000) n",
    );
    const before = await scanned();
    const claimed = [...(await claim(1)), ...(await claim(30)), ...(await claim(1))];
    expect((await scanned()) - before).to.equal(0);
    const { rows } = await service.sql.query(
      "select id from jobs.agenda_jobs where name = 'proof.claimed' order by next_run_at limit 32",
    );
    expect(
      claimed.map((job) => job._id),
      "the longest due first",
    ).to.deep.equal(rows.map(({ id }) => id));
    expect(claimed[0]).to.include({ name: "proof.claimed", type: "normal", lastModifiedBy: "this node" });
    expect(claimed[0]).to.not.have.property("failCount");
  });
});
