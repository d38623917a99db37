import { expect } from "chai";
import type { UptimeKumaSimulator } from "../../simulators/uptime-kuma.ts";
import { until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { engine, type Row, startUptime, type UptimeWorld } from "../uptime/uptime-world.ts";
import { addRule, type Run, runsOf } from "./automation-support.ts";

describe("uptime.pause of a rule (platform §2.1)", function () {
  this.timeout(60_000);
  let world: UptimeWorld;
  let kuma: UptimeKumaSimulator;
  let tenant: Tenant;
  let instance: Row;
  before(async () => {
    world = await startUptime();
    ({ kuma } = world);
    await engine(world.service).ready();
  });
  after(() => world.stop());
  beforeEach(async () => {
    tenant = await world.service.tenant();
    instance = await world.instance(tenant);
    await world.aMinuteLater();
  });

  const monitor = async (): Promise<Row> => {
    const body = { instance_id: instance.id, name: "Site", target: "https://site.example/" };
    const { status, body: made, text } = await tenant.owner.post("/uptime/monitors", body);
    expect(status, text).to.equal(201);
    return made;
  };
  const pausing = (minutes: unknown) =>
    addRule(tenant, {
      trigger_event: "uptime.monitor_down",
      actions: [{ action_type: "uptime.pause", config: { minutes } as object }],
    });
  /** Reports the monitor down by its server, which triggers the rules. */
  const goDown = async (row: Row, at = new Date()) => {
    const { webhook_url } = (await tenant.owner.get(`/uptime/instances/${instance.id}`)).body;
    const path = `//api/v1${new URL(webhook_url).pathname.replace("/api/v1", "")}`;
    const body = kuma.delivery(kuma.beat(row["remote_id"], "down", at, "down now", false), {});
    const headers = { "Content-Type": "application/json" };
    const { status } = await world.service.call("POST", path, { body, headers, host: tenant.host });
    expect(status).to.equal(200);
  };
  const ended = async (count: number): Promise<Run[]> => {
    let runs: Run[] = [];
    await until(async () => {
      runs = await runsOf(tenant.owner);
      return runs.length === count && runs.every(({ finished_at }) => finished_at !== null);
    });
    return runs;
  };
  const read = async ({ id }: Row): Promise<Row> => (await tenant.owner.get(`/uptime/monitors/${id}`)).body;
  const isActiveThere = (row: Row) => kuma.monitors.get(row["remote_id"])?.["active"];
  const jobs = async () =>
    (await world.service.sql.query("select id from jobs.agenda_jobs where name = 'uptime.resume' and next_run_at is not null"))
      .rowCount;
  const notify = (what: object) =>
    world.service.sql.query("select pg_notify('kantoor_jobs', $1)", [JSON.stringify({ node: "the test", ...what })]);
  /** Lets so many pauses end now, and waits for what that causes. */
  const end = async (pauses: number) => {
    await until(async () => {
      await notify({ relay: true, wakes: [] });
      return (await jobs()) === pauses;
    });
    await world.service.sql.query("update jobs.agenda_jobs set next_run_at = now() where name = 'uptime.resume'");
    await notify({ wakes: [["uptime.resume", 0]] });
    await until(async () => (await jobs()) === 0);
  };

  it("pauses the monitor at its server, shows when that ends, and then resumes it", async () => {
    await pausing(60);
    const row = await monitor();
    expect(row["paused_until"]).to.equal(null);
    await goDown(row);
    const [run] = await ended(1);
    const paused = await read(row);
    expect([run?.status, run?.error]).to.deep.equal(["succeeded", null]);
    expect(run?.steps[0]?.result).to.deep.equal({
      monitor_id: row.id,
      paused_until: new Date(paused["paused_until"]).toISOString(),
    });
    const minutes = (Date.parse(paused["paused_until"]) - Date.parse(run?.finished_at ?? "")) / 60_000;
    expect(minutes).to.be.within(58, 60);
    expect([paused["active"], isActiveThere(row)]).to.deep.equal([false, false]);
    await end(1);
    const resumed = await read(row);
    expect([resumed["active"], resumed["paused_until"], isActiveThere(row)]).to.deep.equal([true, null, true]);
  });

  it("leaves a monitor that a person resumed, or paused, since", async () => {
    await pausing(30);
    const row = await monitor();
    await goDown(row);
    await ended(1);
    expect((await tenant.owner.post(`/uptime/monitors/${row.id}/pause`)).body).to.include({ active: false, paused_until: null });
    await end(1);
    expect([(await read(row))["active"], isActiveThere(row)], "paused by a person").to.deep.equal([false, false]);
    expect((await tenant.owner.post(`/uptime/monitors/${row.id}/resume`)).body).to.include({ active: true, paused_until: null });
  });

  it("keeps a pause without an end, and lengthens its own to the later end", async () => {
    await pausing(30);
    await pausing(90);
    await pausing(10);
    const [person, rule] = [await monitor(), await monitor()];
    await goDown(rule);
    const runs = await ended(3);
    const ends = runs.map(({ steps }) => Date.parse(steps[0]?.result?.["paused_until"] as string));
    expect(ends[1]).to.equal(ends[2]);
    expect(ends[1]).to.be.greaterThan(ends[0] ?? 0);
    expect(Date.parse((await read(rule))["paused_until"])).to.equal(ends[1]);
    // A paused monitor reports nothing, so the person pauses it between the event and the run.
    await goDown(person);
    await tenant.owner.post(`/uptime/monitors/${person.id}/pause`);
    const late = (await ended(6)).slice(3);
    expect(late.map(({ steps }) => steps[0]?.result)).to.deep.equal(
      late.map(() => ({ monitor_id: person.id, paused_until: null })),
    );
    await end(3);
    expect([(await read(person))["active"], (await read(rule))["active"]]).to.deep.equal([false, true]);
  });

  it("fails with the key of the refusal, and of minutes that it cannot use", async () => {
    await pausing(0);
    await pausing("soon");
    await pausing(5);
    instance = await world.linked(tenant);
    const body = { instance_id: instance.id, remote_id: 77, name: "Linked", target: "https://linked.example/" };
    const row = (await tenant.owner.post("/uptime/monitors", body)).body;
    kuma.seed([{ id: 77, name: "Linked", type: "http", accepted_statuscodes: [] }]);
    await goDown(row);
    const config = "errors.automation_action_config_invalid";
    expect((await ended(3)).map(({ error }) => error)).to.deep.equal([config, config, "errors.uptime_linked_instance"]);
    expect((await read(row))["active"]).to.equal(true);
  });
});
