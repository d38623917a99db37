import { expect } from "chai";
import pg from "pg";
import { connectionsOf } from "../../../core/database/connection/connections.ts";
import { queryUnbound } from "../../../core/database/connection/database.ts";
import { statement } from "../../../core/sql/statement.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { startService, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

const POOL = 3;
const SLEEP = statement("select pg_sleep(0.5)");

describe("the connections of a node", () => {
  let service: TestService;
  let watcher: pg.Client;
  before(async () => {
    service = await startService({ SERVICE_DATABASE_POOL: String(POOL) });
    await jobsOf(service.node.broker).ready();
    // Only a superuser sees the purposes of the connections of others.
    watcher = new pg.Client({ connectionString: service.database.superuser });
    await watcher.connect();
  });
  after(async () => {
    await watcher?.end();
    await service.stop();
  });

  it("are at most those of its pools and one listener, each with its purpose", async () => {
    const asking = Promise.all(Array.from({ length: 12 }, () => queryUnbound(SLEEP)));
    const open: Record<string, number> = {};
    for (let round = 0; round < 20; round++) {
      const { rows } = await watcher.query(
        `select application_name as purpose, count(*)::int as count from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend' and application_name like 'kantoor%' group by 1`,
      );
      for (const { purpose, count } of rows) open[purpose] = Math.max(open[purpose] ?? 0, count);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await asking;
    expect(Object.keys(open).toSorted()).to.deep.equal(["kantoor", "kantoor jobs", "kantoor listener"]);
    expect(open["kantoor"]).to.equal(POOL);
    expect(open["kantoor jobs"]).to.be.within(1, 5);
    expect(open["kantoor listener"]).to.equal(1);
  });

  it("are counted with the pool of requests; jobs elsewhere need none here", () => {
    expect(connectionsOf({ databasePool: 10, jobsUrl: undefined })).to.equal(16);
    expect(connectionsOf({ databasePool: 10, jobsUrl: "mongodb://jobs.test/jobs" })).to.equal(11);
  });
});
