import { expect } from "chai";
import type { UptimeKumaSimulator } from "../../simulators/uptime-kuma.ts";
import { send } from "../../support/http.ts";
import type { Tenant } from "../../support/service.ts";
import { type Row, startUptime, type UptimeWorld } from "./uptime-world.ts";

describe("POST /uptime/hook/{token} (workspace-reporting §5, Webhook)", () => {
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
  });
  afterEach(() => expect(kuma.complaints).to.deep.equal([]));
  after(() => world.stop());

  const pathOf = (instance: Row) => `//api/v1${new URL(instance["webhook_url"]).pathname.replace("/api/v1", "")}`;
  const post = (body: unknown, { path = pathOf(linked), type = "application/json" } = {}) =>
    send(world.service.port, "POST", path, { host: "anything.example", body, headers: { "Content-Type": type } });
  const monitor = async (values: Record<string, unknown> = {}): Promise<Row> => {
    number += 1;
    kuma.seed([{ id: number, name: `M${number}`, type: "http", accepted_statuscodes: [] }]);
    const sent = {
      instance_id: linked.id,
      remote_id: number,
      name: `M${number}`,
      target: `https://m${number}.example/`,
      ...values,
    };
    return (await tenant.owner.post("/uptime/monitors", sent)).body;
  };
  const read = async ({ id }: Row): Promise<Row> => (await tenant.owner.get(`/uptime/monitors/${id}`)).body;
  const beats = async ({ id }: Row): Promise<Row[]> => (await tenant.owner.get(`/uptime/monitors/${id}/heartbeats`)).body.items;
  const alarms = async (caller = tenant.owner): Promise<Row[]> =>
    (await caller.get("/notifications?limit=200")).body.items.filter((row: Row) => row["event_type"] === "uptime.monitor.down");
  const delivered = (row: Row, status: "down" | "up" | "pending" | "maintenance", at = new Date(), more = {}) =>
    post(kuma.delivery(kuma.beat(row["remote_id"], status, at, `${status} now`, false), more));

  it("answers a bare status, on any host, and makes a linked instance active", async () => {
    const row = await monitor();
    expect((await tenant.owner.get(`/uptime/instances/${linked.id}`)).body.status).to.equal("pending");
    const answer = await delivered(row, "up");
    expect([answer.status, answer.text]).to.deep.equal([200, ""]);
    expect((await tenant.owner.get(`/uptime/instances/${linked.id}`)).body.status).to.equal("active");
    expect(await read(row)).to.include({ status: "up" });
  });

  it("reads a time without zone as UTC, in any server's zone, and clamps a future one to now", async () => {
    const row = await monitor();
    const at = new Date("2026-03-02T10:20:30.456Z");
    await delivered(row, "up", at);
    const [first] = await beats(row);
    expect(first).to.include({ status: "up", ping_ms: 42, message: "up now" });
    expect(new Date(first?.["at"])).to.deep.equal(at);
    const before = Date.now();
    await delivered(row, "maintenance", new Date(before + 3_600_000));
    const [newest] = await beats(row);
    expect(newest?.["status"]).to.equal("maintenance");
    expect(Date.parse(newest?.["at"])).to.be.within(before - 1, Date.now());
  });

  it("takes JSON in the form field `data`, multipart and url-encoded, as the sender of type form-data does", async () => {
    const row = await monitor();
    const text = JSON.stringify(kuma.delivery(kuma.beat(row["remote_id"], "down", new Date("2026-03-02T10:00:00Z"), "", false)));
    const multipart = `--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n${text}\r\n--x--\r\n`;
    expect((await post(multipart, { type: "multipart/form-data; boundary=x" })).status).to.equal(200);
    const form = new URLSearchParams({ data: text }).toString();
    expect((await post(form, { type: "application/x-www-form-urlencoded" })).status).to.equal(200);
    expect(await beats(row)).to.have.length(1);
  });

  it("drops `heartbeat.response` before the size counts: 200 with a saved page of a megabyte, 413 over 64 KiB without it", async () => {
    const row = await monitor();
    expect((await delivered(row, "up", new Date(), { response: "p".repeat(1_000_000) })).status).to.equal(200);
    const stored = JSON.stringify((await world.service.sql.query("select * from uptime_heartbeats")).rows);
    expect(stored).to.not.include("ppp");
    const large = kuma.delivery(kuma.beat(row["remote_id"], "up", new Date(), "m".repeat(70_000), false));
    expect((await post(large)).status).to.equal(413);
    expect((await post("x".repeat((2 << 20) + 1))).status).to.equal(413);
  });

  it("ignores a body whose monitor is null with 200, which the sender would else repeat at each check", async () => {
    let sent = 0;
    for (let status = 0; status !== 200 && sent < 3; sent += 1) ({ status } = await post(kuma.notice()));
    expect(sent).to.equal(1);
  });

  it("is 404 for any mismatch of the token, an inactive instance and an untracked monitor, and creates none", async () => {
    const row = await monitor();
    const body = kuma.delivery(kuma.beat(row["remote_id"], "up", new Date(), "", false));
    const path = pathOf(linked);
    const other = await world.service.tenant();
    const wrong = [
      `${path.slice(0, -1)}${path.endsWith("A") ? "B" : "A"}`,
      path.replace(linked.id, crypto.randomUUID()),
      path.replace(tenant.organisation.id, other.organisation.id),
      "//api/v1/uptime/hook/nothing",
    ];
    for (const one of wrong) expect((await post(body, { path: one })).status, one).to.equal(404);
    const count = async () => (await world.service.sql.query("select count(*)::int as n from uptime_monitors")).rows[0].n;
    const before = await count();
    expect((await post({ heartbeat: { status: 0 }, monitor: { id: 99_999 }, msg: "" })).status).to.equal(404);
    expect(await count()).to.equal(before);
    const off = await world.linked(tenant);
    await tenant.owner.patch(`/uptime/instances/${off.id}`, { active: false });
    expect((await post(body, { path: pathOf(off) })).status).to.equal(404);
  });

  it("is 400 for bad JSON, values other than an object, and a body without the number of a monitor", async () => {
    for (const body of ["{", "[]", '"text"', "null", "{}", '{"heartbeat":{"status":1}}', '{"monitor":{"id":"x"}}'])
      expect((await post(body)).status, body).to.equal(400);
  });

  it("is 400 for lists nested a thousand or a million deep, wherever they are in the body", async () => {
    const row = await monitor();
    for (const levels of [1_000, 1_000_000]) {
      const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;
      const monitorPart = `"monitor":{"id":${row["remote_id"]}}`;
      for (const body of [
        deep,
        `{${monitorPart},"heartbeat":{"status":0},"more":${deep}}`,
        `{${monitorPart},"heartbeat":{"status":0,"msg":${deep}}}`,
        `{${monitorPart},"heartbeat":${deep}}`,
      ])
        expect((await post(body)).status, `${levels} levels: ${body.slice(0, 60)}`).to.equal(400);
    }
    expect(await beats(row)).to.deep.equal([]);
  });

  it("stores a message that PostgreSQL cannot hold as it is: NUL, half a surrogate pair, a cut through one", async () => {
    const cases: [sent: string, stored: string][] = [
      ["a\u0000b", "a b"],
      ["a\ud800b", "a\ufffdb"],
      [`${"m".repeat(498)}\u{1f534} down`, `${"m".repeat(498)}…`],
    ];
    for (const [sent, stored] of cases) {
      const row = await monitor();
      const beat = { ...kuma.beat(row["remote_id"], "down", new Date(), "", false), msg: sent };
      expect((await post(JSON.stringify(kuma.delivery(beat)))).status, JSON.stringify(sent)).to.equal(200);
      expect((await beats(row)).map(({ message }) => message)).to.deep.equal([stored]);
    }
  });

  it("reads the status as number or word, from the heartbeat or the body; anything else is pending", async () => {
    const cases: [object, string][] = [
      [{ heartbeat: { status: 0 } }, "down"],
      [{ heartbeat: { status: "1" } }, "up"],
      [{ heartbeat: { status: 2 } }, "pending"],
      [{ heartbeat: { status: 3 } }, "maintenance"],
      [{ status: "UP" }, "up"],
      [{ heartbeat: { status: "sideways" } }, "pending"],
      [{ heartbeat: {} }, "pending"],
    ];
    for (const [part, status] of cases) {
      const row = await monitor();
      expect((await post({ monitor: { id: row["remote_id"] }, msg: "", ...part })).status).to.equal(200);
      expect((await read(row))["status"], JSON.stringify(part)).to.equal(status);
    }
    const row = await monitor();
    expect((await post({ heartbeat: { monitorID: row["remote_id"], status: 1 } })).status).to.equal(200);
    expect(await read(row)).to.include({ status: "up" });
  });

  describe("a new down", () => {
    it("raises `uptime.monitor.down` once, and never a line of the trail", async () => {
      const row = await monitor();
      await delivered(row, "up", new Date("2026-03-02T10:00:00Z"));
      const before = (await alarms()).length;
      const at = new Date("2026-03-02T10:05:00Z");
      const body = kuma.delivery(kuma.beat(row["remote_id"], "down", at, "connect ECONNREFUSED", false));
      for (let n = 0; n < 3; n++) expect((await post(body)).status).to.equal(200);
      // A resend of the server has another time.
      await delivered(row, "down", new Date("2026-03-02T10:10:00Z"));
      const raised = await alarms();
      expect(raised.length - before).to.equal(1);
      expect(raised.find(({ entity_id }) => entity_id === row.id)).to.deep.include({
        entity_type: "uptime_monitor",
        actor_name: null,
      });
      expect(raised.find(({ entity_id }) => entity_id === row.id)?.["payload"]).to.deep.equal({
        monitor_id: row.id,
        title: row["name"],
        target: row["target"],
        company_id: null,
        website_id: null,
        at: "2026-03-02T10:05:00.000Z",
        message: "connect ECONNREFUSED",
      });
      expect(await beats(row)).to.have.length(3);
      const trail = (await tenant.owner.get(`/activity?entity_type=uptime_monitor&entity_id=${row.id}`)).body;
      expect(JSON.stringify(trail).match(/"action"/g)).to.have.length(1);
      await delivered(row, "up", new Date("2026-03-02T10:15:00Z"));
      await delivered(row, "down", new Date("2026-03-02T10:20:00Z"));
      const { status, status_since } = await read(row);
      expect([status, Date.parse(status_since)]).to.deep.equal(["down", Date.UTC(2026, 2, 2, 10, 20)]);
    });

    it("is stored and raises nothing where it comes late, after something newer", async () => {
      const row = await monitor();
      await delivered(row, "up", new Date("2026-03-02T11:00:00Z"));
      await delivered(row, "down", new Date("2026-03-02T10:00:00Z"));
      expect(await read(row)).to.include({ status: "up" });
      expect(await beats(row)).to.have.length(2);
      expect((await alarms()).some(({ entity_id }) => entity_id === row.id)).to.equal(false);
    });

    it("reaches the roster of the client, as far as it sees the client; without one everyone who can change monitors", async () => {
      const member = await tenant.member("member");
      const stranger = await tenant.member("member");
      const client = await tenant.company({ assignees: [{ user_id: member.accountId, is_primary: true }] });
      const row = await monitor({ company_id: client.id });
      await delivered(row, "down");
      expect((await alarms(member)).map(({ entity_id }) => entity_id)).to.deep.equal([row.id]);
      expect((await alarms()).some(({ entity_id }) => entity_id === row.id)).to.equal(false);
      const nobodys = await monitor();
      await delivered(nobodys, "down");
      expect((await alarms()).some(({ entity_id }) => entity_id === nobodys.id)).to.equal(true);
      expect(await alarms(stranger)).to.deep.equal([]);
    });

    it("is accepted while the licence has lapsed", async () => {
      const row = await monitor();
      await world.service.sql.query("update organisations set plan_ends_at = now() - interval '1 year' where id = $1", [
        tenant.organisation.id,
      ]);
      expect((await delivered(row, "down")).status).to.equal(200);
      await world.service.sql.query("update organisations set plan_ends_at = null where id = $1", [tenant.organisation.id]);
      expect(await read(row)).to.include({ status: "down" });
    });
  });

  describe("GET /uptime/monitors/{id}/heartbeats", () => {
    it("lists them newest first, within instants, by status, in a fixed number of statements", async () => {
      const row = await monitor();
      const statuses = ["up", "down", "up"] as const;
      for (const [index, status] of statuses.entries()) await delivered(row, status, new Date(Date.UTC(2026, 2, 2, 10 + index)));
      const path = `/uptime/monitors/${row.id}/heartbeats`;
      const hours = async (query: string) =>
        (await tenant.owner.get(`${path}${query}`)).body.items.map(({ at }: Row) => at.slice(11, 13));
      expect(await hours("")).to.deep.equal(["12", "11", "10"]);
      expect(await hours("?sort=at")).to.deep.equal(["10", "11", "12"]);
      expect(await hours("?from=2026-03-02T11:00:00Z&before=2026-03-02T12:00:00Z")).to.deep.equal(["11"]);
      expect(await hours("?status=up")).to.deep.equal(["12", "10"]);
      const { statements } = await tenant.owner.get(path);
      for (let n = 0; n < 20; n++) await delivered(row, n % 2 ? "up" : "down", new Date(Date.UTC(2026, 2, 3, n)));
      expect((await tenant.owner.get(path)).statements).to.equal(statements);
      expect((await tenant.owner.get(`/uptime/monitors/${crypto.randomUUID()}/heartbeats`)).status).to.equal(404);
    });
  });
});
