import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { fillUptime } from "../../../integrations/uptime/demo/demo-uptime.ts";
import { send } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { type Row, startUptime, type UptimeWorld } from "./uptime-world.ts";

const TEXT = readFileSync(path.join(import.meta.dirname, "../../../docs/uptime.md"), "utf8");
const TOUR = readFileSync(path.join(import.meta.dirname, "../../../docs/tour.md"), "utf8");
const run = promisify(execFile);

/** Every key that a refusal of the module has. */
const UPTIME_KEYS: readonly string[] = [
  ..."unreachable not_server gateway_refused version_unsupported rate_limited credentials_rejected totp_required".split(" "),
  ..."totp_rejected reauth_required failed invalid_url base_url_required not_enrolled instance_inactive linked_instance".split(
    " ",
  ),
  ..."not_pushed group_has_children link_incomplete".split(" "),
].map((name) => `errors.uptime_${name}`);

describe("docs/uptime.md", function () {
  this.timeout(60_000);
  let world: UptimeWorld;
  before(async () => {
    world = await startUptime();
  });
  after(() => world.stop());

  it("leads from a server to the first alarm, as it is typed", async () => {
    const { kuma, service } = world;
    const tenant = await service.tenant();
    await world.site(tenant, "shop.example");
    kuma.add({ name: "There before", type: "http", url: "https://before.example" });
    const [idOf = ""] = /id_of\(\) \{ .+ \}/.exec(TOUR) ?? [];
    const blocks = [...TEXT.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines]) => lines as string);
    expect(blocks).to.have.length(5);
    const prelude = [
      `KEY=${tenant.owner.key}; JSON='Content-Type: application/json'; API=http://${tenant.host}:${service.port}/api/v1`,
      `curl() { command curl --resolve ${tenant.host}:${service.port}:127.0.0.1 "$@"; echo; }`,
      idOf,
    ];
    const lines = blocks.join("\n").replace("http://localhost:3001", kuma.url).replace("your password", kuma.account.password);
    expect(lines).to.include(kuma.url);
    const { stdout } = await run("bash", ["-euc", [...prelude, lines].join("\n")]);
    expect(stdout).to.include('"ok":true,"server_version":"2.5.3"').and.to.include('"found":1').and.to.include('"added":1');
    expect(stdout).to.include('"linked":1,"skipped":1');
    const [hook = ""] = /http\S+\/uptime\/hook\/\S+/.exec(stdout) ?? [];
    const [monitor] = [...kuma.monitors.values()].filter(({ name }) => name === "Shop");
    expect(monitor).to.include({ url: "https://shop.example/" });
    const body = kuma.delivery(kuma.beat(monitor?.id as number, "down", new Date(), "", false));
    expect((await send(service.port, "POST", `/${new URL(hook).pathname}`, { host: "x.example", body })).status).to.equal(200);
    const [site] = (await tenant.owner.get("/websites?q=shop")).body.items;
    expect(site.uptime_status).to.equal("down");
    await until(async () =>
      (await tenant.owner.get("/notifications")).body.items.some((row: Row) => row["event_type"] === "uptime.monitor.down"),
    );
    expect(kuma.complaints).to.deep.equal([]);
  });

  it("has a line for every refusal", () => {
    for (const key of UPTIME_KEYS) expect(TEXT, key).to.include(`| \`${key}\` |`);
  });

  it("has a server that posts in the demo, with monitors of websites that have reported", async () => {
    const tenant = await world.service.tenant();
    for (const name of ["a.nl", "b.nl", "c.nl"]) await world.site(tenant, name);
    await fillUptime({ organisation: tenant.organisation });
    await fillUptime({ organisation: tenant.organisation });
    expect((await tenant.owner.get("/uptime/instances")).body).to.have.length(1);
    const { items } = (await tenant.owner.get("/uptime/monitors")).body;
    expect(items.map(({ status }: Row) => status)).to.deep.equal(["up", "up", "down"]);
    expect((await tenant.owner.get(`/uptime/monitors/${items[0].id}/heartbeats?limit=1`)).body.total).to.equal(48);
    const sites = (await tenant.owner.get("/websites?sort=name")).body.items;
    expect(sites.map(({ uptime_status }: Row) => uptime_status)).to.deep.equal(["up", "up", "down"]);
  });
});
