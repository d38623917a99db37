import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { seal } from "../../../core/database/sealed.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { ok, type Row } from "./reporting-world.ts";
import { type Gathering, gathered, printed, valuesOf } from "./sections-world.ts";

const SECTION = "uptime.availability";
const SPAN = { from: "2026-04-01", to: "2026-04-30" };
/** The minutes of April. */
const APRIL = 30 * 24 * 60;
const OLD = "2026-01-01T00:00:00Z";

describe("the section of availability (workspace-reporting §1.6, §5)", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  let instance: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    company = (await tenant.company()).id;
    const id = randomUUID();
    const place = { table: "uptime_instances", column: "hook_secret", organisation: tenant.organisation.id, row: id };
    instance = await inserted("uptime_instances", { id, name: "Kuma", mode: "linked", hook_secret: seal("secret", place) });
  });
  after(() => service.stop());

  async function inserted(table: string, values: Row): Promise<string> {
    const row: Row = { id: randomUUID(), organisation_id: tenant.organisation.id, ...values };
    const names = Object.keys(row);
    await service.sql.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})`,
      Object.values(row),
    );
    return row["id"];
  }
  const monitor = (name: string, values: Row = {}) =>
    inserted("uptime_monitors", {
      instance_id: instance,
      name,
      monitor_type: "http",
      company_id: company,
      company_given: true,
      last_status: "up",
      last_heartbeat_at: new Date().toISOString(),
      created_at: OLD,
      ...values,
    });
  const outage = (monitor_id: string, started_at: string, ended_at: string | null) =>
    inserted("uptime_incidents", { monitor_id, started_at, ended_at });
  const asked = (more: Partial<Gathering> = {}): Gathering => ({
    company,
    span: SPAN,
    audience: "internal",
    locale: "nl",
    ...more,
  });
  const section = (more?: Partial<Gathering>) => printed(tenant, SECTION, asked(more));
  const listed = (data: Row): Row | undefined => data["parts"]?.[0]?.table;
  const floored = (percent: number) => Math.floor(percent * 10) / 10;

  it("has the availability of each monitor, and the number, minutes, start and length of its outages", async () => {
    const [shop, site] = [await monitor("Shop"), await monitor("Site")];
    await outage(shop, "2026-04-10T10:00:00Z", "2026-04-10T22:00:00Z");
    await outage(shop, "2026-04-12T10:00:00Z", "2026-04-12T10:30:00Z");
    await monitor("Van een ander", { company_id: (await tenant.company()).id });
    const data = await section();
    const shopPercent = floored(100 - (750 / APRIL) * 100);
    expect(valuesOf(data.totals)).to.deep.equal({
      availability: [floored(100 - (375 / APRIL) * 100), null],
      outages: [2, null],
      minutes: [750, null],
    });
    expect(data.table?.rows).to.deep.equal([
      ["Shop", shopPercent, 2, 750],
      ["Site", 100, 0, 0],
    ]);
    expect(listed(data)?.["rows"]).to.deep.equal([
      ["Shop", "10 apr 2026, 12:00", 720],
      ["Shop", "12 apr 2026, 12:00", 30],
    ]);
    expect(site).to.be.a("string");
  });

  it("counts of an outage what lies in the period's days of the organisation's zone", async () => {
    const shop = await monitor("Shop");
    await outage(shop, "2026-03-31T20:00:00Z", "2026-03-31T22:10:00Z");
    await outage(shop, "2026-04-30T21:00:00Z", null);
    await outage(shop, "2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z");
    const data = await section();
    expect(data.table?.rows[0]?.slice(2)).to.deep.equal([2, 70]);
    expect(listed(data)?.["rows"].map(([, , minutes]: number[]) => minutes)).to.deep.equal([10, 60]);
  });

  it("is never 100 % with an outage, and counts a monitor from its first trace", async () => {
    const shop = await monitor("Shop");
    await outage(shop, "2026-04-10T10:00:00Z", "2026-04-10T10:00:20Z");
    await monitor("Nieuw", { created_at: "2026-05-02T00:00:00Z" });
    const late = await monitor("Laat", { created_at: "2026-04-30T21:00:00Z" });
    await outage(late, "2026-04-30T21:00:00Z", "2026-04-30T21:30:00Z");
    expect((await section()).table?.rows).to.deep.equal([
      ["Laat", 50, 1, 30],
      ["Shop", 99.9, 1, 1],
    ]);
  });

  it("has for the client only monitors of websites, under the website's name", async () => {
    const domain = await ok(tenant.owner.post("/domains", { name: "shop.example", company_id: company }));
    const website = await ok(tenant.owner.post("/websites", { domain_id: domain["id"] }));
    await monitor("Intern: shop op server 3", { website_id: website["id"] });
    await monitor("Database");
    const data = await section({ audience: "client" });
    expect(data.table?.rows).to.deep.equal([["shop.example", 100, 0, 0]]);
    expect(data.totals[0]?.value).to.equal(100);
  });

  it("leaves out what was not observed: paused monitors, groups and those that never reported", async () => {
    await monitor("Gepauzeerd", { active: false });
    await monitor("Groep", { monitor_type: "group" });
    await monitor("Stil", { last_heartbeat_at: null });
    expect((await gathered(tenant, SECTION, asked())).data).to.equal(null);
  });

  it("takes as many statements for 30 monitors and outages as for 2, and cuts at 25 rows", async () => {
    for (const name of ["A", "B"]) await outage(await monitor(name), "2026-04-10T10:00:00Z", "2026-04-10T11:00:00Z");
    const { statements } = await gathered(tenant, SECTION, asked());
    for (let n = 3; n <= 30; n++) await outage(await monitor(`M${n}`), "2026-04-11T10:00:00Z", "2026-04-11T11:00:00Z");
    const { data, statements: more } = await gathered(tenant, SECTION, asked());
    expect([statements, more]).to.deep.equal([2, 2]);
    for (const table of [data?.table, listed(data as Row)])
      expect([table?.["rows"].length, table?.["total_rows"]]).to.deep.equal([25, 30]);
    expect(data?.totals[1]?.value).to.equal(30);
  });
});
