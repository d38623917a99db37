import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { send } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { nodeSettings } from "../../support/nodes/nodes.ts";
import { launch, type Spawned } from "../../support/process.ts";
import { makeTenant, type Tenant } from "../../support/service.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const NOT_COPIED = new Set(["node_modules", "test", "bench", ".git", ".ci"]);

/** A source that this service does not have: 10 pings a day at 20 ms, 30 of them on the first of a month at 40 ms. */
const BEACON = `import { eachDay } from "../../../core/calendar/calendar.ts";
import { defineSource } from "./source.ts";

export default defineSource({
  key: "beacon",
  position: 60,
  credential: { kind: "key" },
  metrics: { pings: { aggregation: "sum" }, latency: { aggregation: { mean: "pings" }, lowerIsBetter: true } },
  drilldowns: { hosts: { columns: ["pings"] } },
  deepLink: ({ external_id }) => "https://beacon.example/" + external_id,
  calls: async () => ({
    accounts: async () => [{ external_id: "b1", display_name: "Beacon one", account_hint: "beacon.example", config: {} }],
    days: async (_access, _link, { from, to }) => ({
      days: eachDay(from, to).map((day) => ({
        day,
        metrics: day.endsWith("-01") ? { pings: 30, latency: 40 } : { pings: 10, latency: 20 },
      })),
    }),
    drilldown: async (_access, link, kind, { from, to }) => [
      { label: link.external_id + " " + kind, key: from, href: "https://beacon.example/" + to, metrics: { pings: 7 } },
    ],
  }),
});
`;

describe("a sixth source", function () {
  this.timeout(300_000);
  let folder: string;
  let node: Spawned;
  let database: TestDatabase;
  let sql: pg.Client;
  let tenant: Tenant;
  let companyId: string;
  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
  let document: any;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-sixth-"));
    for (const name of readdirSync(ROOT))
      if (!NOT_COPIED.has(name)) cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
    symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    // The one file: nothing else of the service knows of the source.
    writeFileSync(path.join(folder, "integrations/marketing/sources/beacon.source.ts"), BEACON);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    node = await launch([process.execPath, "--disable-warning=ExperimentalWarning", path.join(folder, "main.ts")], {
      cwd: folder,
      environment: { ...nodeSettings(database), SERVICE_DATA_DIR: path.join(folder, "data") },
    });
    const port = node.port as number;
    tenant = await makeTenant(sql, () => port, "agency");
    await until(async () => (await tenant.owner.get("/companies")).status === 200);
    companyId = (await tenant.company()).id;
    document = (await send(port, "GET", "//api/openapi.json", { host: tenant.host })).body;
  });
  after(async () => {
    await node?.stop();
    await sql?.end();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const link = async (): Promise<string> => {
    const id = randomUUID();
    await sql.query(
      `insert into marketing_links (id, organisation_id, company_id, source, external_id, display_name)
       values ($1, $2, $3, 'beacon', $4, 'Beacon')`,
      [id, tenant.organisation.id, companyId, id],
    );
    return id;
  };

  it("is among the sources of the API reference", () => {
    const { DrilldownResponse, MetricSource } = document.components.schemas;
    expect(DrilldownResponse.properties.source).to.include({ $ref: "#/components/schemas/MetricSource" });
    expect(MetricSource.enum).to.deep.equal(["ga4", "gsc", "gads", "seranking", "rankmath", "beacon"]);
  });

  it("has drilldowns, with its own kinds, columns and screen", async () => {
    const id = await link();
    const asked = (kind: string) =>
      tenant.owner.get(`/marketing/companies/${companyId}/drilldown?link_id=${id}&kind=${kind}&period=2026-07`);
    expect((await asked("hosts")).body).to.deep.equal({
      source: "beacon",
      kind: "hosts",
      period: "2026-07",
      columns: ["pings"],
      rows: [{ label: `${id} hosts`, key: "2026-07-01", href: "https://beacon.example/2026-07-31", metrics: { pings: 7 } }],
      available: true,
      unavailable_reason: null,
      deep_link: `https://beacon.example/${id}`,
    });
    expect((await asked("keywords")).status).to.equal(422);
    await sql.query("delete from marketing_links where id = $1", [id]);
  });

  it("is picked from, linked, read for 800 days, and its figures are shown", async () => {
    const { body: picked } = await tenant.owner.get("/marketing/accounts?source=beacon");
    expect(picked).to.deep.include({ source: "beacon", configured: true, error: null });
    expect(picked.accounts).to.deep.equal([
      { external_id: "b1", display_name: "Beacon one", account_hint: "beacon.example", config: {}, already_linked: false },
    ]);
    const made = await tenant.owner.post("/marketing/links", {
      company_id: companyId,
      source: "beacon",
      external_id: "b1",
      display_name: "Beacon one",
    });
    expect(made.status).to.equal(201);
    await until(async () => (await tenant.owner.get(`/marketing/links?company_id=${companyId}`)).body[0]?.backfill_done === true);
    const { rows } = await sql.query("select count(*)::int as days from marketing_days where link_id = $1", [made.body.id]);
    expect(rows[0].days).to.equal(800);
    const { body } = await tenant.owner.get(`/marketing/companies/${companyId}/metrics?period=last_month`);
    const [source] = body.sources;
    const days = source.series.dates.length;
    expect(source.primary_metric).to.equal("pings");
    expect(source.kpis.pings.current).to.equal(10 * (days - 1) + 30);
    expect(source.kpis.latency.current).to.be.closeTo((200 * (days - 1) + 1200) / (10 * (days - 1) + 30), 0.0001);
    expect(source.kpis.latency.lower_is_better).to.equal(true);
    expect(source.drilldowns).to.deep.equal(["hosts"]);
  });
});
