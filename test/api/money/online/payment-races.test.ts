import { expect } from "chai";
import { jobsOf } from "../../../../mixins/jobs.ts";
import { keepEvents, until } from "../../../support/jobs.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { eventsOf } from "../../clients/company-records.ts";
import { newKey, type PaymentWorld, startPayments } from "./payment-world.ts";

const ROUNDS = 20;

describe("payments online, when everything happens at once (money §16)", function () {
  this.timeout(120_000);
  let world: PaymentWorld;
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    world = await startPayments();
    ({ service } = world);
    await jobsOf(service.node.broker).ready();
    await keepEvents(service);
    tenant = await service.tenant();
    await world.account(tenant);
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const paid = async (invoiceId: string) =>
    (await eventsOf(service.sql, invoiceId)).filter(({ event }) => event === "invoice.paid").length;

  /** Lets the hour come and waits for the run of every organisation; the events that are kept here are never delivered. */
  const runJob = async () => {
    const { sql } = service;
    await sql.query("delete from jobs.occurrences");
    const { rows } = await sql.query(
      "update jobs.agenda_jobs set next_run_at = now() where name = 'invoicing.payments' and type = 'single' returning id",
    );
    await sql.query("select pg_notify('kantoor_jobs', $1)", [
      JSON.stringify({ node: "the test", wakes: [["invoicing.payments", 0]] }),
    ]);
    const left = `select (select count(*) from jobs.agenda_jobs where id = $1 and (next_run_at <= now() or locked_at is not null))
      + (select count(*) from jobs.agenda_jobs where name = 'invoicing.payments' and type = 'normal'
           and (next_run_at is not null or locked_at is not null))
      + (select count(*) from outbox where job = 'invoicing.payments' and relayed_at is null) as left`;
    await until(async () => (await sql.query(left, [rows[0].id])).rows[0].left === "0");
  };

  it(`books one payment per attempt and pays the invoice once, by callbacks, sync, refresh, the public link and the job: ${ROUNDS} rounds`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const invoiceId = await world.invoice(tenant);
      const { public_token: token } = await world.storedInvoice(invoiceId);
      const attempt = await world.attempt(tenant.owner, invoiceId);
      world.provider.pay(attempt.external_id);
      const at = `/invoicing/invoices/${invoiceId}/payment-intents`;
      const job = runJob();
      const callbacks = world.provider.callback(attempt.external_id, service.port, 4);
      const answers = await Promise.all([
        tenant.owner.post(`${at}/${attempt.id}/sync`),
        tenant.owner.post(`${at}/${attempt.id}/sync`),
        tenant.owner.post(`${at}/refresh`),
        service.call("POST", `/invoicing/public/invoices/${token}/refresh`, { host: tenant.host }),
      ]);
      expect([...answers.map(({ status }) => status), ...(await callbacks)]).to.deep.equal(Array(8).fill(200));
      await job;
      const payments = await world.payments(invoiceId);
      expect(payments.map(({ amount, intent_id }) => [amount, intent_id])).to.deep.equal([["121.00", attempt.id]]);
      expect(await world.storedInvoice(invoiceId)).to.deep.include({ status: "paid", paid_total: "121.00" });
      expect(await paid(invoiceId)).to.equal(1);
      expect((await world.storedAttempt(attempt.id))["status"]).to.equal("paid");
    }
  });

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

  it("never books a test payment, however often it is asked about", async () => {
    const other = await service.tenant();
    await world.account(other, { api_key: newKey("test") });
    const invoiceId = await world.invoice(other);
    const attempt = await world.attempt(other.owner, invoiceId);
    world.provider.pay(attempt.external_id);
    await world.provider.callback(attempt.external_id, service.port, 10);
    expect([await world.payments(invoiceId), (await world.storedInvoice(invoiceId))["status"]]).to.deep.equal([[], "open"]);
  });
});
