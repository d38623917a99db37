import { expect } from "chai";
import { everyType, SECRETS, TYPES } from "../../simulators/uptime-kuma/monitors.ts";
import { UptimeKumaSimulator } from "../../simulators/uptime-kuma.ts";
import { until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { type Row, startUptime, type UptimeWorld } from "./uptime-world.ts";

describe("monitors (workspace-reporting §5, Monitor)", function () {
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
  const create = (values: Record<string, unknown> = {}, at = instance.id) =>
    tenant.owner.post("/uptime/monitors", {
      instance_id: at,
      name: `Monitor ${++counter}`,
      target: `https://m${counter}.example/`,
      ...values,
    });
  const made = async (values: Record<string, unknown> = {}, at = instance.id): Promise<Row> => {
    const answer = await create(values, at);
    if (answer.status !== 201) throw new Error(`no monitor: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const sync = async (at = instance.id): Promise<Row> => (await tenant.owner.post(`/uptime/instances/${at}/sync`)).body;
  const read = async (id: string): Promise<Row> => (await tenant.owner.get(`/uptime/monitors/${id}`)).body;
  const remote = (row: Row) => kuma.monitors.get(row["remote_id"]) as Record<string, unknown>;

  describe("POST /uptime/monitors", () => {
    it("writes the row, then the server, with the built-in settings; `conditions` from 2 on, accepted_statuscodes always", async () => {
      const monitor = await made({ name: "Shop", target: "https://shop.example/" });
      expect(monitor).to.deep.include({
        name: "Shop",
        monitor_type: "http",
        target: "https://shop.example/",
        interval_seconds: null,
        effective_interval_seconds: 60,
        effective_retries: 1,
        active: true,
        sync_status: "active",
        drift_fields: [],
        adopted: false,
        status: null,
        link_status: "unmatched",
        last_error: null,
      });
      expect(kuma.received.map(({ event }) => event)).to.deep.equal(["add"]);
      expect(kuma.received[0]?.args[0]).to.deep.include({
        name: "Shop",
        type: "http",
        url: "https://shop.example/",
        interval: 60,
        maxretries: 1,
        retryInterval: 60,
        resendInterval: 0,
        timeout: 48,
        method: "GET",
        accepted_statuscodes: ["200-299"],
        maxredirects: 10,
        expiryNotification: true,
        conditions: [],
        // Those the administrator marked for new monitors.
        notificationIDList: { 1: true },
      });
    });

    it("counts the monitors of a group that the caller sees", async () => {
      const group = await made({ name: "Shared", monitor_type: "group", target: null });
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      for (const { id } of [seen, hidden]) await made({ parent_id: group.id, company_id: id });
      const restricted = await tenant.member("admin");
      await tenant.group("Seen", [seen.id], [restricted.membershipId]);
      expect((await read(group.id))["child_count"]).to.equal(2);
      expect((await restricted.get(`/uptime/monitors/${group.id}`)).body.child_count).to.equal(1);
    });

    it("refuses a group below itself, at any depth", async () => {
      const groups: Awaited<ReturnType<typeof made>>[] = [];
      for (let depth = 0; depth < 3; depth++) {
        const above = groups.at(-1);
        groups.push(
          await made({ name: `Level ${depth}`, monitor_type: "group", target: null, ...(above && { parent_id: above.id }) }),
        );
      }
      const [top] = groups;
      for (const { id: parent_id } of groups) {
        const { status, body } = await tenant.owner.patch(`/uptime/monitors/${top?.id}`, { parent_id });
        expect([status, body.error?.fields]).to.deep.equal([422, { parent_id: "errors.validation" }]);
      }
    });

    it("makes groups with accepted_statuscodes too, on 2.x, and no conditions on 1.x", async () => {
      const group = await made({ name: "All", monitor_type: "group", target: null });
      const child = await made({ parent_id: group.id });
      expect(remote(child)["parent"]).to.equal(group["remote_id"]);
      expect(child).to.include({ parent_id: group.id, parent_name: "All" });
      expect((await read(group.id))["child_count"]).to.equal(1);
      const old = new UptimeKumaSimulator({ version: "1.23.16" });
      await old.start();
      const at = await world.instance(tenant, {}, old);
      await made({ monitor_type: "group", target: null }, at.id);
      await made({ monitor_type: "dns", target: "example.nl" }, at.id);
      expect(
        old.received.filter(({ event }) => event === "add").every(({ args }) => !("conditions" in (args[0] as object))),
      ).to.equal(true);
      expect(old.complaints).to.deep.equal([]);
      await old.stop();
    });

    it("keeps the row with status error where the push fails: 502 `upstream`, `errors.uptime_failed`; a push again makes it once", async () => {
      kuma.fail("add", { kind: "refuse", msg: "SQLITE_BUSY password=hunter2" });
      const answer = await create({ name: "Refused" });
      expect([answer.status, answer.body.error.code, answer.body.error.message, answer.body.error.details]).to.deep.equal([
        502,
        "upstream",
        "errors.uptime_failed",
        { reason: "errors.uptime_failed" },
      ]);
      expect(answer.text).to.not.include("SQLITE_BUSY");
      const [row] = (await tenant.owner.get("/uptime/monitors?q=Refused")).body.items;
      expect(row).to.include({ sync_status: "error", remote_id: null, last_error: "add: SQLITE_BUSY password=***" });
      const pushed = (await tenant.owner.post(`/uptime/monitors/${row.id}/push`)).body;
      expect(pushed).to.include({ sync_status: "active", last_error: null });
      expect([...kuma.monitors.values()].filter(({ name }) => name === "Refused")).to.have.length(1);
    });

    it("is looked up by name and target before it is repeated: a lost answer makes no second one", async () => {
      kuma.fail("add", { kind: "lose" });
      const lost = create({ name: "Lost" });
      await world.service.sql.query("select 1");
      // The answer of the server never comes; the connection breaks instead of twenty seconds of waiting.
      while (![...kuma.monitors.values()].some(({ name }) => name === "Lost")) await new Promise((done) => setTimeout(done, 5));
      kuma.cut();
      expect((await lost).status).to.equal(502);
      await world.aMinuteLater();
      const [row] = (await tenant.owner.get("/uptime/monitors?q=Lost")).body.items;
      const pushed = (await tenant.owner.post(`/uptime/monitors/${row.id}/push`)).body;
      const there = [...kuma.monitors.values()].filter(({ name }) => name === "Lost");
      expect(there.map(({ id }) => id)).to.deep.equal([pushed.remote_id]);
    });

    it("names the seconds to wait where an edit after a cut connection would need a second login in a minute", async () => {
      const { body: row } = await create({ name: "Edited after a cut" });
      kuma.cut();
      await until(async () => (await tenant.owner.patch(`/uptime/monitors/${row.id}`, { retries: 2 })).headers["retry-after"]);
      const { status, headers, body } = await tenant.owner.patch(`/uptime/monitors/${row.id}`, { retries: 3 });
      const { reason, retry_after_seconds: wait } = body.error.details;
      expect([status, reason, headers["retry-after"]]).to.deep.equal([502, "errors.uptime_rate_limited", String(wait)]);
      expect(wait).to.be.within(1, 60);
      await world.aMinuteLater();
      expect((await tenant.owner.patch(`/uptime/monitors/${row.id}`, { retries: 4 })).body.sync_status).to.equal("active");
    });

    it("names the invalid field", async () => {
      const cases: [Record<string, unknown>, Record<string, string>][] = [
        [{ target: null }, { target: "errors.required" }],
        [{ target: "shop.example" }, { target: "errors.invalid_url" }],
        [{ target: "https://u:p@shop.example" }, { target: "errors.invalid_url" }],
        [{ monitor_type: "ping", target: "not a host" }, { target: "errors.validation" }],
        [{ monitor_type: "port", target: "db.example" }, { port: "errors.required" }],
        [{ monitor_type: "group", target: "x.example" }, { target: "errors.validation" }],
        [{ port: 80 }, { port: "errors.validation" }],
        [{ monitor_type: "docker" }, { monitor_type: "errors.validation" }],
        [{ interval_seconds: 19 }, { interval_seconds: "errors.validation" }],
        [{ interval_seconds: 86_401 }, { interval_seconds: "errors.validation" }],
        [{ retries: 11 }, { retries: "errors.validation" }],
        [{ remote_id: 4 }, { remote_id: "errors.validation" }],
        [{ profile_id: crypto.randomUUID() }, { profile_id: "errors.not_found" }],
        [{ parent_id: crypto.randomUUID() }, { parent_id: "errors.not_found" }],
        [{ entity_type: "website" }, { entity_id: "errors.uptime_link_incomplete" }],
        [{ name: " " }, { name: "errors.required" }],
      ];
      for (const [values, fields] of cases) {
        const { status, body } = await create(values);
        expect([status, body.error.fields], JSON.stringify(values)).to.deep.equal([422, fields]);
      }
      expect((await create({ entity_type: "domain", entity_id: crypto.randomUUID() })).status).to.equal(404);
      expect((await create({ company_id: crypto.randomUUID() })).status).to.equal(404);
      expect((await create({ instance_id: crypto.randomUUID() })).status).to.equal(404);
      expect(kuma.received).to.deep.equal([]);
    });

    it("records one of a linked server by its number there, where nothing is pushed, paused or resumed", async () => {
      const linked = await world.linked(tenant);
      const bare = await create({}, linked.id);
      expect([bare.status, bare.body.error.fields]).to.deep.equal([422, { remote_id: "errors.required" }]);
      const monitor = await made({ remote_id: 12 }, linked.id);
      expect(monitor).to.include({ remote_id: 12, adopted: true, sync_status: "active" });
      expect((await create({ remote_id: 12 }, linked.id)).body.error.fields).to.deep.equal({ remote_id: "errors.duplicate" });
      for (const verb of ["pause", "resume", "push"]) {
        const { status, body } = await tenant.owner.post(`/uptime/monitors/${monitor.id}/${verb}`);
        expect([status, body.error.message], verb).to.deep.equal([409, "errors.uptime_linked_instance"]);
      }
      expect((await tenant.owner.patch(`/uptime/monitors/${monitor.id}`, { name: "Local" })).body.name).to.equal("Local");
      const { body } = await tenant.owner.post(`/uptime/instances/${linked.id}/sync`);
      expect(body.error.message).to.equal("errors.uptime_linked_instance");
      expect(kuma.received).to.deep.equal([]);
    });

    it("is 409 `errors.uptime_not_enrolled` before the server is enrolled", async () => {
      const { id } = (await tenant.owner.post("/uptime/instances", { name: "Later", base_url: kuma.url })).body;
      const { status, body } = await create({}, id);
      expect([status, body.error.message]).to.deep.equal([409, "errors.uptime_not_enrolled"]);
    });
  });

  describe("settings: built-in < profile < monitor, then clamped", () => {
    it("uses the monitor's value, else its profile's, else the built-in one, and follows the profile by a job", async () => {
      const profile = (
        await tenant.owner.post("/uptime/profiles", { name: "Calm", interval_seconds: 300, retries: 3, method: "HEAD" })
      ).body;
      const inherits = await made({ profile_id: profile.id });
      const own = await made({ profile_id: profile.id, interval_seconds: 20, retries: 0 });
      expect(inherits).to.include({ effective_interval_seconds: 300, effective_retries: 3, profile_name: "Calm" });
      expect(own).to.include({ effective_interval_seconds: 20, effective_retries: 0 });
      expect(remote(inherits)).to.include({ interval: 300, maxretries: 3, method: "HEAD", timeout: 48 });
      await tenant.owner.patch(`/uptime/profiles/${profile.id}`, { interval_seconds: 600, method: null });
      await until(async () => (await read(own.id))["sync_status"] === "active" && remote(inherits)["interval"] === 600);
      expect(remote(inherits)).to.include({ interval: 600, method: "GET" });
      expect(remote(own)).to.include({ interval: 20, method: "GET" });
      await until(async () => (await read(inherits.id))["sync_status"] === "active");
      await tenant.owner.delete(`/uptime/profiles/${profile.id}`);
      await until(() => remote(inherits)["interval"] === 60);
      expect(remote(inherits)).to.include({ interval: 60, maxretries: 1 });
      expect(await read(inherits.id)).to.include({ profile_id: null, effective_interval_seconds: 60 });
    });
  });

  describe("PATCH /uptime/monitors/{id}", () => {
    it("reads the remote monitor, overwrites the owned key alone and writes the whole back, over 40 types, byte for byte", async () => {
      const seeds = everyType(kuma.nextId);
      expect(new Set(TYPES).size).to.be.greaterThan(39);
      kuma.seed(seeds);
      expect((await sync()).ok).to.equal(true);
      const before = new Map(seeds.map((monitor) => [monitor.id, JSON.stringify(monitor)]));
      for (const seed of seeds) {
        const [row] = (await tenant.owner.get(`/uptime/monitors?q=${encodeURIComponent(`"${seed.name}"`)}`)).body.items.filter(
          ({ remote_id }: Row) => remote_id === seed.id,
        );
        const answer = await tenant.owner.patch(`/uptime/monitors/${row.id}`, { name: `Renamed ${seed.type}` });
        expect(answer.status, `${seed.type} ${answer.text}`).to.equal(200);
        const expected = JSON.stringify({ ...JSON.parse(before.get(seed.id) as string), name: `Renamed ${seed.type}` });
        expect(JSON.stringify(kuma.monitors.get(seed.id)), seed.type).to.equal(expected);
      }
      // Values outside of our ranges survived: an interval of one second, and 99 repetitions.
      expect([...kuma.monitors.values()].some(({ interval, maxretries }) => interval === 1 && maxretries === 99)).to.equal(true);
    });

    it("keeps a manual monitor's settings, which the server never reports", async () => {
      const id = kuma.add({ name: "By hand", type: "manual", manual_status: 3 });
      kuma.beat(id, "maintenance");
      await sync();
      const [row] = (await tenant.owner.get(`/uptime/monitors?q=${encodeURIComponent('"By hand"')}`)).body.items;
      await tenant.owner.patch(`/uptime/monitors/${row.id}`, { name: "By hand still" });
      expect(kuma.monitors.get(id)).to.include({ name: "By hand still", manual_status: 3 });
    });

    it("uses one login for 100 edits, and loses no field of a newer server", async () => {
      const monitor = await made();
      const logins = () => kuma.count("login") + kuma.count("loginByToken");
      const before = logins();
      for (let n = 0; n < 100; n++) {
        const { status } = await tenant.owner.patch(`/uptime/monitors/${monitor.id}`, { interval_seconds: 100 + n });
        expect(status).to.equal(200);
      }
      expect(kuma.count("editMonitor")).to.equal(100);
      expect(logins()).to.equal(before);
      expect(remote(monitor)).to.have.property("fieldOfTheFuture");
      expect(remote(monitor)["interval"]).to.equal(199);
    });

    it("is 502 with status error if the server refuses, keeps the requested settings and writes them at the next push", async () => {
      const monitor = await made();
      kuma.fail("editMonitor", { kind: "refuse", msg: "no" });
      const { status } = await tenant.owner.patch(`/uptime/monitors/${monitor.id}`, { retries: 7 });
      expect(status).to.equal(502);
      expect(await read(monitor.id)).to.include({ sync_status: "error", retries: 7 });
      expect(remote(monitor)["maxretries"]).to.equal(1);
      await tenant.owner.post(`/uptime/monitors/${monitor.id}/push`);
      expect(remote(monitor)["maxretries"]).to.equal(7);
    });

    it("compares If-Match with the row before any call", async () => {
      const monitor = await made();
      kuma.reset();
      const stale = { headers: { "If-Match": '"99"' } };
      expect((await tenant.owner.patch(`/uptime/monitors/${monitor.id}`, { name: "Stale" }, stale)).status).to.equal(412);
      expect(kuma.received).to.deep.equal([]);
    });

    it("makes no call for fields stored only here, and writes nothing without a change", async () => {
      const monitor = await made();
      kuma.reset();
      const company = await tenant.company();
      await tenant.owner.patch(`/uptime/monitors/${monitor.id}`, { company_id: company.id });
      const same = await tenant.owner.patch(`/uptime/monitors/${monitor.id}`, { name: monitor["name"] });
      expect([same.status, kuma.received.length]).to.deep.equal([200, 0]);
    });
  });

  describe("pause and resume", () => {
    it("reach the server, and are 409 `errors.uptime_not_pushed` for one that is not there", async () => {
      const monitor = await made();
      expect((await tenant.owner.post(`/uptime/monitors/${monitor.id}/pause`)).body.active).to.equal(false);
      expect(remote(monitor)["active"]).to.equal(false);
      expect((await tenant.owner.post(`/uptime/monitors/${monitor.id}/resume`)).body.active).to.equal(true);
      kuma.fail("add", { kind: "refuse", msg: "no" });
      await create({ name: "Nowhere" });
      const [row] = (await tenant.owner.get("/uptime/monitors?q=Nowhere")).body.items;
      for (const verb of ["pause", "resume"]) {
        const { status, body } = await tenant.owner.post(`/uptime/monitors/${row.id}/${verb}`);
        expect([status, body.error.code, body.error.message]).to.deep.equal([
          409,
          "validation_error",
          "errors.uptime_not_pushed",
        ]);
      }
    });
  });

  describe("DELETE /uptime/monitors/{id}", () => {
    it("removes it remotely only with at_remote=true; a sync ignores one deleted only here until it is tracked again", async () => {
      const [kept, gone] = [await made(), await made()];
      expect((await tenant.owner.delete(`/uptime/monitors/${kept.id}`)).status).to.equal(204);
      expect((await tenant.owner.delete(`/uptime/monitors/${gone.id}?at_remote=true`)).status).to.equal(204);
      expect([kuma.monitors.has(kept["remote_id"]), kuma.monitors.has(gone["remote_id"])]).to.deep.equal([true, false]);
      expect(await sync()).to.include({ ok: true, untracked: 1 });
      const at = `/uptime/instances/${instance.id}`;
      expect((await tenant.owner.get(at)).body.untracked_count).to.equal(1);
      expect((await tenant.owner.delete(`${at}/untracked`)).status).to.equal(204);
      expect(await sync()).to.include({ added: 1, untracked: 0 });
    });

    it("keeps a group that still has children: 409 `errors.uptime_group_has_children`", async () => {
      const group = await made({ monitor_type: "group", target: null });
      const child = await made({ parent_id: group.id });
      for (const query of ["", "?at_remote=true"]) {
        const { status, body } = await tenant.owner.delete(`/uptime/monitors/${group.id}${query}`);
        expect([status, body.error.code, body.error.message]).to.deep.equal([
          409,
          "conflict",
          "errors.uptime_group_has_children",
        ]);
      }
      await tenant.owner.delete(`/uptime/monitors/${child.id}?at_remote=true`);
      expect((await tenant.owner.delete(`/uptime/monitors/${group.id}?at_remote=true`)).status).to.equal(204);
    });

    it("counts one that is gone at the server already as removed", async () => {
      const monitor = await made();
      kuma.monitors.delete(monitor["remote_id"]);
      expect((await tenant.owner.delete(`/uptime/monitors/${monitor.id}?at_remote=true`)).status).to.equal(204);
    });
  });

  it("stores and shows none of the passwords and keys in the list of the server", async () => {
    kuma.add({ name: "Secretive", type: "http", url: "https://user:in-url-secret@x.example/" });
    await sync();
    const listed = (await tenant.owner.get("/uptime/monitors?limit=200")).text;
    const rows = JSON.stringify((await world.service.sql.query("select * from uptime_monitors")).rows);
    for (const secret of [...Object.values(SECRETS), "in-url-secret", "hook-secret", "smtp-secret"])
      for (const text of [listed, rows]) expect(text.includes(secret), secret).to.equal(false);
  });

  describe("POST /bulk/uptime_monitor/{update,delete}", () => {
    it("call no server: monitors there stay as they are", async () => {
      const rows = [await made(), await made()];
      const before = rows.map((row) => ({ ...remote(row) }));
      kuma.reset();
      const ids = rows.map(({ id }) => id);
      const company = (await tenant.company()).id;
      const updated = await tenant.owner.post("/bulk/uptime_monitor/update", { ids, values: { company } });
      expect([updated.status, updated.body]).to.deep.equal([200, { succeeded: 2, failed: [] }]);
      const deleted = await tenant.owner.post("/bulk/uptime_monitor/delete", { ids });
      expect([deleted.status, deleted.body]).to.deep.equal([200, { succeeded: 2, failed: [] }]);
      expect(kuma.received).to.deep.equal([]);
      expect(rows.map(remote)).to.deep.equal(before);
    });
  });
});
