import { expect } from "chai";
import { keepEvents } from "../../support/jobs.ts";
import type { Tenant, TestService } from "../../support/service.ts";
import { eventsOf, trailOf } from "../clients/companies/company-records.ts";
import { newKey, type PaymentWorld, startPayments } from "./payment-world.ts";

describe("POST /invoicing/invoices/{invoice_id}/payment-intents/{intent_id}/sync", () => {
  let world: PaymentWorld;
  let service: TestService;
  let tenant: Tenant;
  let invoiceId: string;
  let attempt: { id: string; external_id: string };
  before(async () => {
    world = await startPayments();
    ({ service } = world);
    await keepEvents(service);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    await world.account(tenant);
    invoiceId = await world.invoice(tenant);
    attempt = await world.attempt(tenant.owner, invoiceId);
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const sync = (id = attempt.id, of = invoiceId) => tenant.owner.post(`/invoicing/invoices/${of}/payment-intents/${id}/sync`);
  const paidEvents = async () => (await eventsOf(service.sql, invoiceId)).filter(({ event }) => event === "invoice.paid");

  it("books money that has arrived, once, and the invoice is paid", async () => {
    world.provider.pay(attempt.external_id, { paidAt: "2026-03-31T22:40:00+00:00" });
    const { status, body } = await sync();
    expect([status, body.status, body.method, body.checkout_url, body.last_error]).to.deep.equal([
      200,
      "paid",
      "ideal",
      null,
      null,
    ]);
    expect([body.settled_at, body.synced_at]).not.to.include(null);
    const [payment, ...others] = await world.payments(invoiceId);
    expect(others).to.deep.equal([]);
    expect(payment).to.deep.include({ amount: "121.00", method: "online", intent_id: attempt.id, paid_day: "2026-04-01" });
    expect(await world.storedInvoice(invoiceId)).to.deep.include({ status: "paid", paid_total: "121.00", outstanding: "0.00" });
    expect(await paidEvents()).to.have.length(1);
    const lines = await trailOf(service.sql, "invoice", invoiceId);
    expect(lines.find(({ action }) => action === "payment_intent_settled")).to.deep.include({
      payload: { provider: "mollie", amount: "121.00", currency: "EUR", mode: "live" },
      actor_account_id: tenant.owner.accountId,
    });
    await sync();
    expect([(await world.payments(invoiceId)).length, (await paidEvents()).length]).to.deep.equal([1, 1]);
  });

  it("books the day it was paid on the organisation's calendar, for any offset in the answer", async () => {
    await service.sql.query(
      "update organisations set timezone = 'America/New_York', access_revision = access_revision + 1 where id = $1",
      [tenant.organisation.id],
    );
    world.provider.pay(attempt.external_id, { paidAt: "2026-04-01T03:30:00+02:00" });
    await sync();
    expect((await world.payments(invoiceId))[0]?.["paid_day"]).to.equal("2026-03-31");
  });

  it("keeps the provider's other details, but never the payer or origin", async () => {
    world.provider.pay(attempt.external_id);
    await sync();
    const { payload } = await world.storedAttempt(attempt.id);
    expect(payload).to.have.property("paidAt");
    expect(JSON.stringify(payload)).not.to.match(/Payer|NL53|consumer|checkout/);
  });

  it("does not take authorised for paid, and books once it is", async () => {
    world.provider.move(attempt.external_id, { status: "authorized", method: "klarna" });
    expect((await sync()).body).to.deep.include({ status: "authorized", settled_at: null, method: "klarna" });
    expect(await world.payments(invoiceId)).to.deep.equal([]);
    world.provider.pay(attempt.external_id);
    expect((await sync()).body.settled_at).not.to.equal(null);
  });

  it("counts a status it does not know as pending", async () => {
    world.provider.move(attempt.external_id, { status: "dreaming" });
    expect((await sync()).body).to.deep.include({ status: "pending", settled_at: null });
  });

  it("never books a test payment: the attempt's mode counts, not the account's present one", async () => {
    const account = await world.account(tenant, { api_key: newKey("test") });
    const other = await world.invoice(tenant);
    const test = await world.attempt(tenant.owner, other, { account_id: account.id });
    world.provider.pay(test.external_id);
    expect((await sync(test.id, other)).body).to.deep.include({
      status: "paid",
      mode: "test",
      settled_at: null,
      last_error: null,
    });
    await service.sql.query("update payment_accounts set mode = 'live' where id = $1", [account.id]);
    expect((await sync(test.id, other)).body).to.deep.include({ status: "paid", mode: "test", settled_at: null });
    expect(await world.payments(other)).to.deep.equal([]);
    expect((await world.storedInvoice(other))["status"]).to.equal("open");
  });

  it("does not book on an invoice that was cancelled meanwhile, and says so", async () => {
    await service.sql.query("update invoices set status = 'cancelled' where id = $1", [invoiceId]);
    world.provider.pay(attempt.external_id);
    const { body } = await sync();
    expect([body.status, body.settled_at]).to.deep.equal(["paid", null]);
    expect(body.last_error).to.match(/cancelled/);
    expect(await world.payments(invoiceId)).to.deep.equal([]);
  });

  it("books on an invoice that is paid already: a visible overpayment", async () => {
    await tenant.owner.post(`/invoicing/invoices/${invoiceId}/payments`, { paid_on: "2026-04-01", amount: "121.00" });
    await service.sql.query(
      `insert into invoice_payments (id, organisation_id, invoice_id, paid_on, amount)
       select gen_random_uuid(), organisation_id, id, '2026-04-01', 121 from invoices where id = $1
       and not exists (select 1 from invoice_payments where invoice_id = $1)`,
      [invoiceId],
    );
    await service.sql.query("update invoices set status = 'paid', paid_total = 121, paid_at = now() where id = $1", [invoiceId]);
    world.provider.pay(attempt.external_id);
    await sync();
    expect(await world.storedInvoice(invoiceId)).to.deep.include({
      status: "paid",
      paid_total: "242.00",
      outstanding: "-121.00",
    });
  });

  it("books a lower reported amount, and the invoice stays open", async () => {
    world.provider.pay(attempt.external_id, { amount: { currency: "EUR", value: "60.50" } });
    await sync();
    expect(await world.storedInvoice(invoiceId)).to.deep.include({ status: "open", paid_total: "60.50", outstanding: "60.50" });
  });

  it("does not book another currency, and says so", async () => {
    world.provider.pay(attempt.external_id, { amount: { currency: "USD", value: "121.00" } });
    expect((await sync()).body).to.deep.include({
      status: "paid",
      settled_at: null,
      last_error: "paid in USD instead of EUR: not booked",
    });
    expect(await world.payments(invoiceId)).to.deep.equal([]);
    world.provider.pay(attempt.external_id, { amount: { currency: "EUR", value: "121.00" } });
    expect((await sync()).body.last_error, "money that arrived is repairable").to.equal(null);
    expect(await world.payments(invoiceId)).to.have.length(1);
  });

  it("never books a payment again, even after it was removed", async () => {
    world.provider.pay(attempt.external_id);
    await sync();
    await service.sql.query("delete from invoice_payments where invoice_id = $1", [invoiceId]);
    await service.sql.query("update invoices set status = 'open', paid_total = 0, paid_at = null where id = $1", [invoiceId]);
    await sync();
    expect(await world.payments(invoiceId)).to.deep.equal([]);
  });

  const reasons: [what: string, details: Record<string, unknown>, error: string][] = [
    ["failureMessage", { failureMessage: "Insufficient funds on NL53INGB0618365937" }, "Insufficient funds on ***"],
    ["failureReason", { failureReason: "insufficient_funds" }, "insufficient_funds"],
    ["bankReason", { bankReason: "AC04" }, "AC04"],
  ];
  for (const [what, details, error] of reasons)
    it(`keeps why a payment failed, from ${what}`, async () => {
      world.provider.move(attempt.external_id, { status: "failed", details });
      expect((await sync()).body).to.deep.include({ status: "failed", checkout_url: null, last_error: error });
    });

  it("leaves a failing provider's words on the attempt, with 200, and clears them afterwards", async () => {
    world.provider.fail({ kind: "reply", status: 500, body: "down" }, { kind: "reply", status: 502, body: "still down" });
    const { status, body } = await sync();
    expect([status, body.status, body.last_error]).to.deep.equal([200, "open", "HTTP 502"]);
    expect(body.synced_at).not.to.equal(null);
    expect((await sync()).body.last_error).to.equal(null);
  });

  it("says so where the provider knows no such payment", async () => {
    world.provider.payments.delete(attempt.external_id);
    expect((await sync()).body.last_error).to.equal("the provider knows no such payment");
  });

  it("checks for any status, every time", async () => {
    world.provider.move(attempt.external_id, { status: "expired" });
    await sync();
    const asked = world.provider.calls("get");
    await sync();
    expect(world.provider.calls("get")).to.equal(asked + 1);
  });

  it("knows no attempt of another invoice", async () => {
    const other = await world.invoice(tenant);
    expect((await sync(attempt.id, other)).status).to.equal(404);
    expect(world.provider.calls("get")).to.equal(0);
  });

  it("is for holders of the wide scope", async () => {
    const own = await tenant.member("member", { grants: ["invoicing.payment.link:own", "invoicing.invoice.read:own"] });
    expect((await own.post(`/invoicing/invoices/${invoiceId}/payment-intents/${attempt.id}/sync`)).status).to.equal(403);
  });
});
