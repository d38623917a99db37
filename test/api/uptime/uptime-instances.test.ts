import { expect } from "chai";
import { UptimeKumaSimulator } from "../../simulators/uptime-kuma.ts";
import { settled, until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { type Row, startUptime, type UptimeWorld } from "./uptime-world.ts";

describe("uptime servers (workspace-reporting §5, Instance)", () => {
  let world: UptimeWorld;
  let tenant: Tenant;
  before(async () => {
    world = await startUptime();
    tenant = await world.service.tenant();
  });
  beforeEach(() => world.kuma.reset());
  afterEach(() => expect(world.kuma.complaints).to.deep.equal([]));
  after(() => world.stop());

  const create = (values: Record<string, unknown>) => tenant.owner.post("/uptime/instances", values);
  const enrol = (id: string, values: Record<string, unknown> = {}) =>
    tenant.owner.post(`/uptime/instances/${id}/enrol`, { ...world.kuma.account, ...values });
  const read = async (id: string): Promise<Row> => (await tenant.owner.get(`/uptime/instances/${id}`)).body;

  describe("POST /uptime/instances", () => {
    it("adds a managed one that waits to be enrolled, its subpath kept, without a call", async () => {
      const answer = await create({ name: " Main ", base_url: "http://127.0.0.1:3001/status/" });
      expect(answer.status).to.equal(201);
      expect(answer.body).to.include({
        name: "Main",
        mode: "managed",
        base_url: "http://127.0.0.1:3001/status",
        ssl_verify: true,
        active: true,
        status: "pending",
        enrolled: false,
        headers_configured: false,
        server_version: null,
        monitor_count: 0,
      });
      expect(answer.body.webhook_url).to.match(
        new RegExp(`^http://[^/]+/api/v1/uptime/hook/${tenant.organisation.id}\\.${answer.body.id}\\.[\\w-]{32}$`),
      );
      expect(world.kuma.upgrades).to.deep.equal([]);
    });

    it("needs an absolute address for a managed one: 400 without, 422 `errors.uptime_invalid_url` for an invalid one", async () => {
      const without = await create({ name: "No address" });
      expect([without.status, without.body.error.code, without.body.error.message, without.body.error.fields]).to.deep.equal([
        400,
        "validation_error",
        "errors.uptime_base_url_required",
        { base_url: "errors.uptime_base_url_required" },
      ]);
      const bad = [
        "status.example",
        "/kuma",
        "ftp://127.0.0.1/",
        "http://user:pass@127.0.0.1/",
        "http://127.0.0.1/?a=b",
        "http://10.0.0.1/",
      ];
      for (const base_url of bad) {
        const { status, body } = await create({ name: `Bad ${base_url}`, base_url });
        expect([status, body.error.message, body.error.fields], base_url).to.deep.equal([
          422,
          "errors.uptime_invalid_url",
          { base_url: "errors.uptime_invalid_url" },
        ]);
      }
      expect((await create({ name: "Posts only", mode: "linked" })).body).to.include({ mode: "linked", base_url: null });
    });

    it("takes a name once, case ignored", async () => {
      await create({ name: "Twice", mode: "linked" });
      const { status, body } = await create({ name: "twice", mode: "linked" });
      expect([status, body.error.fields]).to.deep.equal([409, { name: "errors.duplicate" }]);
    });
  });

  it("counts the monitors of a server and of a profile that the caller sees", async () => {
    const linked = await world.linked(tenant);
    const profile = (await tenant.owner.post("/uptime/profiles", { name: "Counted" })).body;
    const [seen, hidden] = [await tenant.company(), await tenant.company()];
    const clients = [seen.id, hidden.id, null];
    for (const [at, company_id] of clients.entries()) {
      const monitor = { instance_id: linked.id, remote_id: 7_000 + at, name: `Counted ${at}`, target: "https://a.example/" };
      const made = await tenant.owner.post("/uptime/monitors", { ...monitor, company_id, profile_id: profile.id });
      expect(made.status, made.text).to.equal(201);
    }
    const restricted = await tenant.member("admin");
    await tenant.group("Seen only", [seen.id], [restricted.membershipId]);
    const counts = async ({ get } = tenant.owner) => {
      const paths = ["instances", `instances/${linked.id}`, "profiles", `profiles/${profile.id}`];
      const answers = await Promise.all(paths.map((path) => get(`/uptime/${path}`)));
      for (const { status, text } of answers) expect(status, text).to.equal(200);
      return answers.map(({ body }) => [body].flat().find(({ id }: Row) => [linked.id, profile.id].includes(id)).monitor_count);
    };
    expect(await counts()).to.deep.equal([3, 3, 3, 3]);
    expect(await counts(restricted)).to.deep.equal([2, 2, 2, 2]);
  });

  describe("POST /uptime/instances/{id}/enrol", () => {
    it("logs in once and keeps only the token; no answer and no row shows it, the password or a header", async () => {
      const { id } = (await create({ name: "Enrolled", base_url: world.kuma.url })).body;
      const answer = await enrol(id, { connect_headers: { "CF-Access-Client-Secret": "header-value-secret" } });
      expect([answer.status, answer.body]).to.deep.equal([
        200,
        { ok: true, server_version: "2.5.3", error: null, retry_after_seconds: null },
      ]);
      await settled(world.service);
      expect(world.kuma.received.map(({ event }) => event)).to.deep.equal(["login"]);
      expect(world.kuma.upgrades[0]?.["cf-access-client-secret"]).to.equal("header-value-secret");
      const detail = await read(id);
      expect(detail).to.include({
        status: "active",
        enrolled: true,
        headers_configured: true,
        server_version: "2.5.3",
        last_error: null,
      });
      const row = await world.stored("uptime_instances", id);
      for (const text of [JSON.stringify(detail), JSON.stringify(row), answer.text])
        for (const secret of ["kuma-token-secret", "kuma-password-secret", "header-value-secret"])
          expect(text.includes(secret), secret).to.equal(false);
    });

    it("is not ok if the address changed meanwhile, because the token is not stored then", async () => {
      const { id } = (await create({ name: "Moves away", base_url: world.kuma.url })).body;
      let release = () => {};
      world.kuma.fail("login", { kind: "wait", until: new Promise<void>((done) => (release = done)) });
      const logins = world.kuma.count("login");
      const { username, password } = world.kuma.account;
      const enrolling = tenant.owner.post(`/uptime/instances/${id}/enrol`, { username, password });
      await until(() => world.kuma.count("login") > logins);
      const moved = await tenant.owner.patch(`/uptime/instances/${id}`, { base_url: `${world.kuma.url}/elsewhere` });
      expect(moved.status).to.equal(200);
      release();
      expect((await enrolling).body).to.include({ ok: false, error: "errors.uptime_failed" });
      expect((await tenant.owner.get(`/uptime/instances/${id}`)).body.enrolled).to.equal(false);
    });

    it("answers 200 with ok=false on a refusal, with its key", async () => {
      const { id } = (await create({ name: "Refused", base_url: world.kuma.url })).body;
      const { status, body } = await enrol(id, { password: "wrong" });
      expect([status, body.ok, body.error]).to.deep.equal([200, false, "errors.uptime_credentials_rejected"]);
      expect(await read(id)).to.include({ status: "pending", enrolled: false });
    });

    it("logs in at most once a minute, for all callers; a login that only lacked the code does not count", async () => {
      const kuma = new UptimeKumaSimulator({ codes: new Set(["123456", "654321"]) });
      await kuma.start();
      try {
        const { id } = (await create({ name: "Two factors", base_url: kuma.url })).body;
        expect((await enrol(id)).body).to.include({ ok: false, error: "errors.uptime_totp_required" });
        expect((await enrol(id, { totp: "000000" })).body).to.include({ ok: false, error: "errors.uptime_totp_rejected" });
        const early = (await enrol(id, { totp: "123456" })).body;
        expect(early).to.include({ ok: false, error: "errors.uptime_rate_limited" });
        expect(early.retry_after_seconds).to.be.within(1, 60);
        expect(kuma.count("login")).to.equal(2);
        await world.aMinuteLater();
        expect((await enrol(id, { totp: "123456" })).body).to.include({ ok: true });
        expect(kuma.complaints).to.deep.equal([]);
      } finally {
        await kuma.stop();
      }
    });

    it("reports other failures: nothing listens, no such server, a gateway, too old", async () => {
      const tries: [string, string, UptimeKumaSimulator?][] = [
        ["http://127.0.0.1:2", "errors.uptime_unreachable"],
        [`http://127.0.0.1:${world.service.port}`, "errors.uptime_not_server"],
        ["", "errors.uptime_gateway_refused", new UptimeKumaSimulator({ gateway: { "X-Gate": "open" } })],
        ["", "errors.uptime_version_unsupported", new UptimeKumaSimulator({ version: "1.22.1" })],
      ];
      for (const [url, error, kuma] of tries) {
        await kuma?.start();
        const { id } = (await create({ name: `Wrong ${error}`, base_url: kuma?.url ?? url })).body;
        expect((await enrol(id)).body, error).to.include({ ok: false, error });
        await kuma?.stop();
      }
    });

    it("speaks to 1.23 below a subpath, with the headers its gateway wants", async () => {
      const kuma = new UptimeKumaSimulator({ version: "1.23.16", subpath: "/tools/kuma", gateway: { "X-Gate": "open" } });
      await kuma.start();
      const { id } = (await create({ name: "Old and deep", base_url: kuma.url })).body;
      expect((await enrol(id, { connect_headers: { "X-Gate": "open" } })).body).to.include({
        ok: true,
        server_version: "1.23.16",
      });
      for (const connect_headers of [{ Host: "x" }, { "bad name": "x" }, { Upgrade: "x" }])
        expect((await enrol(id, { connect_headers })).body.error.fields).to.deep.equal({ connect_headers: "errors.validation" });
      expect(kuma.complaints).to.deep.equal([]);
      await kuma.stop();
    });

    it("is 409 `errors.uptime_linked_instance` for one that only posts, and `errors.uptime_instance_inactive` while it is off", async () => {
      const linked = await world.linked(tenant);
      const answer = await enrol(linked.id);
      expect([answer.status, answer.body.error.code, answer.body.error.message]).to.deep.equal([
        409,
        "validation_error",
        "errors.uptime_linked_instance",
      ]);
      const { id } = (await create({ name: "Off", base_url: world.kuma.url, active: false })).body;
      expect((await enrol(id)).body.error.message).to.equal("errors.uptime_instance_inactive");
    });
  });

  describe("the session", () => {
    /** The states that a caller was notified of for a server. */
    const unreachable = async (caller: Tenant["owner"], id: string): Promise<string[]> =>
      (await caller.get("/notifications?limit=200")).body.items
        .filter((row: Row) => row["event_type"] === "uptime.instance.unreachable" && row["entity_id"] === id)
        .map((row: Row) => row["payload"].status);

    it("is opened by the token, and `needs_reauth` once the server refuses it; nothing calls it until it is enrolled again", async () => {
      const { id } = await world.instance(tenant);
      await world.aMinuteLater();
      world.kuma.changePassword();
      world.kuma.cut();
      world.kuma.reset();
      const sync = (await tenant.owner.post(`/uptime/instances/${id}/sync`)).body;
      expect(sync).to.include({ ok: false, error: "errors.uptime_reauth_required" });
      expect(await read(id)).to.include({ status: "needs_reauth", last_error: "errors.uptime_reauth_required" });
      await world.aMinuteLater();
      await tenant.owner.post(`/uptime/instances/${id}/sync`);
      expect(world.kuma.count("loginByToken")).to.equal(1);
      await world.aMinuteLater();
      expect((await enrol(id)).body.ok).to.equal(true);
      expect((await tenant.owner.post(`/uptime/instances/${id}/sync`)).body.ok).to.equal(true);
      expect(await read(id)).to.include({ status: "active", last_error: null });
      expect(await unreachable(tenant.owner, id)).to.deep.equal(["needs_reauth"]);
    });

    it("notifies those who manage servers once when it can no longer be opened, and again only after it was open", async () => {
      const [admin, member] = [await tenant.member("admin"), await tenant.member("member")];
      const { id } = await world.instance(tenant);
      const sync = async () => {
        await world.aMinuteLater();
        return (await tenant.owner.post(`/uptime/instances/${id}/sync`)).body.ok;
      };
      for (let n = 0; n < 2; n++) {
        const { version } = world.kuma;
        world.kuma.version = "1.22.0";
        world.kuma.cut();
        for (let m = 0; m < 2; m++) expect(await sync()).to.equal(false);
        expect(await read(id)).to.include({ status: "error" });
        expect(await unreachable(tenant.owner, id)).to.have.length(n + 1);
        world.kuma.version = version;
        expect(await sync()).to.equal(true);
      }
      expect(await unreachable(admin, id)).to.deep.equal(["error", "error"]);
      expect(await unreachable(member, id)).to.deep.equal([]);
    });
  });

  describe("PATCH, DELETE and the webhook address", () => {
    it("keeps the token where the name changes, and forgets it with the address", async () => {
      const { id } = await world.instance(tenant);
      const path = `/uptime/instances/${id}`;
      expect((await tenant.owner.patch(path, { name: "Renamed" })).body).to.include({ name: "Renamed", enrolled: true });
      const moved = await tenant.owner.patch(path, { base_url: "http://127.0.0.1:2/" });
      expect(moved.body).to.include({ base_url: "http://127.0.0.1:2", enrolled: false, status: "pending" });
      expect((await tenant.owner.patch(path, { base_url: null })).status).to.equal(400);
      const trail = (await tenant.owner.get(`/activity?entity_type=uptime_instance&entity_id=${id}`)).body;
      expect(JSON.stringify(trail)).to.include("Renamed");
    });

    it("replaces the webhook address, and ends the session of a deleted one", async () => {
      const { id, webhook_url } = await world.instance(tenant);
      const rotated = (await tenant.owner.post(`/uptime/instances/${id}/webhook`)).body;
      expect(rotated.webhook_url).to.not.equal(webhook_url);
      const open = world.kuma.open;
      expect((await tenant.owner.delete(`/uptime/instances/${id}`)).status).to.equal(204);
      expect((await tenant.owner.get(`/uptime/instances/${id}`)).status).to.equal(404);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(world.kuma.open).to.equal(open - 1);
    });
  });
});
