import { expect } from "chai";
import { jobsOf } from "../../../../mixins/jobs.ts";
import { fire } from "../../../support/jobs.ts";
import type { Tenant } from "../../../support/service.ts";
import { newKey, type PaymentWorld, startPayments } from "./payment-world.ts";

describe("payments online while the licence has lapsed (money §0)", () => {
  let world: PaymentWorld;
  let tenant: Tenant;
  before(async () => {
    world = await startPayments({ SERVICE_POSTURE: "hosted" });
    await jobsOf(world.service.node.broker).ready();
  });
  beforeEach(async () => {
    tenant = await world.service.tenant();
    await world.account(tenant);
  });
  after(() => world.stop());

  const lapse = () =>
    world.service.sql.query(
      "update organisations set plan = 'trial', plan_ends_at = now() - interval '1 day', access_revision = access_revision + 1 where id = $1",
      [tenant.organisation.id],
    );
  const underWay = async () => {
    const id = await world.invoice(tenant);
    return { id, attempt: await world.attempt(tenant.owner, id), token: (await world.storedInvoice(id))["public_token"] };
  };

  it("records money that has moved by callback and by both refreshes, and starts nothing new", async () => {
    const [first, second, third] = [await underWay(), await underWay(), await underWay()];
    await lapse();
    const at = `/invoicing/invoices/${first.id}/payment-intents`;
    expect((await tenant.owner.post(at, {})).status).to.equal(402);
    expect((await tenant.owner.post(`${at}/${first.attempt.id}/sync`)).status).to.equal(402);
    expect((await tenant.owner.post("/invoicing/payment-accounts", { label: "x", api_key: newKey() })).status).to.equal(402);
    expect((await tenant.owner.get(at)).status).to.equal(200);
    for (const { attempt } of [first, second, third]) world.provider.pay(attempt.external_id);
    expect(await world.provider.callback(first.attempt.external_id, world.service.port)).to.deep.equal([200]);
    expect((await tenant.owner.post(`/invoicing/invoices/${second.id}/payment-intents/refresh`)).status).to.equal(200);
    const link = `/invoicing/public/invoices/${third.token}/refresh`;
    expect((await world.service.call("POST", link, { host: tenant.host })).status).to.equal(200);
    for (const { id } of [first, second, third]) expect((await world.storedInvoice(id))["status"]).to.equal("paid");
  });

  it("asks about payments every hour all the same", async () => {
    const { id, attempt } = await underWay();
    await lapse();
    world.provider.pay(attempt.external_id);
    await fire(world.service, "invoicing.payments");
    expect((await world.storedInvoice(id))["status"]).to.equal("paid");
  });
});
