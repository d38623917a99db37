import { expect } from "chai";
import { keepEvents } from "../../support/jobs.ts";
import type { Tenant, TestService } from "../../support/service.ts";
import { eventsOf } from "../clients/companies/company-records.ts";
import { newKey, type PaymentWorld, startPayments } from "./payment-world.ts";

describe("payments online, when everything happens at once (money §16)", function () {
  this.timeout(120_000);
  let world: PaymentWorld;
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    world = await startPayments();
    ({ service } = world);
    await keepEvents(service);
    tenant = await service.tenant();
    await world.account(tenant);
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const paid = async (invoiceId: string) =>
    (await eventsOf(service.sql, invoiceId)).filter(({ event }) => event === "invoice.paid").length;

  it("keeps paid_total the sum of the rows where several attempts are paid at once", async () => {
    for (let round = 0; round < 5; round++) {
      const invoiceId = await world.invoice(tenant);
      const attempts = [];
      for (const balance of ["0", "21.00", "42.00"]) {
        await service.sql.query("update invoices set paid_total = $2 where id = $1", [invoiceId, balance]);
        attempts.push(await world.attempt(tenant.owner, invoiceId));
      }
      await service.sql.query("update invoices set paid_total = 0 where id = $1", [invoiceId]);
      for (const { external_id } of attempts) world.provider.pay(external_id);
      await Promise.all(attempts.map(({ external_id }) => world.provider.callback(external_id, service.port, 3)));
      const payments = await world.payments(invoiceId);
      expect(payments.map(({ amount }) => amount).toSorted()).to.deep.equal(["100.00", "121.00", "79.00"]);
      expect((await world.storedInvoice(invoiceId))["paid_total"]).to.equal("300.00");
      expect(await paid(invoiceId)).to.equal(1);
    }
  });

  it("does not let an answer from before undo the end of an attempt", async () => {
    const invoiceId = await world.invoice(tenant);
    const attempt = await world.attempt(tenant.owner, invoiceId);
    const path = `/invoicing/invoices/${invoiceId}/payment-intents/${attempt.id}/sync`;
    let answer = () => {};
    world.provider.fail({ kind: "wait", until: new Promise<void>((resolve) => (answer = resolve)) });
    const asked = world.provider.received.length;
    const early = tenant.owner.post(path);
    while (world.provider.received.length === asked) await new Promise((resolve) => setTimeout(resolve, 5));
    world.provider.pay(attempt.external_id);
    await world.provider.callback(attempt.external_id, service.port);
    answer();
    expect((await early).body).to.deep.include({ status: "paid", checkout_url: null });
    expect(await world.payments(invoiceId)).to.have.length(1);
  });

  it("never books a test payment, on repeated checks", async () => {
    const other = await service.tenant();
    await world.account(other, { api_key: newKey("test") });
    const invoiceId = await world.invoice(other);
    const attempt = await world.attempt(other.owner, invoiceId);
    world.provider.pay(attempt.external_id);
    await world.provider.callback(attempt.external_id, service.port, 10);
    expect([await world.payments(invoiceId), (await world.storedInvoice(invoiceId))["status"]]).to.deep.equal([[], "open"]);
  });
});
