import { expect } from "chai";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

describe("providers on the command line", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  const run = (...argv: string[]) => cli(environmentOf(database), argv);
  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });
  beforeEach(async () => {
    await sql.query("delete from provider_troubles");
    await sql.query(`insert into provider_troubles (provider, account, failures, closed_until, paused_until, last_failure, last_status, since) values
      ('edge', 'a', 5, now() + interval '20 minutes', null, 'failed', 500, '2026-11-21T12:00:00Z'),
      ('edge', 'b', 2, null, null, 'timeout', null, '2026-11-21T12:00:00Z'),
      ('edge', 'c', 7, now() - interval '1 second', null, 'unreachable', null, '2026-11-21T12:00:00Z'),
      ('sms', 'instance', 0, null, now() + interval '40 minutes', 'limited', 429, '2026-11-21T12:00:00Z')`);
  });

  it("are listed with their problem and the length of the pause", async () => {
    const { troubles } = (await run("providers", "list", "--json")).json as { troubles: Record<string, unknown>[] };
    expect(troubles.map(({ provider, account, state, failures }) => [provider, account, state, failures])).to.deep.equal([
      ["edge", "a", "open", 5],
      ["edge", "b", "counting", 2],
      ["edge", "c", "half_open", 7],
      ["sms", "instance", "paused", 0],
    ]);
    expect(troubles[0]).to.include({ last_failure: "failed", last_status: 500, since: "2026-11-21T12:00:00+00:00" });
    // Of the 20 and 40 minutes some are over by now.
    expect(troubles.map(({ seconds }) => Math.ceil((seconds as number) / 1200))).to.deep.equal([1, 0, 0, 2]);
    expect((await run("providers", "list")).out).to.match(/edge +a +open +5 +\d+ s +failed \(500\) +2026-11-21T12:00:00/);
  });

  it("are called again at once when the operator says so", async () => {
    expect((await run("providers", "reopen", "edge", "a")).status).to.equal(0);
    const again = await run("providers", "reopen", "edge", "a");
    expect([again.status, again.err]).to.deep.equal([2, "Account 'a' of 'edge' has no problem; see `providers list`.\n"]);
    await sql.query("delete from provider_troubles");
    expect((await run("providers", "list")).out).to.equal("Every account that was called answers.\n");
  });
});
