import { expect } from "chai";
import { fillAutomation } from "../../../services/automation/demo/demo-automation.ts";
import { sharedService, type TestService } from "../../support/service.ts";
import { runsOf } from "./automation-support.ts";

describe("the automation demo", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("adds three valid rules, and adds them only once", async () => {
    const tenant = await service.tenant();
    const demo = { organisation: tenant.organisation, owner: tenant.owner.email };
    await fillAutomation(demo);
    await fillAutomation(demo);
    const rules = (await tenant.owner.get("/automation/rules")).body;
    expect(rules.map(({ trigger_event }: { trigger_event: string }) => trigger_event)).to.deep.equal([
      "company.status_changed",
      "task.status_changed",
      "domain.status_changed",
    ]);
    for (const rule of rules) {
      const { status, text } = await tenant.owner.patch(`/automation/rules/${rule.id}`, rule);
      expect(status, text).to.equal(200);
    }
    const company = await tenant.company({ status: "lead" });
    for (const status of ["active", "onboarding"]) await tenant.owner.patch(`/companies/${company.id}`, { status });
    expect((await runsOf(tenant.owner)).map(({ rule_name }) => rule_name)).to.deep.equal([rules[0].name]);
  });
});
