import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { fillMarketing } from "../../../integrations/marketing/demo/demo-marketing.ts";
import { sources } from "../../../integrations/marketing/sources/registry.ts";
import type { Tenant } from "../../support/service.ts";
import { type Body, type StoredWorld, storedWorld } from "./stored-world.ts";

const TEXT = readFileSync(path.join(import.meta.dirname, "../../../docs/marketing.md"), "utf8");
const run = promisify(execFile);

describe("docs/marketing.md", function () {
  this.timeout(60_000);
  let world: StoredWorld;
  let tenant: Tenant;
  before(async () => {
    world = await storedWorld("2026-08-10");
    tenant = await world.tenant();
    for (const name of ["alfa.example", "bravo.example", "charlie.example"])
      await world.website(tenant, (await tenant.company({ name: name.replace(".example", "") })).id, name);
    await world.connection(tenant, tenant.owner);
    await fillMarketing({ organisation: tenant.organisation });
    await fillMarketing({ organisation: tenant.organisation });
  });
  after(() => world.stop());

  it("leads through the figures of the demo, as it is typed", async () => {
    const blocks = [...TEXT.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines]) => lines as string);
    expect(blocks).to.have.length(5);
    const prelude = [
      `KEY=${tenant.owner.key}; JSON='Content-Type: application/json'; API=http://${tenant.host}:${world.port}/api/v1`,
      `curl() { command curl --resolve ${tenant.host}:${world.port}:127.0.0.1 "$@"; echo; }`,
    ];
    const { stdout } = await run("bash", ["-euc", [...prelude, ...blocks].join("\n")]);
    const [clients, metrics, overview, summary, compared, curated, restored] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Body);
    expect(clients.rows.map(({ company_name }: Body) => company_name)).to.deep.equal(["alfa", "bravo", "charlie"]);
    expect(metrics.compare).to.deep.include({ current_start: "2026-07-01", current_end: "2026-07-31", start: "2025-07-01" });
    expect(overview.rows.map(({ company_name }: Body) => company_name)).to.deep.equal(["alfa", "bravo", "charlie"]);
    expect(summary.rows.map(({ metric }: Body) => metric)).to.deep.equal(["sessions", "sessions", "sessions"]);
    expect(compared.compare_resolved).to.equal("previous");
    expect(curated.layout.sources.ga4.tiles).to.deep.equal(["sessions", "keyEvents"]);
    expect(restored).to.deep.include({ compare: null, layout: null, show_key_events: true });
  });

  it("has a demo whose sources are healthy, compared with last year, and late where they are", async () => {
    const { rows } = (await tenant.owner.get("/marketing/clients")).body;
    const { sources: shown } = (await tenant.owner.get(`/marketing/companies/${rows[0].company_id}/metrics`)).body;
    expect(shown.map(({ source, health, data_until }: Body) => [source, health, data_until])).to.deep.equal([
      ["ga4", "ok", "2026-08-09"],
      ["gsc", "ok", "2026-08-07"],
      ["gads", "ok", "2026-08-09"],
      ["seranking", "ok", "2026-08-09"],
    ]);
    const [{ kpis, channels }] = shown;
    expect(kpis.totalUsers.pending).to.equal(false);
    expect(kpis.sessions.delta_pct).to.be.greaterThan(0);
    expect(Object.keys(channels)).to.have.members(["Organic Search", "Direct", "Organic Social", "Referral"]);
    const visits = Object.values(channels as Record<string, number>).reduce((sum, value) => sum + value, 0);
    expect(visits).to.equal(kpis.sessions.current);
  });

  it("has a line for every metric of every source", () => {
    for (const { key, metrics } of sources.values())
      for (const metric of Object.keys(metrics)) {
        const lines = TEXT.split("\n").filter((line) => line.startsWith(`| \`${key}\``));
        expect(
          lines.some((line) => line.includes(`\`${metric}\``) || line.includes("| all |")),
          `${key} ${metric}`,
        ).to.equal(true);
      }
  });
});
