import { expect } from "chai";
import { addDays } from "../../../core/calendar/dates.ts";
import { todayIn } from "../../../core/calendar/zones.ts";
import { fillAdvertising } from "../../../integrations/advertising/demo/demo-advertising.ts";
import { sharedService, type TestService } from "../../support/service.ts";

describe("the advertising account of the demo", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("has a month of figures to compare with the year before, and is made once", async () => {
    const tenant = await service.tenant();
    await tenant.company();
    for (const _ of [1, 2]) await fillAdvertising({ organisation: { ...tenant.organisation } as never });
    const [account, ...others] = (await tenant.owner.get("/ads-platform/accounts")).body;
    expect(others).to.deep.equal([]);
    const { body } = await tenant.owner.get(`/ads-platform/accounts/${account.id}/trend`);
    const yesterday = addDays(todayIn("Europe/Amsterdam", Date.now(), "UTC"), -1);
    expect([body.period.date_to, body.missing_days, body.breakdown.length]).to.deep.equal([yesterday, 0, 2]);
    const { impressions, clicks, cost } = body.totals;
    expect([impressions / clicks, Math.round((cost / clicks) * 100)]).to.deep.equal([20, 85]);
    expect(body.change.clicks.relative).to.be.within(0.5, 1.5);
    const shares = body.breakdown.reduce((sum: number, one: { clicks: number }) => sum + one.clicks, 0);
    expect(shares).to.equal(clicks);
  });
});
