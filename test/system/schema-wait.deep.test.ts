import { expect } from "chai";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { GATEWAY_READY, launchService } from "../support/process.ts";

const WAITS =
  /"The database lacks a step this version needs \(the first is (\d{4}-[a-z-]+)\): this node waits until a node with SERVICE_DATABASE_MIGRATION_URL has brought them\."/;

describe("a node with the application's role alone, on a schema older than it needs", function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let owner: pg.Client;
  let step: string;
  beforeEach(async () => {
    database = await cloneDatabase();
    owner = new pg.Client({ connectionString: database.owner });
    await owner.connect();
    const { rows } = await owner.query("delete from migrations where name = (select max(name) from migrations) returning name");
    step = rows[0].name;
  });
  afterEach(async () => {
    await owner.end();
    await database.drop();
  });
  const settings = () => ({ ...nodeSettings(database), SERVICE_LOG_LEVEL: "info" });

  it("waits with one sentence, and serves once the schema is there", async () => {
    // The log's line counts as the sign of a process that is ready, so that the test can continue while the node waits.
    const node = await launchService(settings(), [], { ready: WAITS });
    try {
      expect(WAITS.exec(node.output())?.[1]).to.equal(step);
      expect(node.output()).not.to.contain("is ready on");
      await owner.query("insert into migrations (name) values ($1)", [step]);
      while (!GATEWAY_READY.test(node.output())) await new Promise((resolve) => setTimeout(resolve, 20));
      const port = Number(GATEWAY_READY.exec(node.output())?.[1]);
      expect((await send(port, "GET", "/health/ready")).status).to.equal(200);
      expect(node.output().match(/The database lacks/g)).to.have.length(1);
    } finally {
      expect(await node.stop()).to.equal(0);
    }
  });

  it("ends in order on a signal while it waits", async () => {
    const node = await launchService(settings(), [], { ready: WAITS });
    expect(await node.stop()).to.equal(0);
  });
});
