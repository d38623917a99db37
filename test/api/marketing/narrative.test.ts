import { expect } from "chai";
import type { Caller, Tenant } from "../../support/service.ts";
import { insertReport } from "../reporting/inserted-report.ts";
import { enableReporting } from "../reporting/report-world.ts";
import { type StoredWorld, storedWorld } from "./stored-world.ts";

describe("a report's texts with a client's figures (marketing-ads §2.6)", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    world = await storedWorld("2026-08-10");
  });
  beforeEach(async () => {
    tenant = await world.tenant();
    await enableReporting(world, tenant);
    company = (await tenant.company()).id;
  });
  after(() => world.stop());

  const narrative = async (who: Caller = tenant.owner) => {
    const { status, text, body } = await who.get(`/marketing/companies/${company}/metrics`);
    expect(status, text).to.equal(200);
    return body.narrative;
  };
  const report = (month: string, values: object = {}) =>
    insertReport(world.sql, tenant, {
      company_id: company,
      period_start: `${month}-01`,
      period_end: `${month}-28`,
      published_at: "2026-08-05T08:00:00Z",
      narrative: { "marketing.conversions": `Woorden van ${month}` },
      ...values,
    });

  it("are those of the newest one that was published for the client", async () => {
    expect(await narrative()).to.equal(null);
    await report("2026-05");
    const newest = await report("2026-06");
    await report("2026-07", { published_at: null });
    await report("2026-08", { audience: "internal" });
    expect(await narrative()).to.deep.equal({
      report_id: newest,
      period_start: "2026-06-01",
      period_end: "2026-06-28",
      published_at: "2026-08-05T08:00:00+00:00",
      texts: { "marketing.conversions": "Woorden van 2026-06" },
    });
  });

  it("are absent for a report without texts, of another client, and for callers who cannot read reports", async () => {
    await report("2026-05", { company_id: (await tenant.company()).id });
    await report("2026-06", { narrative: {} });
    expect(await narrative()).to.equal(null);
    await report("2026-04");
    expect(await narrative()).to.have.property("period_start", "2026-04-01");
    const without = await tenant.member("member", { grants: ["marketing.metrics.read"] });
    expect(await narrative(without)).to.equal(null);
  });
});
