import { expect } from "chai";
import pg from "pg";
import { UptimeKumaSimulator } from "../simulators/uptime-kuma.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { holdTimesOfDay, until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { makeTenant, type Tenant } from "../support/service.ts";

/** How often a node is killed between the server's yes and ours; more before a release. */
const ROUNDS = Number(process.env["UPTIME_CRASH_ROUNDS"] ?? 2);

describe("two nodes at one uptime server", function () {
  this.timeout(600_000);
  const kuma = new UptimeKumaSimulator();
  const nodes: Spawned[] = [];
  let nats: Spawned | undefined;
  let database: TestDatabase;
  let sql: pg.Client;
  let tenant: Tenant;
  let instanceId: string;
  /** The node that the next call goes to. */
  let turn = 0;

  const launch = () =>
    launchService({
      ...nodeSettings(database, nats),
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
      SERVICE_ACCOUNT_SYNC_HOURS: "0",
      SERVICE_JOBS_POLL_MS: "500",
    });
  const aMinuteLater = () => sql.query("update uptime_leases set last_login_at = null");
  const holdingNode = async (): Promise<string> =>
    (await sql.query("select node from uptime_leases where held_until > now()")).rows[0]?.node ?? "";
  const named = (name: string) => [...kuma.monitors.values()].filter((monitor) => monitor.name === name);
  const create = (name: string) =>
    tenant.owner.post("/uptime/monitors", { instance_id: instanceId, name, target: `https://${name.toLowerCase()}.example/` });

  before(async function () {
    requireNats(this);
    await kuma.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdTimesOfDay(sql);
    nats = await startNats();
    nodes.push(...(await Promise.all([launch(), launch()])));
    tenant = await makeTenant(sql, () => nodes[turn % nodes.length]?.port as number, "agency");
    for (turn of [0, 1]) await until(async () => (await tenant.owner.get("/uptime/instances")).status === 200);
    instanceId = (await tenant.owner.post("/uptime/instances", { name: "Kuma", base_url: kuma.url })).body.id;
    const { body } = await tenant.owner.post(`/uptime/instances/${instanceId}/enrol`, kuma.account);
    expect(body).to.include({ ok: true });
  });
  afterEach(() => expect(kuma.complaints).to.deep.equal([]));
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
    await kuma.stop();
  });

  it("keep one socket, for calls at either of them, at once and in turn", async () => {
    turn = 0;
    const { id } = (await create("Both")).body;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        turn = n;
        return tenant.owner.patch(`/uptime/monitors/${id}`, { interval_seconds: 100 + n });
      }),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    for (turn = 0; turn < 4; turn++)
      expect((await tenant.owner.post(`/uptime/instances/${instanceId}/sync`)).body).to.include({ ok: true });
    expect([kuma.mostOpen, kuma.count("login"), kuma.count("loginByToken")]).to.deep.equal([1, 1, 0]);
    expect(kuma.count("editMonitor")).to.be.within(1, 20);
  });

  it(`store the server's monitors once, over ${ROUNDS} kills between its yes and ours`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = `Killed${round}`;
      let release = () => {};
      kuma.fail("add", { kind: "wait", until: new Promise<void>((resolve) => (release = resolve)) });
      turn = round;
      const lost = create(name).catch(() => null);
      await until(() => named(name).length === 1);
      // The node with the request dies, and with it the one with the session: they may be the same.
      await Promise.all(nodes.map((node) => node.kill()));
      release();
      await lost;
      const rows = async () =>
        (await sql.query("select remote_id, sync_status from uptime_monitors where name = $1", [name])).rows;
      // Before the next nodes start, which on a busy machine takes as long as the first wait for another try.
      expect(await rows()).to.deep.equal([{ remote_id: null, sync_status: "pending" }]);
      nodes.splice(0, nodes.length, ...(await Promise.all([launch(), launch()])));
      for (turn of [0, 1]) await until(async () => (await tenant.owner.get("/uptime/instances")).status === 200);
      // Two minutes later, and a minute after the last login.
      await aMinuteLater();
      await sql.query("update outbox set run_at = now() where job = 'uptime.push'");
      await until(async () => {
        await sql.query(
          "update jobs.agenda_jobs set next_run_at = now() where name = 'uptime.push' and locked_at is null and next_run_at > now()",
        );
        const [row] = await rows();
        return row?.sync_status !== "pending";
      }, 90_000);
      expect(await rows()).to.deep.equal([{ remote_id: named(name)[0]?.id, sync_status: "active" }]);
      expect(named(name)).to.have.length(1);
    }
  });

  it("hand the session on when the node that has it dies", async () => {
    const holder = await until(holdingNode);
    const { rows } = await sql.query("select node from uptime_leases");
    expect(rows).to.have.length(1);
    // Names of nodes end in their process id.
    const dies = nodes.findIndex(({ pid }) => holder.endsWith(`-${pid}`));
    expect(dies, holder).to.be.at.least(0);
    await nodes[dies]?.kill();
    nodes.splice(dies, 1);
    await aMinuteLater();
    await until(async () => (await tenant.owner.post(`/uptime/instances/${instanceId}/sync`)).body?.ok === true, 90_000);
    expect(await holdingNode()).to.not.equal(holder);
    expect(kuma.mostOpen).to.equal(1);
  });
});
