import { expect } from "chai";
import { fillPayment } from "../../../integrations/payment/demo/demo-payment.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("the demo of payment", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    await fillPayment({ organisation: tenant.organisation });
  });
  after(() => service.stop());

  const accounts = async () => (await tenant.owner.get("/invoicing/payment-accounts")).body;

  it("has one account in test mode, which accepts no payments", async () => {
    const [account, ...others] = await accounts();
    expect(account).to.include({ provider: "mollie", label: "Mollie (test)", mode: "test", active: false });
    expect(others).to.deep.equal([]);
  });

  it("is filled once", async () => {
    const before = await accounts();
    await fillPayment({ organisation: tenant.organisation });
    expect(await accounts()).to.deep.equal(before);
  });
});
