import { expect } from "chai";
import pg from "pg";
import { systemRequest } from "../../../core/request/system.ts";
import { recordBeats } from "../../../integrations/uptime/heartbeats/recording.ts";
import type { RemoteMonitor } from "../../../integrations/uptime/kuma/remote-monitor.ts";
import { storeMonitors } from "../../../integrations/uptime/sync/store-monitors.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import type { UptimeKumaSimulator } from "../../simulators/uptime-kuma.ts";
import { strike, until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { engine, type Row, startUptime, type UptimeWorld } from "./uptime-world.ts";

describe("reading an uptime server (workspace-reporting §5)", function () {
  this.timeout(60_000);
  let world: UptimeWorld;
  let kuma: UptimeKumaSimulator;
  let tenant: Tenant;
  let instance: Row;
  before(async () => {
    world = await startUptime();
    ({ kuma } = world);
    tenant = await world.service.tenant();
    instance = await world.instance(tenant);
    await engine(world.service).ready();
  });
  beforeEach(() => kuma.reset());
  afterEach(() => expect(kuma.complaints).to.deep.equal([]));
  after(() => world.stop());

  const sync = async (): Promise<Row> => (await tenant.owner.post(`/uptime/instances/${instance.id}/sync`)).body;
  const byName = async (name: string): Promise<Row> =>
    (await tenant.owner.get(`/uptime/monitors?q=${encodeURIComponent(`"${name}"`)}`)).body.items[0];
  const create = async (values: Record<string, unknown>): Promise<Row> =>
    (await tenant.owner.post("/uptime/monitors", { instance_id: instance.id, ...values })).body;
  const remote = (row: Row) => kuma.monitors.get(row["remote_id"]) as Record<string, unknown>;
  const alarms = async (): Promise<string[]> =>
    (await tenant.owner.get("/notifications?limit=200")).body.items
      .filter((row: Row) => row["event_type"] === "uptime.monitor.down")
      .map((row: Row) => row["entity_id"]);

  describe("POST /uptime/instances/{id}/sync", () => {
    it("reads all monitors, groups included, and writes nothing at the server", async () => {
      const group = kuma.add({ name: "Sites", type: "group" });
      kuma.add({ name: "Inside", type: "http", url: "https://inside.example", parent: group, interval: 1, maxretries: 40 });
      kuma.add({ name: "Database", type: "postgres" });
      kuma.reset();
      const result = await sync();
      expect(result).to.deep.equal({
        ok: true,
        found: 3,
        added: 3,
        changed: 0,
        drifted: 0,
        missing: 0,
        untracked: 0,
        error: null,
      });
      expect(kuma.received.map(({ event }) => event)).to.deep.equal(["getMonitorList"]);
      expect(await byName("Inside")).to.include({
        parent_name: "Sites",
        target: "https://inside.example",
        interval_seconds: 1,
        effective_interval_seconds: 1,
        retries: 40,
        adopted: true,
        sync_status: "active",
      });
      expect(await byName("Database")).to.include({ monitor_type: "postgres", target: null });
      expect(await sync()).to.include({ added: 0, changed: 0 });
    });

    it("stores names that PostgreSQL cannot hold as they are: NUL, half a surrogate pair, a cut through one", async () => {
      const names = ["a\u0000b", "a\ud800b", `${"n".repeat(999)}\u{1f534}`];
      const ids = names.map((name) => kuma.add({ name, type: "ping", hostname: "a.example" }));
      expect(await sync()).to.include({ ok: true, added: 3 });
      const { items } = (await tenant.owner.get(`/uptime/monitors?instance_id=${instance.id}&limit=200`)).body;
      const stored = ids.map((id) => items.find((row: Row) => row["remote_id"] === id)?.name);
      expect(stored).to.deep.equal(["a b", "a\ufffdb", "n".repeat(999)]);
    });

    it("never lets an adopted monitor drift: the server's settings apply", async () => {
      const id = kuma.add({ name: "Adopted", type: "http", url: "https://adopted.example" });
      await sync();
      Object.assign(kuma.monitors.get(id) as object, { name: "Adopted elsewhere", interval: 33 });
      expect(await sync()).to.include({ changed: 1, drifted: 0 });
      expect(await byName("Adopted elsewhere")).to.include({ sync_status: "active", interval_seconds: 33 });
    });

    it("records the server's differences for one created here, and changes neither; a push repairs it", async () => {
      const row = await create({ name: "Ours", target: "https://ours.example" });
      Object.assign(remote(row), {
        name: "Theirs",
        url: "https://theirs.example",
        interval: 61,
        maxretries: 9,
        description: "kept",
      });
      expect(await sync()).to.include({ drifted: 1 });
      expect(await byName("Ours")).to.deep.include({
        sync_status: "drift",
        drift_fields: ["name", "target", "interval_seconds", "retries"],
        target: "https://ours.example",
      });
      expect(remote(row)["name"]).to.equal("Theirs");
      const pushed = (await tenant.owner.post(`/uptime/monitors/${row.id}/push`)).body;
      expect(pushed).to.deep.include({ sync_status: "active", drift_fields: [] });
      expect(remote(row)).to.include({
        name: "Ours",
        url: "https://ours.example",
        interval: 60,
        maxretries: 1,
        description: "kept",
      });
    });

    it("keeps a change of an adopted monitor that is not written yet, until a push writes it", async () => {
      const id = kuma.add({ name: "Edited here", type: "http", url: "https://edited.example" });
      await sync();
      const row = await byName("Edited here");
      kuma.fail("editMonitor", { kind: "refuse", msg: "busy" });
      expect((await tenant.owner.patch(`/uptime/monitors/${row.id}`, { name: "Edited again" })).status).to.equal(502);
      Object.assign(kuma.monitors.get(id) as object, { interval: 33 });
      expect(await sync()).to.include({ ok: true, drifted: 0 });
      expect(await byName("Edited again")).to.include({
        sync_status: "error",
        interval_seconds: 33,
        last_error: "editMonitor: busy",
      });
      await tenant.owner.post(`/uptime/monitors/${row.id}/push`);
      expect(kuma.monitors.get(id)).to.include({ name: "Edited again", interval: 33 });
      expect(await sync()).to.include({ ok: true, changed: 0 });
    });

    it("leaves a profile's change of an adopted monitor to the job that writes it", async () => {
      const id = kuma.add({ name: "Profiled", type: "http", url: "https://profiled.example" });
      await sync();
      const row = await byName("Profiled");
      const { id: profile_id } = (await tenant.owner.post("/uptime/profiles", { name: "Slow", timeout_seconds: 10 })).body;
      await tenant.owner.patch(`/uptime/monitors/${row.id}`, { profile_id });
      const { sql } = world.service;
      await sql.query("update uptime_monitors set sync_status = 'pending', unpushed = '{timeout_seconds}' where id = $1", [
        row.id,
      ]);
      expect(await sync()).to.include({ ok: true });
      expect(await byName("Profiled")).to.include({ sync_status: "pending" });
      expect(kuma.monitors.get(id)).to.include({ timeout: 10 });
    });

    it("takes pausing at the server as it is: never drift", async () => {
      const row = await create({ name: "Paused there", target: "https://paused.example" });
      remote(row)["active"] = false;
      expect(await sync()).to.include({ drifted: 0 });
      expect(await byName("Paused there")).to.include({ active: false, sync_status: "active" });
    });

    it("marks unlisted monitors as missing, and restores them", async () => {
      const row = await create({ name: "Comes and goes", target: "https://gone.example" });
      const held = remote(row);
      kuma.monitors.delete(row["remote_id"]);
      expect(await sync()).to.include({ missing: 1 });
      expect(await byName("Comes and goes")).to.include({ sync_status: "missing" });
      kuma.seed([held as never]);
      expect(await sync()).to.include({ missing: 0 });
      expect(await byName("Comes and goes")).to.include({ sync_status: "active" });
    });

    it("takes a list that does not come for an error, never for no monitors: the list is an event and not the answer", async () => {
      kuma.fail("getMonitorList", { kind: "silent" });
      // It is waited for as long as an answer is.
      expect(await sync()).to.include({ ok: false, error: "errors.uptime_unreachable", found: 0 });
      const { rows } = await world.service.sql.query("select 1 from uptime_monitors where sync_status = 'missing'");
      expect(rows).to.deep.equal([]);
      expect(await sync()).to.include({ ok: true });
    });

    it("finds a created but unanswered monitor by its name and target", async () => {
      kuma.fail("add", { kind: "lose" });
      const lost = tenant.owner.post("/uptime/monitors", {
        instance_id: instance.id,
        name: "Unheard",
        target: "https://unheard.example",
      });
      await until(() => [...kuma.monitors.values()].some(({ name }) => name === "Unheard"));
      kuma.cut();
      await lost;
      await world.aMinuteLater();
      expect(await sync()).to.include({ ok: true, added: 0 });
      expect(await byName("Unheard")).to.include({ adopted: false, sync_status: "active" });
    });

    it("stores 1,000 monitors in as many statements as 3", async () => {
      const monitors = (count: number, from: number): RemoteMonitor[] =>
        Array.from({ length: count }, (_, n) => ({
          id: from + n,
          name: `Many ${from + n}`,
          type: "http",
          target: `https://many${from + n}.example`,
          port: null,
          interval: 60,
          retries: 1,
          parent: null,
          active: true,
        }));
      const statementsOf = async (list: RemoteMonitor[], at: Row) => {
        let statements = 0;
        await inTenancy(
          () => systemRequest("a test", tenant.organisation, "write"),
          async (store) => {
            await storeMonitors(at.id, list);
            statements = store.statements;
          },
        );
        return statements;
      };
      const [few, many] = [await world.linked(tenant), await world.linked(tenant)];
      const first = await statementsOf(monitors(3, 1), few);
      expect(await statementsOf(monitors(1_000, 1), many)).to.equal(first);
      // Once more, changed all over.
      const again = await statementsOf(
        monitors(3, 1).map((one) => ({ ...one, interval: 90 })),
        few,
      );
      expect(
        await statementsOf(
          monitors(1_000, 1).map((one) => ({ ...one, interval: 90 })),
          many,
        ),
      ).to.equal(again);
      const { rows } = await world.service.sql.query("select count(*)::int as n from uptime_monitors where instance_id = $1", [
        many.id,
      ]);
      expect(rows[0].n).to.equal(1_000);
    });
  });

  describe("the newest heartbeats, every five minutes and after a reconnection", () => {
    const look = async () => {
      await strike(world.service, "uptime.heartbeats");
      await until(async () => {
        const left =
          "select 1 from jobs.agenda_jobs where name = 'uptime.heartbeats.read' and (locked_at is not null or next_run_at <= now())";
        const waiting = "select 1 from outbox where relayed_at is null and job = 'uptime.heartbeats.read'";
        return (await world.service.sql.query(`${left} union all ${waiting}`)).rowCount === 0;
      });
    };

    it("find an alarm with a failed delivery, and report it once", async () => {
      const row = await create({ name: "Fell", target: "https://fell.example" });
      // A look that finds no session leaves it to the next.
      const found = (status: string) =>
        until(async () => {
          await look();
          return (await byName("Fell"))["status"] === status;
        });
      kuma.beat(row["remote_id"], "up", new Date(Date.now() - 60_000));
      await found("up");
      kuma.beat(row["remote_id"], "down", new Date(Date.now() - 30_000));
      await found("down");
      for (let n = 0; n < 2; n++) await look();
      expect((await alarms()).filter((id) => id === row.id)).to.have.length(1);
      expect((await tenant.owner.get(`/uptime/monitors/${row.id}/heartbeats`)).body.total).to.equal(2);
      expect(kuma.received.filter(({ event }) => event.startsWith("login"))).to.deep.equal([]);
    });

    it("are read when the connection is there again", async () => {
      const row = await create({ name: "Fell unseen", target: "https://unseen.example" });
      kuma.cut();
      kuma.beat(row["remote_id"], "down", new Date(), "", false);
      await world.aMinuteLater();
      expect(await sync()).to.include({ ok: true });
      expect(kuma.count("loginByToken")).to.equal(1);
      await until(async () => (await byName("Fell unseen"))["status"] === "down");
      expect((await alarms()).filter((id) => id === row.id)).to.have.length(1);
    });

    it("are stored while a sync has the server's row, without a deadlock", async () => {
      const row = await create({ name: "Locked", target: "https://locked.example" });
      kuma.beat(row["remote_id"], "up");
      const { sql } = world.service;
      const client = new pg.Client({ connectionString: world.service.database.owner });
      await client.connect();
      try {
        await client.query("begin");
        await client.query("select 1 from uptime_instances where id = $1 for update", [instance.id]);
        await strike(world.service, "uptime.heartbeats");
        await until(async () => (await sql.query("select 1 from pg_locks where not granted")).rowCount === 1);
        // Shorter than the server's wait before it ends a deadlock.
        await client.query("set local lock_timeout = '200ms'");
        await client.query("select 1 from uptime_monitors where instance_id = $1 order by id for update", [instance.id]);
        await client.query("commit");
      } finally {
        await client.end();
      }
      await until(async () => (await byName("Locked"))["status"] === "up");
    });

    it("of 1,000 monitors that go down together need as many statements as of 3, and reach each person in one inbox", async () => {
      const at = await world.linked(tenant);
      await world.service.sql.query(
        `insert into uptime_monitors (id, organisation_id, instance_id, remote_id, name, monitor_type, sync_status, adopted)
         select gen_random_uuid(), $1, $2, n, 'Mass ' || n, 'http', 'active', true from generate_series(1, 1003) n`,
        [tenant.organisation.id, at.id],
      );
      const down = async (from: number, count: number) => {
        let statements = 0;
        await inTenancy(
          () => systemRequest("a test", tenant.organisation, "write"),
          async (store) => {
            const beats = Array.from({ length: count }, (_, n) => ({
              remoteId: from + n,
              status: "down" as const,
              code: 0,
              at: new Date().toISOString(),
              pingMs: null,
              message: null,
            }));
            await recordBeats(at.id, beats, false);
            statements = store.statements;
          },
        );
        return statements;
      };
      const few = await down(1, 3);
      expect(await down(4, 1_000)).to.equal(few);
      const count = async (text: string) => (await world.service.sql.query(text, [tenant.organisation.id])).rows[0].n;
      const mine =
        "select count(*)::int as n from notifications where organisation_id = $1 and event_type = 'uptime.monitor.down'";
      expect(await count(`${mine} and entity_id in (select id from uptime_monitors where name like 'Mass %')`)).to.equal(1_003);
      // A burst: another outage while the first is unread and not visible yet replaces it, and nothing is pushed without a device.
      expect(await count("select count(*)::int as n from notification_deliveries where organisation_id = $1")).to.equal(0);
    });
  });

  describe("retention", () => {
    it("removes heartbeats older than 90 days at 03:20 UTC, and then knows no state older than that", async () => {
      const row = await create({ name: "Long ago", target: "https://longago.example" });
      const { sql } = world.service;
      await sql.query(
        `insert into uptime_heartbeats (id, organisation_id, monitor_id, status, at)
       select gen_random_uuid(), $1, $2, 'up', now() - n * interval '1 day' from unnest(array[89, 91, 400]) n`,
        [tenant.organisation.id, row.id],
      );
      await sql.query(
        "update uptime_monitors set last_status = 'up', last_heartbeat_at = now() - interval '91 days' where id = $1",
        [row.id],
      );
      const { rows } = await sql.query(
        "select repeat_interval from jobs.agenda_jobs where name = 'uptime.heartbeats.clear' and type = 'single'",
      );
      expect(rows[0].repeat_interval).to.include("20 3 * * *");
      await strike(world.service, "uptime.heartbeats.clear");
      await until(async () => (await tenant.owner.get(`/uptime/monitors/${row.id}/heartbeats`)).body.total === 1);
      await until(async () => (await byName("Long ago"))["status"] === null);
    });
  });
});
