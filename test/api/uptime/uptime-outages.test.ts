import { expect } from "chai";
import type { UptimeKumaSimulator } from "../../simulators/uptime-kuma.ts";
import { send } from "../../support/http.ts";
import { keepEvents, strike, until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { addRule } from "../automation/automation-support.ts";
import { engine, type Row, startUptime, type UptimeWorld } from "./uptime-world.ts";

type Status = "down" | "up" | "pending" | "maintenance";

describe("outages of monitors (workspace-reporting §5)", function () {
  this.timeout(60_000);
  let world: UptimeWorld;
  let kuma: UptimeKumaSimulator;
  let tenant: Tenant;
  let linked: Row;
  let number = 0;
  before(async () => {
    world = await startUptime();
    ({ kuma } = world);
    tenant = await world.service.tenant();
    linked = await world.linked(tenant);
    await engine(world.service).ready();
    await keepEvents(world.service);
  });
  afterEach(() => expect(kuma.complaints).to.deep.equal([]));
  after(() => world.stop());

  const monitor = async (values: Record<string, unknown> = {}): Promise<Row> => {
    number += 1;
    kuma.seed([{ id: number, name: `M${number}`, type: "http", accepted_statuscodes: [] }]);
    const target = values["monitor_type"] === "group" ? {} : { target: `https://m${number}.example/` };
    const sent = { instance_id: linked.id, remote_id: number, name: `M${number}`, ...target, ...values };
    const made = await tenant.owner.post("/uptime/monitors", sent);
    expect(made.status, made.text).to.equal(201);
    return made.body;
  };
  const delivered = async (row: Row, status: Status, at: Date) => {
    const path = `//api/v1${new URL(linked["webhook_url"]).pathname.replace("/api/v1", "")}`;
    const body = kuma.delivery(kuma.beat(row["remote_id"], status, at, `${status} now`, false), {});
    const answer = await send(world.service.port, "POST", path, { body, headers: { "Content-Type": "application/json" } });
    expect(answer.status).to.equal(200);
  };
  /** Delivers statuses, each so many minutes after the beginning. */
  const series = async (row: Row, begin: number, beats: readonly [Status, number][]) => {
    for (const [status, minute] of beats) await delivered(row, status, new Date(begin + minute * 60_000));
  };
  /** What happened of a monitor, oldest first. */
  const events = async ({ id }: Row): Promise<string[]> => {
    const { rows } = await world.service.sql.query(
      "select event from outbox where entity_id = $1 and event like 'uptime.monitor%' order by id",
      [id],
    );
    return rows.map(({ event }) => event);
  };
  const notified = async ({ id }: Row): Promise<Row[]> =>
    (await tenant.owner.get("/notifications?limit=200")).body.items.filter((row: Row) => row["entity_id"] === id).toReversed();
  const kinds = async (row: Row) => (await notified(row)).map(({ event_type }) => event_type);
  const incidents = async ({ id }: Row) =>
    (await tenant.owner.get(`/uptime/monitors/${id}/incidents`)).body.items.map(({ start, end, minutes }: Row) => [
      start.slice(11, 16),
      end?.slice(11, 16) ?? null,
      minutes,
    ]);
  const BEGIN = Date.UTC(2026, 2, 2, 10);
  const BOTH = ["uptime.monitor.down", "uptime.monitor_down", "uptime.monitor.up", "uptime.monitor_up"];

  it("end with the first up: it is reported once, with the length, to people, webhooks and rules", async () => {
    const row = await monitor();
    await addRule(tenant, { name: "Down", trigger_event: "uptime.monitor_down" });
    await addRule(tenant, {
      name: "Up",
      trigger_event: "uptime.monitor_up",
      conditions: { field: "minutes", op: "gt", value: 10 },
    });
    await series(row, BEGIN, [
      ["up", 0],
      ["down", 5],
      ["pending", 7],
      ["down", 8],
      ["up", 17],
      ["up", 18],
    ]);
    expect(await events(row)).to.deep.equal(BOTH);
    const [down, up] = await notified(row);
    expect(down?.["payload"]).to.include({ at: "2026-03-02T10:05:00.000Z", message: "down now" });
    const common = { monitor_id: row.id, title: row["name"], target: row["target"], company_id: null, website_id: null };
    const length = { at: "2026-03-02T10:17:00.000Z", down_since: "2026-03-02T10:05:00.000Z", minutes: 12 };
    expect(up).to.deep.include({ event_type: "uptime.monitor.up", payload: { ...common, ...length } });
    const runs = async () => (await tenant.owner.get("/automation/runs?limit=50")).body.items;
    await until(async () => (await runs()).length === 2);
    const run = (await runs()).find(({ rule_name }: Row) => rule_name === "Up");
    const { monitor_id: _, ...fields } = common;
    expect(run.payload).to.deep.equal({ ...fields, ...length, id: row.id, status: "up", from: "down", to: "up" });
    const { body } = await tenant.owner.get("/webhooks/events");
    for (const name of BOTH) expect(JSON.stringify(body), name).to.include(`"${name}"`);
  });

  it("are listed with start, end and minutes, newest first", async () => {
    const row = await monitor();
    await series(row, BEGIN, [
      ["down", 0],
      ["up", 3],
      ["down", 30],
      ["maintenance", 40],
      ["up", 90],
      ["down", 120],
    ]);
    expect(await incidents(row)).to.deep.equal([
      ["12:00", null, null],
      ["10:30", "11:30", 60],
      ["10:00", "10:03", 3],
    ]);
    const path = `/uptime/monitors/${row.id}/incidents`;
    const count = async (query: string) => (await tenant.owner.get(`${path}${query}`)).body.total;
    expect(await count("?from=2026-03-02T11:00:00Z&before=2026-03-02T12:00:00Z")).to.equal(1);
    const { statements } = await tenant.owner.get(path);
    await series(row, BEGIN + 24 * 3_600_000, [
      ["up", 0],
      ["down", 30],
      ["up", 60],
    ]);
    expect((await tenant.owner.get(path)).statements).to.equal(statements);
    expect((await tenant.owner.get(`/uptime/monitors/${crypto.randomUUID()}/incidents`)).status).to.equal(404);
  });

  it("are not changed by a heartbeat that arrives late", async () => {
    const row = await monitor();
    await series(row, BEGIN, [
      ["down", 10],
      ["up", 5],
      ["down", 4],
      ["up", 20],
    ]);
    expect(await incidents(row)).to.deep.equal([["10:10", "10:20", 10]]);
    expect(await events(row)).to.deep.equal(BOTH);
  });

  describe("of a flapping monitor", () => {
    const FLAPS: [Status, number][] = [
      ["up", 0],
      ["down", 1],
      ["up", 3],
      ["down", 5],
      ["up", 7],
      ["down", 9],
      ["up", 11],
      ["down", 13],
      ["up", 14],
    ];
    const isFlapping = async (row: Row) => (await tenant.owner.get(`/uptime/monitors/${row.id}`)).body.flapping;

    it("are reported by one notification at the sixth change, and no trigger or webhook, until 15 minutes pass without a change", async () => {
      const row = await monitor();
      await series(row, BEGIN, FLAPS);
      const two = [...BOTH, ...BOTH, "uptime.monitor.down", "uptime.monitor_down"];
      expect(await events(row)).to.deep.equal([...two, "uptime.monitor.flapping"]);
      expect(await isFlapping(row)).to.equal(true);
      await series(row, BEGIN, [["down", 28]]);
      expect(await events(row)).to.deep.equal([...two, "uptime.monitor.flapping"]);
      await series(row, BEGIN, [["up", 43]]);
      expect(await isFlapping(row)).to.equal(false);
      expect(await events(row)).to.deep.equal([...two, "uptime.monitor.flapping", "uptime.monitor.up", "uptime.monitor_up"]);
      expect((await notified(row)).at(-1)?.["payload"]).to.include({ minutes: 15 });
      expect((await incidents(row))[0]).to.deep.equal(["10:28", "10:43", 15]);
    });

    it("take more than five changes: five, or six in a longer time, are each reported", async () => {
      const [five, slow] = [await monitor(), await monitor()];
      await series(five, BEGIN, FLAPS.slice(0, 6));
      await series(
        slow,
        BEGIN,
        FLAPS.map(([status, minute]) => [status, minute * 2]),
      );
      for (const row of [five, slow]) expect(await events(row)).to.not.include("uptime.monitor.flapping");
    });

    it("are settled by the job once nothing has changed for 15 minutes: the state is reported, once", async () => {
      const [up, down, still] = [await monitor(), await monitor(), await monitor()];
      const ago = (minutes: number) => Date.now() - minutes * 60_000;
      await series(up, ago(40), FLAPS);
      await series(down, ago(40), FLAPS.slice(0, -1));
      await series(still, ago(20), FLAPS);
      for (let n = 0; n < 2; n++) {
        await strike(world.service, "uptime.monitors.settle");
        await until(async () => (await kinds(up)).at(-1) === "uptime.monitor.up");
      }
      await until(async () => (await kinds(down)).at(-1) === "uptime.monitor.down");
      expect((await notified(up)).at(-1)?.["payload"]).to.include({ minutes: 1 });
      expect((await notified(down)).at(-1)?.["payload"]).to.include({ message: "down now" });
      expect((await kinds(still)).at(-1)).to.equal("uptime.monitor.flapping");
      expect((await events(up)).slice(-3)).to.deep.equal(["uptime.monitor.flapping", "uptime.monitor.up", "uptime.monitor_up"]);
    });
  });

  it("of a paused monitor, or of one below a paused group, are stored and not reported until it is resumed", async () => {
    const outer = await monitor({ monitor_type: "group" });
    const inner = await monitor({ monitor_type: "group", parent_id: outer.id });
    const below = await monitor({ parent_id: inner.id });
    const paused = await monitor();
    const pause = (row: Row, active: boolean) =>
      world.service.sql.query("update uptime_monitors set active = $2 where id = $1", [row.id, active]);
    await pause(outer, false);
    await pause(paused, false);
    for (const row of [below, paused])
      await series(row, BEGIN, [
        ["up", 0],
        ["down", 5],
        ["up", 6],
        ["down", 60],
      ]);
    for (const row of [below, paused]) {
      expect(await events(row)).to.deep.equal([]);
      expect(await incidents(row)).to.deep.equal([
        ["11:00", null, null],
        ["10:05", "10:06", 1],
      ]);
      expect(await tenant.owner.get(`/uptime/monitors/${row.id}`)).to.have.nested.property("body.status", "down");
    }
    await pause(outer, true);
    await strike(world.service, "uptime.monitors.settle");
    await until(async () => (await events(below)).length > 0);
    expect(await events(below)).to.deep.equal(BOTH.slice(0, 2));
    expect(await events(paused)).to.deep.equal([]);
  });

  it("are reported once if two nodes record the same heartbeat at the same moment", async () => {
    const row = await monitor();
    await series(row, BEGIN, [["up", 0]]);
    await Promise.all(Array.from({ length: 6 }, () => series(row, BEGIN, [["down", 5]])));
    await Promise.all(Array.from({ length: 6 }, () => series(row, BEGIN, [["up", 9]])));
    expect(await events(row)).to.deep.equal(BOTH);
    expect(await incidents(row)).to.deep.equal([["10:05", "10:09", 4]]);
  });
});
