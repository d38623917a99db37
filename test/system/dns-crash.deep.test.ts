import { expect } from "chai";
import pg from "pg";
import { ns, ZoneServer } from "../simulators/zones.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { holdTimesOfDay, until } from "../support/jobs.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { makeTenant } from "../support/service.ts";

const NAMES = ["one.example", "two.example", "three.example"];

describe("look-ups of new domains by a node that dies (assets §2.6)", function () {
  this.timeout(180_000);
  const zones = new ZoneServer();
  let database: TestDatabase;
  let sql: pg.Client;
  let node: Spawned;
  const start = () => launchService({ ...nodeSettings(database), SERVICE_OUTBOUND_NAME_SERVERS: zones.address });
  before(async () => {
    await zones.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdTimesOfDay(sql);
    node = await start();
  });
  after(async () => {
    await node?.stop();
    await sql?.end();
    await database?.drop();
    await zones.stop();
  });

  it("are repeated by the next node, each domain once, and none is left due", async () => {
    zones.script = () => null;
    const tenant = await makeTenant(sql, () => node.port as number, "domains");
    const company = await tenant.company();
    for (const name of NAMES) await tenant.owner.post("/domains", { name, company_id: company.id });
    // Its name servers do not answer: it is being looked up when the node dies. Those before it may have been given up.
    await until(() => zones.asked.some(({ name }) => name === NAMES.at(-1)));
    await node.kill();
    const stored = async () => (await sql.query("select name, nameservers, dns_look_at from domains order by created_at")).rows;
    const due = (await stored()).filter(({ dns_look_at }) => dns_look_at !== null).map(({ name }) => name as string);
    expect(due).to.include(NAMES.at(-1));

    zones.asked.length = 0;
    zones.script = ({ name, type }) => ({ answers: type === "NS" ? [ns(name, "ns.host.example")] : [] });
    // The lock of the dead node has run out.
    await sql.query("update jobs.agenda_jobs set locked_at = locked_at - interval '1 hour' where locked_at is not null");
    node = await start();
    await until(async () => (await stored()).every(({ dns_look_at }) => dns_look_at === null));
    expect((await stored()).filter(({ name }) => due.includes(name))).to.deep.equal(
      due.map((name) => ({ name, nameservers: ["ns.host.example"], dns_look_at: null })),
    );
    expect(zones.asked.map(({ name, type }) => `${name} ${type}`).sort()).to.deep.equal(
      due.flatMap((name) => ["DNSKEY", "MX", "NS"].map((type) => `${name} ${type}`)).sort(),
    );
    expect((await sql.query("select 1 from jobs.agenda_jobs where fail_count > 0")).rowCount).to.equal(0);
  });
});
