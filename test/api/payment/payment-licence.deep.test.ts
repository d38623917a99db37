import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { fire } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
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

  it("refuses writes behind public links as well, and still shows what they lead to", async () => {
    const id = await world.invoice(tenant);
    const invoice = `/invoicing/public/invoices/${(await world.storedInvoice(id))["public_token"]}`;
    const { id: company_id } = await tenant.company();
    const lines = [{ description: "Work", unit_price: 1 }];
    const drafted = (await tenant.owner.post("/invoicing/quotes", { company_id, lines })).body;
    const issued = (await tenant.owner.post(`/invoicing/quotes/${drafted.id}/issue`, {})).body;
    const quote = `/invoicing/public/quotes/${issued.public_url.split("/").at(-1)}`;
    await lapse();
    const payments = world.provider.payments.size;
    const call = (method: string, path: string, body?: object) =>
      world.service.call(method, path, { host: tenant.host, ...(body && { body }) } as never);
    for (const answer of [
      await call("POST", `${invoice}/payment-intents`),
      await call("POST", `${quote}/accept`, { name: "Anna" }),
      await call("POST", `${quote}/reject`, {}),
    ]) {
      expect([answer.status, answer.body.error?.code]).to.deep.equal([402, "plan_inactive"]);
      expect(answer.headers).to.include({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
    }
    expect(world.provider.payments.size).to.equal(payments);
    expect((await call("GET", invoice)).status).to.equal(200);
    expect((await call("GET", quote)).body).to.include({ status: "open", decidable: true });
  });

  it("asks about payments every hour all the same", async () => {
    const { id, attempt } = await underWay();
    await lapse();
    world.provider.pay(attempt.external_id);
    await fire(world.service, "invoicing.payments");
    expect((await world.storedInvoice(id))["status"]).to.equal("paid");
  });
});
