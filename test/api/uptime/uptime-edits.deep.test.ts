import { expect } from "chai";
import type { UptimeKumaSimulator } from "../../simulators/uptime-kuma.ts";
import { until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { type Row, startUptime, type UptimeWorld } from "./uptime-world.ts";

describe("what edits write to the server (workspace-reporting §5, Monitor)", function () {
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
  });
  beforeEach(() => kuma.reset());
  afterEach(() => expect(kuma.complaints).to.deep.equal([]));
  after(() => world.stop());

  let counter = 0;
  const create = (values: Record<string, unknown>) =>
    tenant.owner.post("/uptime/monitors", {
      instance_id: instance.id,
      name: `Monitor ${++counter}`,
      target: `https://m${counter}.example/`,
      ...values,
    });
  const made = async (values: Record<string, unknown>): Promise<Row> => {
    const answer = await create(values);
    if (answer.status !== 201) throw new Error(`no monitor: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const sync = async (): Promise<Row> => (await tenant.owner.post(`/uptime/instances/${instance.id}/sync`)).body;
  const remote = (row: Row) => kuma.monitors.get(row["remote_id"]) as Record<string, unknown>;

  it("writes requested settings of an adopted monitor whose server has values outside our limits", async () => {
    const id = kuma.add({ name: "Every second", type: "http", url: "https://second.example", interval: 1, maxretries: 99 });
    await sync();
    const [row] = (await tenant.owner.get(`/uptime/monitors?q=${encodeURIComponent('"Every second"')}`)).body.items;
    await tenant.owner.patch(`/uptime/monitors/${row.id}`, { interval_seconds: 20 });
    expect(kuma.monitors.get(id)).to.include({ interval: 20, maxretries: 99 });
    await tenant.owner.patch(`/uptime/monitors/${row.id}`, { retries: 10 });
    expect(kuma.monitors.get(id)).to.include({ interval: 20, maxretries: 10 });
  });

  it("writes what the profile of an adopted monitor sets, even the built-in values, except over its own", async () => {
    const values = { type: "http", url: "https://posts.example", method: "POST", interval: 1, maxretries: 5, timeout: 7 };
    const id = kuma.add({ name: "Posts", ...values });
    await sync();
    const [row] = (await tenant.owner.get(`/uptime/monitors?q=${encodeURIComponent('"Posts"')}`)).body.items;
    const profile = { name: "Gets", method: "GET", interval_seconds: 300, retries: 2 };
    const { id: profile_id } = (await tenant.owner.post("/uptime/profiles", profile)).body;
    expect((await tenant.owner.patch(`/uptime/monitors/${row.id}`, { profile_id })).status).to.equal(200);
    expect(kuma.monitors.get(id)).to.include({ method: "GET", interval: 1, maxretries: 5, timeout: 7 });
    // A later change of the profile does the same.
    const later = { timeout_seconds: 48, retries: 3 };
    expect((await tenant.owner.patch(`/uptime/profiles/${profile_id}`, later)).status).to.equal(200);
    await until(() => kuma.monitors.get(id)?.["timeout"] === 48, 15_000);
    expect(kuma.monitors.get(id)).to.include({ method: "GET", interval: 1, maxretries: 5 });
  });

  it("gives a monitor that becomes a DNS check the resolver, the record type and the port that it needs", async () => {
    const monitor = await made({ monitor_type: "port", target: "db.example", port: 5_432 });
    Object.assign(remote(monitor), { dns_resolve_server: null, dns_resolve_type: null });
    const change = { monitor_type: "dns", port: null };
    expect((await tenant.owner.patch(`/uptime/monitors/${monitor.id}`, change)).status).to.equal(200);
    const resolver = { type: "dns", hostname: "db.example", port: 53, dns_resolve_server: "1.1.1.1", dns_resolve_type: "A" };
    expect(remote(monitor)).to.include(resolver);
  });

  it("keeps the resolver of a DNS check whose port is cleared, and of one whose type stays", async () => {
    const monitor = await made({ monitor_type: "dns", target: "ns.example", port: 5_353 });
    Object.assign(remote(monitor), { dns_resolve_server: "9.9.9.9" });
    await tenant.owner.patch(`/uptime/monitors/${monitor.id}`, { port: null });
    expect(remote(monitor)).to.include({ port: 53, dns_resolve_server: "9.9.9.9" });
  });

  it("changes the target of a ping monitor that has a port at its server", async () => {
    kuma.add({ name: "Pinged", type: "ping", hostname: "a.example", port: 443 });
    await sync();
    const [row] = (await tenant.owner.get("/uptime/monitors?q=Pinged")).body.items;
    expect(row.port).to.equal(null);
    const { status, text } = await tenant.owner.patch(`/uptime/monitors/${row.id}`, { target: "b.example" });
    expect(status, text).to.equal(200);
    expect(kuma.monitors.get(row.remote_id)).to.include({ hostname: "b.example", port: 443 });
  });

  it("writes the settings requested since the lost answer to the monitor it finds", async () => {
    kuma.fail("add", { kind: "lose" });
    const lost = create({ name: "Lost and changed" });
    const there = () => [...kuma.monitors.values()].filter(({ name }) => name === "Lost and changed");
    await until(async () => there().length > 0);
    kuma.cut();
    expect((await lost).status).to.equal(502);
    await world.aMinuteLater();
    const [row] = (await tenant.owner.get(`/uptime/monitors?q=${encodeURIComponent('"Lost and changed"')}`)).body.items;
    const changed = await tenant.owner.patch(`/uptime/monitors/${row.id}`, { interval_seconds: 240, retries: 4 });
    expect([changed.status, changed.body.sync_status]).to.deep.equal([200, "active"]);
    expect(there().map(({ interval, maxretries }) => [interval, maxretries])).to.deep.equal([[240, 4]]);
  });

  it("writes a name and target changed since the lost answer to the monitor it finds, also after an attempt that failed", async () => {
    const lose = async (name: string) => {
      kuma.fail("add", { kind: "lose" });
      const lost = create({ name, target: "https://before.example/" });
      await until(async () => [...kuma.monitors.values()].some((one) => one["name"] === name));
      kuma.cut();
      expect((await lost).status).to.equal(502);
      await world.aMinuteLater();
      return (await tenant.owner.get(`/uptime/monitors?q=${encodeURIComponent(`"${name}"`)}`)).body.items[0] as Row;
    };
    const patch = (row: Row, values: object) => tenant.owner.patch(`/uptime/monitors/${row.id}`, values);
    const before = kuma.monitors.size;
    const row = await lose("Lost under a former name");
    kuma.fail("getMonitorList", { kind: "refuse", msg: "SQLITE_BUSY" });
    expect((await patch(row, { name: "Renamed once" })).status).to.equal(502);
    const { status, body } = await patch(row, { name: "Renamed twice", target: "https://after.example/" });
    expect([status, body.sync_status, kuma.monitors.size]).to.deep.equal([200, "active", before + 1]);
    expect(kuma.monitors.get(body.remote_id)).to.include({ name: "Renamed twice", url: "https://after.example/" });

    const other = await lose("Lost before a sync");
    kuma.fail("getMonitorList", { kind: "refuse", msg: "SQLITE_BUSY" });
    expect((await patch(other, { name: "Renamed before a sync" })).status).to.equal(502);
    expect(await sync()).to.include({ ok: true, added: 0 });
    const pushed = (await tenant.owner.post(`/uptime/monitors/${other.id}/push`)).body;
    expect([pushed.sync_status, kuma.monitors.size]).to.deep.equal(["active", before + 2]);
    expect(kuma.monitors.get(pushed.remote_id)).to.include({ name: "Renamed before a sync" });
  });

  it("keeps one that the server fails to read: 502, and an edit of it is an error instead of missing", async () => {
    const monitor = await made({});
    const busy = { kind: "refuse", msg: "SQLITE_BUSY" } as const;
    kuma.fail("getMonitor", busy);
    expect((await tenant.owner.delete(`/uptime/monitors/${monitor.id}?at_remote=true`)).status).to.equal(502);
    expect(kuma.monitors.has(monitor["remote_id"])).to.equal(true);
    kuma.fail("getMonitor", busy);
    expect((await tenant.owner.patch(`/uptime/monitors/${monitor.id}`, { retries: 3 })).status).to.equal(502);
    expect((await tenant.owner.get(`/uptime/monitors/${monitor.id}`)).body).to.include({
      sync_status: "error",
      last_error: "getMonitor: SQLITE_BUSY",
    });
    kuma.monitors.delete(monitor["remote_id"]);
    expect((await tenant.owner.post(`/uptime/monitors/${monitor.id}/push`)).status).to.equal(502);
    expect((await tenant.owner.get(`/uptime/monitors/${monitor.id}`)).body).to.include({ sync_status: "missing" });
  });

  it("outlive a sync whose list is older: new monitors are not missing, and changes are neither drift nor undone", async () => {
    const ours = await made({});
    const id = kuma.add({ name: "Theirs", type: "http", url: "https://theirs.example" });
    expect(await sync()).to.include({ ok: true });
    const [theirs] = (await tenant.owner.get("/uptime/monitors?q=Theirs")).body.items;
    let release = () => {};
    kuma.reset();
    kuma.fail("getMonitorList", { kind: "wait", until: new Promise<void>((done) => (release = done)) });
    const running = sync();
    await until(() => kuma.count("getMonitorList") === 1);
    const added = await made({});
    for (const row of [ours, theirs])
      expect((await tenant.owner.patch(`/uptime/monitors/${row.id}`, { interval_seconds: 120 })).status).to.equal(200);
    await tenant.owner.post(`/uptime/monitors/${theirs.id}/pause`);
    release();
    expect(await running).to.include({ ok: true, added: 0, changed: 0, drifted: 0 });
    const state = async ({ id }: Row) => {
      const { body } = await tenant.owner.get(`/uptime/monitors/${id}`);
      return [body.sync_status, body.interval_seconds, body.active];
    };
    expect(await Promise.all([added, ours, theirs].map(state))).to.deep.equal([
      ["active", null, true],
      ["active", 120, true],
      ["active", 120, false],
    ]);
    expect(kuma.monitors.get(id)).to.include({ interval: 120, active: false });
    expect(await sync()).to.include({ ok: true, added: 0, changed: 0, drifted: 0 });
  });
});
