import { expect } from "chai";
import { addDays } from "../../../core/calendar/dates.ts";
import { todayIn } from "../../../core/calendar/zones.ts";
import { fillAdvertising } from "../../../integrations/advertising/demo/demo-advertising.ts";
import { fillMarketing } from "../../../integrations/marketing/demo/demo-marketing.ts";
import { sharedService, type TestService } from "../../support/service.ts";

describe("the advertising account of the demo", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("has the figures of marketing's demo, of the first clients by domain, and is made once", async () => {
    const tenant = await service.tenant();
    // By name the clients would come in the other order.
    const ids: string[] = [];
    for (const [name, domain] of [
      ["Zonneveld", "a.example"],
      ["Aalbers", "b.example"],
      ["Bos", "c.example"],
    ]) {
      const { id } = await tenant.company({ name });
      const { body } = await tenant.owner.post("/domains", { name: domain, company_id: id });
      expect((await tenant.owner.post("/websites", { domain_id: body.id })).status).to.equal(201);
      ids.push(id);
    }
    const { organisation } = tenant;
    await fillMarketing({ organisation });
    for (const _ of [1, 2]) await fillAdvertising({ organisation });
    const accounts: { id: string; company_id: string }[] = (await tenant.owner.get("/ads-platform/accounts")).body;
    expect(accounts.map(({ company_id }) => company_id)).to.have.members(ids.slice(0, 2));
    const yesterday = addDays(todayIn("Europe/Amsterdam", Date.now(), "UTC"), -1);
    for (const { id, company_id } of accounts) {
      const { body } = await tenant.owner.get(`/ads-platform/accounts/${id}/trend`);
      expect([body.period.date_to, body.missing_days, body.breakdown.length]).to.deep.equal([yesterday, 0, 2]);
      const { sources } = (await tenant.owner.get(`/marketing/companies/${company_id}/metrics?period=30d`)).body;
      const { kpis } = sources.find(({ source }: { source: string }) => source === "gads");
      for (const key of ["cost", "clicks", "impressions", "conversions"])
        expect([key, body.totals[key]]).to.deep.equal([key, kpis[key].current]);
      expect(body.change.clicks.relative).to.be.within(0.05, 1.5);
      const shares = body.breakdown.reduce((sum: number, one: { clicks: number }) => sum + one.clicks, 0);
      expect(shares).to.equal(body.totals.clicks);
    }
  });

  it("is not made without figures of marketing", async () => {
    const tenant = await service.tenant();
    await tenant.company();
    await fillAdvertising({ organisation: tenant.organisation });
    expect((await tenant.owner.get("/ads-platform/accounts")).body).to.deep.equal([]);
  });
});
