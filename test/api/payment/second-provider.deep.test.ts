import { expect } from "chai";
import { addPaymentProvider } from "../../../integrations/payment/providers.ts";
import { CentsPay } from "../../simulators/cents-pay.ts";
import type { Tenant } from "../../support/service.ts";
import { refusalOf } from "../clients/companies/company-records.ts";
import { newKey, type PaymentWorld, startPayments } from "./payment-world.ts";

const KEY = "cp_0123456789";

describe("a second payment provider, of another shape", () => {
  const provider = new CentsPay();
  let remove: () => void;
  let world: PaymentWorld;
  let tenant: Tenant;
  let address: string;
  let invoiceId: string;
  let attempt: { id: string; external_id: string; [field: string]: unknown };
  before(async () => {
    world = await startPayments();
    remove = addPaymentProvider(provider);
  });
  beforeEach(async () => {
    provider.isDown = false;
    tenant = await world.service.tenant();
    const account = await world.account(tenant, { provider: "centspay", api_key: KEY });
    address = new URL(account.webhook_url).pathname;
    invoiceId = await world.invoice(tenant, { total: "1028.44" });
    attempt = await world.attempt(tenant.owner, invoiceId);
  });
  after(async () => {
    remove();
    await world.stop();
  });

  const callBack = (ids: unknown = [attempt.external_id], key = KEY) => {
    const body = Buffer.from(JSON.stringify(ids));
    const signature = provider.signature(body, key).toString("hex");
    const headers = { "Content-Type": "application/json", "X-CentsPay-Signature": signature };
    return world.service.call("POST", `/${address}`, { body, headers, host: "x.example" });
  };

  it("takes its own keys and no other's", async () => {
    const create = (values: object) => tenant.owner.post("/invoicing/payment-accounts", { label: "x", ...values });
    expect(refusalOf(await create({ provider: "centspay", api_key: newKey() }))[2]).to.deep.equal({
      api_key: "errors.validation",
    });
    expect(refusalOf(await create({ api_key: KEY }))[2]).to.deep.equal({ api_key: "errors.validation" });
    const { body } = await create({ provider: "centspay", api_key: "cp_wrong_key" });
    expect((await tenant.owner.post(`/invoicing/payment-accounts/${body.id}/verify`)).body).to.deep.equal({
      ok: false,
      mode: "live",
      methods: [],
      error: "no such key",
    });
  });

  it("counts in minor units, and books them as amounts", async () => {
    expect(provider.charges.get(attempt.external_id)?.cents).to.equal(102_844);
    expect(attempt).to.deep.include({ provider: "centspay", amount: "1028.44", status: "open" });
    provider.capture(attempt.external_id, 102_845);
    expect((await callBack()).status).to.equal(200);
    expect((await world.payments(invoiceId)).map(({ amount, paid_day }) => [amount, paid_day])).to.deep.equal([
      ["1028.45", "2026-04-01"],
    ]);
  });

  it("signs its callbacks: one without, with another key's, or of another body is 404", async () => {
    provider.capture(attempt.external_id);
    const unsigned = await world.service.call("POST", `/${address}`, {
      body: JSON.stringify([attempt.external_id]),
      host: "x.example",
    });
    expect([unsigned.status, unsigned.text]).to.deep.equal([404, ""]);
    expect((await callBack(undefined, "cp_anotherkey")).status).to.equal(404);
    expect(await world.payments(invoiceId)).to.deep.equal([]);
    expect((await callBack()).status).to.equal(200);
    expect(await world.payments(invoiceId)).to.have.length(1);
  });

  it("is not asked by the other's callbacks, nor the other by its own", async () => {
    expect(
      (await world.service.call("POST", `/${address.replace("/centspay/", "/mollie/")}`, { body: "id=tr_1" })).status,
    ).to.equal(404);
    expect((await callBack(["tr_1", 1, null])).status).to.equal(200);
    expect(world.provider.received).to.deep.equal([]);
  });

  it("is named next to the first one, and chosen by name", async () => {
    await world.account(tenant);
    const other = await world.invoice(tenant);
    const at = `/invoicing/invoices/${other}/payment-intents`;
    expect(refusalOf(await tenant.owner.post(at, {}))[1]).to.equal("payment_account_ambiguous");
    expect((await tenant.owner.post(at, { provider: "centspay" })).body.provider).to.equal("centspay");
    expect((await tenant.owner.post(at, { provider: "mollie" })).body.provider).to.equal("mollie");
  });

  it("leaves its words on an attempt when it fails", async () => {
    provider.isDown = true;
    expect((await callBack()).status).to.equal(200);
    expect((await world.storedAttempt(attempt.id))["last_error"]).to.equal("down");
  });
});
