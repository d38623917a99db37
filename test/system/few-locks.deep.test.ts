import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { type EmbeddedServer, startEmbedded } from "../../core/embedded/server.ts";
import { knownSteps, migrate } from "../../migrations/run.ts";

describe("a PostgreSQL with few locks", () => {
  let dataDir: string;
  let server: EmbeddedServer;
  before(async function () {
    this.timeout(60_000);
    dataDir = mkdtempSync(path.join(tmpdir(), "kantoor-locks-"));
    // PostgreSQL's own account must be able to reach it.
    chmodSync(dataDir, 0o711);
    server = await startEmbedded({
      dataDir,
      durable: false,
      settings: { max_connections: "15", max_locks_per_transaction: "10" },
    });
  });
  after(async () => {
    await server.stop({ force: true });
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("gets the schema of a new installation from the steps, and a sentence that says why", async () => {
    const lines: string[] = [];
    const ran = await migrate(server.url("owner"), '"kantoor_app"', undefined, { log: (line) => lines.push(line) });
    expect(ran).to.deep.equal(knownSteps());
    expect(lines[0]).to.match(/^The steps make the schema one after another: max_locks_per_transaction /);
    const client = new pg.Client({ connectionString: server.url("application") });
    await client.connect();
    const { rows } = await client.query("select name from migrations order by name");
    await client.end();
    expect(rows.map(({ name }) => name)).to.deep.equal(knownSteps());
  }).timeout(120_000);
});
