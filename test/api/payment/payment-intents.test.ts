import { expect } from "chai";
import { ended, endsBefore } from "../../support/effort.ts";
import { noneInTransaction } from "../../support/open-transactions.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { refusalOf, trailOf } from "../clients/companies/company-records.ts";
import { newKey, type PaymentWorld, startPayments } from "./payment-world.ts";

describe("/invoicing/invoices/{invoice_id}/payment-intents", () => {
  let world: PaymentWorld;
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    world = await startPayments();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const at = (invoiceId: string) => `/invoicing/invoices/${invoiceId}/payment-intents`;
  const start = (invoiceId: string, body: object = {}, caller: Caller = tenant.owner) => caller.post(at(invoiceId), body);
  const count = async (invoiceId: string) =>
    (await service.sql.query("select count(*)::int as count from payment_intents where invoice_id = $1", [invoiceId])).rows[0]
      .count;

  it("orders an amount with the decimals its currency has", async () => {
    await world.account(tenant);
    for (const currency of ["JPY", "ISK", "USD"]) {
      const { body } = await start(await world.invoice(tenant, { total: "1210.00", currency }));
      expect([body.amount, body.currency]).to.deep.equal(["1210.00", currency]);
    }
    const ordered = [...world.provider.payments.values()].map(({ order }) => order["amount"]);
    expect(ordered).to.deep.equal([
      { currency: "JPY", value: "1210" },
      { currency: "ISK", value: "1210" },
      { currency: "USD", value: "1210.00" },
    ]);
  });

  it("charges the amount due now, and gives the payer's page its return address", async () => {
    const account = await world.account(tenant);
    const invoiceId = await world.invoice(tenant, { total: "1028.44", paid_total: "400.00", number: "2026-0031", locale: "nl" });
    const { status, body } = await start(invoiceId);
    const { id, created_at, checkout_url, ...rest } = body;
    expect([status, rest]).to.deep.equal([
      200,
      {
        invoice_id: invoiceId,
        account_id: account.id,
        provider: "mollie",
        amount: "628.44",
        currency: "EUR",
        mode: "live",
        status: "open",
        method: null,
        settled_at: null,
        synced_at: null,
        last_error: null,
      },
    ]);
    expect([checkout_url, created_at]).to.satisfy(
      ([link, made]: string[]) => link?.startsWith("https://pay.example/checkout/tr_") && !Number.isNaN(Date.parse(made ?? "")),
    );
    const base = `http://${tenant.host}`;
    const [{ order } = expect.fail("nothing was ordered")] = [...world.provider.payments.values()];
    expect(order).to.deep.equal({
      amount: { currency: "EUR", value: "628.44" },
      description: `2026-0031 — ${tenant.organisation.name}`,
      redirectUrl: `${base}/invoices/${invoiceId}?return=1`,
      webhookUrl: account.webhook_url,
      metadata: { invoice_id: invoiceId, invoice_number: "2026-0031", intent_id: id },
      locale: "nl_NL",
    });
    expect(world.provider.received[0]?.headers["idempotency-key"]).to.equal(id);
    const lines = await trailOf(service.sql, "invoice", invoiceId);
    expect(lines.map(({ action, payload, actor_account_id }) => [action, payload, actor_account_id])).to.deep.equal([
      ["payment_intent_started", { provider: "mollie", amount: "628.44", currency: "EUR", mode: "live" }, tenant.owner.accountId],
    ]);
  });

  it("leaves out a language the provider does not speak, and cuts a long description", async () => {
    await world.account(tenant);
    await service.sql.query("update organisations set name = $2 where id = $1", [tenant.organisation.id, "x".repeat(300)]);
    await start(await world.invoice(tenant, { locale: "ja" }));
    const [{ order } = expect.fail("nothing was ordered")] = [...world.provider.payments.values()];
    expect(order).not.to.have.property("locale");
    expect(order["description"]).to.have.length(255);
  });

  const unpayable: [what: string, values: Record<string, unknown>][] = [
    ["a draft", { status: "draft" }],
    ["a paid one", { status: "paid", paid_total: "121.00" }],
    ["a cancelled one", { status: "cancelled" }],
    ["a credit note", { kind: "credit_note" }],
    ["nothing due", { credited_total: "121.00" }],
    ["less than nothing due", { total: "-5.00" }],
  ];
  for (const [what, values] of unpayable)
    it(`refuses ${what} with payment_not_payable, before any account is checked, without a call`, async () => {
      const invoiceId = await world.invoice(tenant, values);
      expect(refusalOf(await start(invoiceId))).to.deep.equal([409, "payment_not_payable", null]);
      expect(world.provider.received).to.deep.equal([]);
      expect(await count(invoiceId)).to.equal(0);
    });

  it("refuses what no account can be chosen for", async () => {
    const invoiceId = await world.invoice(tenant);
    expect(refusalOf(await start(invoiceId))).to.deep.equal([409, "payment_no_account", null]);
    const off = await world.account(tenant, { active: false });
    expect(refusalOf(await start(invoiceId))).to.deep.equal([409, "payment_no_account", null]);
    expect(refusalOf(await start(invoiceId, { account_id: off.id }))).to.deep.equal([409, "payment_account_inactive", null]);
    await world.account(tenant);
    const second = await world.account(tenant);
    expect(refusalOf(await start(invoiceId))).to.deep.equal([
      409,
      "payment_account_ambiguous",
      { account_id: "errors.required" },
    ]);
    const elsewhere = await world.account(await service.tenant());
    expect(refusalOf(await start(invoiceId, { account_id: elsewhere.id }))).to.deep.equal([404, "not_found", null]);
    expect(refusalOf(await start(invoiceId, { account_id: second.id, provider: "other" }))).to.deep.equal([
      404,
      "not_found",
      null,
    ]);
    expect(refusalOf(await start(invoiceId, { provider: "other" }))).to.deep.equal([409, "payment_no_account", null]);
    expect(refusalOf(await start(invoiceId, { account_id: "x" }))[0]).to.equal(422);
    expect(world.provider.received).to.deep.equal([]);
    expect((await start(invoiceId, { account_id: second.id })).body.account_id).to.equal(second.id);
  });

  it("takes the only live account of several", async () => {
    await world.account(tenant, { api_key: newKey("test") });
    const live = await world.account(tenant);
    expect((await start(await world.invoice(tenant))).body.account_id).to.equal(live.id);
  });

  it("gives again what can still be paid, without asking the provider", async () => {
    await world.account(tenant);
    const invoiceId = await world.invoice(tenant);
    const first = (await start(invoiceId)).body;
    const asked = world.provider.received.length;
    expect((await start(invoiceId)).body).to.deep.equal(first);
    expect(world.provider.received).to.have.length(asked);
    await service.sql.query("update payment_intents set status = 'pending' where id = $1", [first.id]);
    expect((await start(invoiceId)).body.id).to.equal(first.id);
  });

  for (const status of ["failed", "expired", "canceled", "authorized"])
    it(`opens another one after one that is ${status}`, async () => {
      await world.account(tenant);
      const invoiceId = await world.invoice(tenant);
      const first = await world.attempt(tenant.owner, invoiceId);
      world.provider.move(first.external_id, { status });
      await tenant.owner.post(`${at(invoiceId)}/${first.id}/sync`);
      expect((await start(invoiceId)).body.id).not.to.equal(first.id);
      expect(world.provider.payments.size).to.equal(2);
    });

  it("opens another one for another balance, for another account, and once a test key became a live one; the old ones stay valid", async () => {
    const account = await world.account(tenant, { api_key: newKey("test") });
    const invoiceId = await world.invoice(tenant);
    const ids = [(await start(invoiceId)).body.id];
    await service.sql.query("update invoices set paid_total = 21 where id = $1", [invoiceId]);
    ids.push((await start(invoiceId)).body.id);
    const second = await world.account(tenant, { api_key: newKey("test") });
    ids.push((await start(invoiceId, { account_id: second.id })).body.id);
    await tenant.owner.patch(`/invoicing/payment-accounts/${account.id}`, { api_key: newKey() });
    ids.push((await start(invoiceId, { account_id: account.id })).body.id);
    expect(new Set(ids).size).to.equal(4);
    const { body } = await tenant.owner.get(at(invoiceId));
    expect(body.map(({ id, status, amount, mode }: Record<string, string>) => [id, status, amount, mode])).to.deep.equal([
      [ids[3], "open", "100.00", "live"],
      [ids[2], "open", "100.00", "test"],
      [ids[1], "open", "100.00", "test"],
      [ids[0], "open", "121.00", "test"],
    ]);
  });

  it("makes one payment for two callers at once, who get the same attempt: 20 rounds", async () => {
    await world.account(tenant);
    for (let round = 0; round < 20; round++) {
      const invoiceId = await world.invoice(tenant);
      const before = world.provider.payments.size;
      const answers = await Promise.all([start(invoiceId), start(invoiceId), start(invoiceId)]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
      expect([world.provider.payments.size - before, await count(invoiceId)]).to.deep.equal([1, 1]);
    }
  });

  it("has the second caller wait for the first, and then share the answer", async () => {
    await world.account(tenant);
    const invoiceId = await world.invoice(tenant);
    let answer = () => {};
    world.provider.fail({ kind: "wait", until: new Promise<void>((resolve) => (answer = resolve)) });
    const first = start(invoiceId);
    await endsBefore(
      30_000,
      (async () => {
        while (world.provider.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      })(),
    );
    const second = start(invoiceId);
    const isOver = ended(second);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isOver()).to.equal(false);
    answer();
    expect((await second).body).to.deep.equal((await first).body);
    expect(world.provider.calls("create")).to.equal(1);
  });

  it("makes no second payment when an answer is lost and the call is repeated", async () => {
    await world.account(tenant);
    const invoiceId = await world.invoice(tenant);
    world.provider.fail({ kind: "lose" });
    expect(refusalOf(await start(invoiceId))).to.deep.equal([502, "payment_provider_unreachable", null]);
    expect(world.provider.payments.size).to.equal(1);
    expect((await tenant.owner.get(at(invoiceId))).body, "nothing is stored that a caller sees").to.deep.equal([]);
    const { status, body } = await start(invoiceId);
    expect([status, world.provider.payments.size]).to.deep.equal([200, 1]);
    expect((await world.storedAttempt(body.id))["external_id"]).to.equal([...world.provider.payments.keys()][0]);
    expect((await trailOf(service.sql, "invoice", invoiceId)).map(({ action }) => action)).to.deep.equal([
      "payment_intent_started",
    ]);
  });

  it("repeats a lost order unchanged, from either page and after the organisation was renamed", async () => {
    await world.account(tenant);
    const invoiceId = await world.invoice(tenant);
    world.provider.fail({ kind: "truncate" });
    expect((await start(invoiceId)).status).to.equal(502);
    await service.sql.query("update organisations set name = 'Renamed' where id = $1", [tenant.organisation.id]);
    const { public_token } = await world.storedInvoice(invoiceId);
    const { status } = await service.call("POST", `/invoicing/public/invoices/${public_token}/payment-intents`, {
      host: tenant.host,
    });
    expect([status, world.provider.payments.size]).to.deep.equal([200, 1]);
  });

  const failures: [what: string, fault: { status: number; body?: string } | "drop", code: string, status: number][] = [
    [
      "another refusal",
      { status: 422, body: '{"status":422,"title":"Unprocessable Entity","detail":"The amount is too high"}' },
      "payment_provider_failed",
      502,
    ],
    ["403", { status: 403, body: '{"status":403,"title":"Forbidden"}' }, "payment_credential_rejected", 409],
    ["5xx", { status: 500 }, "payment_provider_failed", 502],
    ["no answer", "drop", "payment_provider_unreachable", 502],
    ["a success that is no JSON", { status: 201, body: "<p>fine</p>" }, "payment_provider_failed", 502],
  ];
  for (const [what, fault, code, status] of failures)
    it(`answers ${code} to ${what}, stores nothing that is seen, and asks once`, async () => {
      await world.account(tenant);
      const invoiceId = await world.invoice(tenant);
      world.provider.fail(fault === "drop" ? { kind: "drop" } : { kind: "reply", ...fault });
      expect(refusalOf(await start(invoiceId)).slice(0, 2)).to.deep.equal([status, code]);
      expect(world.provider.received).to.have.length(1);
      expect((await tenant.owner.get(at(invoiceId))).body).to.deep.equal([]);
      expect(await trailOf(service.sql, "invoice", invoiceId)).to.deep.equal([]);
      expect((await start(invoiceId)).status).to.equal(200);
    });

  it("answers payment_credential_rejected to a key the provider refuses, and forgets the attempt; the key is in no answer", async () => {
    const key = newKey();
    await world.account(tenant, { api_key: key });
    world.provider.revoked.add(key);
    const invoiceId = await world.invoice(tenant);
    const answer = await start(invoiceId);
    expect(refusalOf(answer)).to.deep.equal([409, "payment_credential_rejected", null]);
    expect(answer.text).not.to.include(key);
    expect(await count(invoiceId)).to.equal(0);
  });

  it("answers payment_credential_unreadable if the key cannot be decrypted, without a call", async () => {
    const account = await world.account(tenant);
    const other = await world.account(tenant);
    await service.sql.query(
      "update payment_accounts set api_key = (select api_key from payment_accounts where id = $2) where id = $1",
      [account.id, other.id],
    );
    const invoiceId = await world.invoice(tenant);
    expect(refusalOf(await start(invoiceId, { account_id: account.id }))).to.deep.equal([
      409,
      "payment_credential_unreadable",
      null,
    ]);
    expect([world.provider.received.length, await count(invoiceId)]).to.deep.equal([0, 0]);
  });

  it("occupies no connection during a call to the provider", async () => {
    await world.account(tenant);
    const invoiceId = await world.invoice(tenant);
    let answer = () => {};
    world.provider.fail({ kind: "wait", until: new Promise<void>((resolve) => (answer = resolve)) });
    const waiting = start(invoiceId);
    await endsBefore(
      30_000,
      (async () => {
        while (world.provider.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      })(),
    );
    // The node's own work holds one for a moment now and then; this request would hold it until it is answered.
    await noneInTransaction(service);
    answer();
    expect((await waiting).status).to.equal(200);
  });

  it("is the same for a repeated Idempotency-Key", async () => {
    await world.account(tenant);
    const invoiceId = await world.invoice(tenant);
    const headers = { "Idempotency-Key": "pay-1" };
    const first = await tenant.owner.post(at(invoiceId), {}, { headers });
    const again = await tenant.owner.post(at(invoiceId), {}, { headers });
    expect([again.body, again.headers["idempotent-replayed"], world.provider.calls("create")]).to.deep.equal([
      first.body,
      "true",
      1,
    ]);
  });

  describe("who", () => {
    it("is allowed to a client login for the invoices of its own clients, drafts being 404", async () => {
      await world.account(tenant);
      const company = await tenant.company();
      const client = await tenant.member("client");
      const group = await tenant.group("own", [company.id], [client.membershipId]);
      expect(group).to.be.a("string");
      const mine = await world.invoice(tenant, { company_id: company.id });
      const draft = await world.invoice(tenant, { company_id: company.id, status: "draft" });
      const other = await world.invoice(tenant);
      expect((await start(mine, {}, client)).status).to.equal(200);
      expect((await client.get(at(mine))).body).to.have.length(1);
      expect((await client.post(`${at(mine)}/refresh`)).status).to.equal(200);
      for (const invoiceId of [draft, other]) {
        expect((await start(invoiceId, {}, client)).status).to.equal(404);
        expect((await client.get(at(invoiceId))).status).to.equal(404);
        expect((await client.post(`${at(invoiceId)}/refresh`)).status).to.equal(404);
      }
      const { id } = (await client.get(at(mine))).body[0];
      expect((await client.post(`${at(mine)}/${id}/sync`)).status).to.equal(403);
    });

    it("is nothing to a member without the permission, and 404 outside of a selection", async () => {
      const account = await world.account(tenant);
      expect(account.id).to.be.a("string");
      const invoiceId = await world.invoice(tenant);
      expect((await start(invoiceId, {}, await tenant.member("member"))).status).to.equal(403);
      const restricted = await tenant.member("admin");
      await tenant.group("some", [(await tenant.company()).id], [restricted.membershipId]);
      expect((await start(invoiceId, {}, restricted)).status).to.equal(404);
      expect((await start(invoiceId, {}, (await service.tenant()).owner)).status).to.equal(404);
    });
  });
});
