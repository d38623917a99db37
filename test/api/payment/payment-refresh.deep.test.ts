import { expect } from "chai";
import { fire } from "../../support/jobs.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { refusalOf, trailOf } from "../clients/companies/company-records.ts";
import { type PaymentWorld, startPayments } from "./payment-world.ts";

const PRIVATE = {
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cache-control": "no-store",
};

describe("payments under way", () => {
  let world: PaymentWorld;
  let service: TestService;
  let tenant: Tenant;
  let invoiceId: string;
  let token: string;
  before(async () => {
    world = await startPayments();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    await world.account(tenant);
    invoiceId = await world.invoice(tenant);
    token = (await world.storedInvoice(invoiceId))["public_token"] as string;
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const refresh = (caller: Caller = tenant.owner) => caller.post(`/invoicing/invoices/${invoiceId}/payment-intents/refresh`);
  const publicly = (act: "refresh" | "payment-intents", at = token, host = tenant.host) =>
    service.call("POST", `/invoicing/public/invoices/${at}/${act}`, { host });
  /** As after five seconds. */
  const later = () =>
    service.sql.query("update payment_intents set refreshed_at = refreshed_at - interval '5 seconds' where invoice_id = $1", [
      invoiceId,
    ]);

  describe("POST …/payment-intents/refresh", () => {
    it("checks attempts that can still change, and reports their state", async () => {
      expect((await refresh()).body).to.deep.equal({ changed: false, status: null, settled: false, invoice_status: "open" });
      const attempt = await world.attempt(tenant.owner, invoiceId);
      expect((await refresh()).body).to.deep.equal({ changed: true, status: "open", settled: false, invoice_status: "open" });
      world.provider.pay(attempt.external_id);
      await later();
      expect((await refresh()).body).to.deep.equal({ changed: true, status: "paid", settled: true, invoice_status: "paid" });
      await later();
      expect((await refresh()).body).to.deep.equal({ changed: false, status: "paid", settled: true, invoice_status: "paid" });
    });

    it("checks one at most once in five seconds, by either endpoint", async () => {
      const attempt = await world.attempt(tenant.owner, invoiceId);
      const answers = await Promise.all([refresh(), refresh(), publicly("refresh"), publicly("refresh")]);
      expect(answers.filter(({ body }) => body.changed)).to.have.length(1);
      expect(world.provider.calls("get", attempt.external_id)).to.equal(1);
      await later();
      await refresh();
      expect(world.provider.calls("get", attempt.external_id)).to.equal(2);
    });

    it("counts by its own clock: neither creation nor callbacks nor sync nor the job move it", async () => {
      const attempt = await world.attempt(tenant.owner, invoiceId);
      await world.provider.callback(attempt.external_id, service.port);
      await tenant.owner.post(`/invoicing/invoices/${invoiceId}/payment-intents/${attempt.id}/sync`);
      await fire(service, "invoicing.payments");
      expect((await world.storedAttempt(attempt.id))["refreshed_at"]).to.equal(null);
      expect((await refresh()).body.changed).to.equal(true);
    });

    it("takes its turn before the call, so that a failing provider is paused as long", async () => {
      const attempt = await world.attempt(tenant.owner, invoiceId);
      world.provider.fail({ kind: "drop" }, { kind: "drop" });
      expect((await refresh()).body).to.deep.include({ changed: true, status: "open" });
      expect((await world.storedAttempt(attempt.id))["last_error"]).to.be.a("string");
      expect((await refresh()).body.changed).to.equal(false);
    });

    it("says that nothing changed when no provider was asked, as the account is gone", async () => {
      const attempt = await world.attempt(tenant.owner, invoiceId);
      const [{ id } = expect.fail("no account")] = (await tenant.owner.get("/invoicing/payment-accounts")).body;
      expect((await tenant.owner.delete(`/invoicing/payment-accounts/${id}`)).status).to.equal(204);
      expect((await refresh()).body).to.deep.include({ changed: false, status: "open" });
      expect(world.provider.calls("get", attempt.external_id)).to.equal(0);
    });

    it("asks about every attempt that is open, pending or authorised, and about no other", async () => {
      const ids: Record<string, string> = {};
      for (const [at, status] of ["open", "pending", "authorized", "failed", "expired", "canceled"].entries()) {
        await service.sql.query("update invoices set paid_total = $2 where id = $1", [invoiceId, at]);
        const attempt = await world.attempt(tenant.owner, invoiceId);
        ids[status] = attempt.external_id;
        await service.sql.query("update payment_intents set status = $2 where id = $1", [attempt.id, status]);
      }
      await refresh();
      const asked = Object.entries(ids).filter(([, id]) => world.provider.calls("get", id) > 0);
      expect(asked.map(([status]) => status)).to.deep.equal(["open", "pending", "authorized"]);
    });

    it("is for holders of the permission at any scope", async () => {
      expect((await refresh(await tenant.member("member"))).status).to.equal(403);
      expect((await refresh(await tenant.member("member", { grants: ["invoicing.payment.link:own"] }))).status).to.equal(200);
    });
  });

  describe("behind the public link", () => {
    it("gives a checkout and nothing else, with headers that keep the link to itself", async () => {
      const { status, body, headers } = await publicly("payment-intents");
      expect([status, Object.keys(body)]).to.deep.equal([200, ["checkout_url"]]);
      expect(headers).to.deep.include(PRIVATE);
      const [{ order } = expect.fail("nothing was ordered")] = [...world.provider.payments.values()];
      expect(order["redirectUrl"]).to.equal(`http://${tenant.host}/invoice/${token}?return=1`);
      expect((await publicly("payment-intents")).body).to.deep.equal(body);
      expect(world.provider.payments.size).to.equal(1);
      const lines = await trailOf(service.sql, "invoice", invoiceId);
      expect(lines.map(({ action, actor_name }) => [action, actor_name])).to.deep.equal([["payment_intent_started", null]]);
    });

    it("shows no payment under way where the provider's answer to its creation was lost", async () => {
      const shown = async () => (await service.call("GET", `/invoicing/public/invoices/${token}`, { host: tenant.host })).body;
      const none = { payment_status: null, payment_pending: false, payment_settled: false };
      world.provider.fail({ kind: "lose" });
      expect((await publicly("payment-intents")).status).to.equal(502);
      expect(await shown()).to.deep.include(none);
      expect((await publicly("refresh")).body).to.deep.include({ status: null, settled: false });
      await publicly("payment-intents");
      expect(await shown()).to.deep.include({ ...none, payment_status: "open", payment_pending: true });
    });

    it("shares the attempt with those who are signed in", async () => {
      const attempt = await world.attempt(tenant.owner, invoiceId);
      expect((await publicly("payment-intents")).body).to.deep.equal({ checkout_url: attempt["checkout_url"] });
    });

    it("chooses the account as for staff, and has its refusals", async () => {
      await world.account(tenant);
      const answer = await publicly("payment-intents");
      expect(refusalOf(answer)).to.deep.equal([409, "payment_account_ambiguous", { account_id: "errors.required" }]);
      expect(answer.headers).to.deep.include(PRIVATE);
      await service.sql.query("update invoices set status = 'paid' where id = $1", [invoiceId]);
      expect(refusalOf(await publicly("payment-intents"))[1]).to.equal("payment_not_payable");
    });

    it("reports its state", async () => {
      const attempt = await world.attempt(tenant.owner, invoiceId);
      world.provider.pay(attempt.external_id);
      const { body, headers } = await publicly("refresh");
      expect(body).to.deep.equal({ changed: true, status: "paid", settled: true, invoice_status: "paid" });
      expect(headers).to.deep.include(PRIVATE);
    });

    const dead: [what: string, arrange: () => Promise<{ at?: string; host?: string }>][] = [
      ["a token nobody has", async () => ({ at: `${token.slice(0, -4)}AAAA` })],
      ["a token that is too short", async () => ({ at: token.slice(0, 19) })],
      ["a token that is too long", async () => ({ at: `${token}${"x".repeat(30)}` })],
      ["another organisation's host", async () => ({ host: (await service.tenant()).host })],
      [
        "a draft",
        async () => {
          await service.sql.query("update invoices set status = 'draft' where id = $1", [invoiceId]);
          return {};
        },
      ],
      [
        "links that are switched off",
        async () => {
          await service.sql.query("insert into invoicing_settings (organisation_id, public_invoice_links) values ($1, false)", [
            tenant.organisation.id,
          ]);
          return {};
        },
      ],
    ];
    for (const [what, arrange] of dead)
      it(`is the same 404 for ${what}`, async () => {
        const { at, host } = await arrange();
        for (const act of ["payment-intents", "refresh"] as const) {
          const answer = await publicly(act, at, host);
          expect(answer.text).to.equal('{"error":{"code":"not_found","message":"errors.not_found"}}');
          expect([answer.status, answer.headers]).to.satisfy(
            ([status, headers]: [number, object]) =>
              status === 404 &&
              Object.entries(PRIVATE).every(([name, value]) => (headers as Record<string, string>)[name] === value),
          );
        }
        expect(world.provider.received).to.deep.equal([]);
      });

    it("lives again once links are switched on again", async () => {
      const place = [tenant.organisation.id];
      await service.sql.query("insert into invoicing_settings (organisation_id, public_invoice_links) values ($1, false)", place);
      expect((await publicly("refresh")).status).to.equal(404);
      await service.sql.query("update invoicing_settings set public_invoice_links = true where organisation_id = $1", place);
      expect((await publicly("refresh")).status).to.equal(200);
    });
  });

  describe("every hour", () => {
    it("checks attempts that are neither settled nor ended, of the last seven days", async () => {
      const asked: Record<string, string> = {};
      for (const [at, [what, change]] of Object.entries({
        open: "",
        authorized: "status = 'authorized'",
        "paid but not booked": "status = 'paid'",
        "six days old": "created_at = now() - interval '6 days'",
        "eight days old": "created_at = now() - interval '8 days'",
        failed: "status = 'failed'",
        expired: "status = 'expired'",
        canceled: "status = 'canceled'",
        settled: "status = 'paid', settled_at = now()",
        "a paid test": "status = 'paid', mode = 'test'",
      }).entries()) {
        await service.sql.query("update invoices set paid_total = $2 where id = $1", [invoiceId, at]);
        const attempt = await world.attempt(tenant.owner, invoiceId);
        asked[what] = attempt.external_id;
        if (change) await service.sql.query(`update payment_intents set ${change} where id = $1`, [attempt.id]);
      }
      await fire(service, "invoicing.payments");
      expect(Object.keys(asked).filter((what) => world.provider.calls("get", asked[what]) > 0)).to.deep.equal([
        "open",
        "authorized",
        "paid but not booked",
        "six days old",
      ]);
    });

    it("repairs money that arrived and was not booked, as the service", async () => {
      const attempt = await world.attempt(tenant.owner, invoiceId);
      world.provider.pay(attempt.external_id);
      await service.sql.query("update payment_intents set status = 'paid' where id = $1", [attempt.id]);
      await fire(service, "invoicing.payments");
      expect((await world.storedInvoice(invoiceId))["status"]).to.equal("paid");
      await fire(service, "invoicing.payments");
      expect(await world.payments(invoiceId)).to.have.length(1);
      const settledLine = (await trailOf(service.sql, "invoice", invoiceId)).find(
        ({ action }) => action === "payment_intent_settled",
      );
      expect(settledLine?.actor_account_id).to.equal(null);
    });

    it("checks the hundred oldest, and continues when a provider fails", async () => {
      const { rows } = await service.sql.query(
        `insert into payment_intents (id, organisation_id, invoice_id, account_id, provider, external_id, amount, currency, mode, created_at)
         select gen_random_uuid(), i.organisation_id, i.id, a.id, 'mollie', 'tr_gone' || n, n, 'EUR', 'live', now() - interval '1 day' + make_interval(secs => n)
           from invoices i join payment_accounts a on a.organisation_id = i.organisation_id, generate_series(1, 105) n where i.id = $1
         returning id`,
        [invoiceId],
      );
      expect(rows).to.have.length(105);
      await fire(service, "invoicing.payments");
      const left = await service.sql.query(
        "select array_agg(external_id order by amount) as left from payment_intents where invoice_id = $1 and last_error is null",
        [invoiceId],
      );
      await service.sql.query("delete from payment_intents where invoice_id = $1", [invoiceId]);
      expect(left.rows[0].left).to.deep.equal(["tr_gone101", "tr_gone102", "tr_gone103", "tr_gone104", "tr_gone105"]);
    });

    it("says so on attempts whose account is gone", async () => {
      const attempt = await world.attempt(tenant.owner, invoiceId);
      await service.sql.query("delete from payment_accounts where organisation_id = $1", [tenant.organisation.id]);
      await fire(service, "invoicing.payments");
      expect((await world.storedAttempt(attempt.id))["last_error"]).to.equal("the account of this payment is gone");
    });

    it("forgets orders whose answers were lost a day ago", async () => {
      world.provider.fail({ kind: "lose" });
      expect((await tenant.owner.post(`/invoicing/invoices/${invoiceId}/payment-intents`, {})).status).to.equal(502);
      const count = async () =>
        (await service.sql.query("select count(*)::int as count from payment_intents where invoice_id = $1", [invoiceId])).rows[0]
          .count;
      await fire(service, "invoicing.payments");
      expect(await count()).to.equal(1);
      await service.sql.query("update payment_intents set updated_at = now() - interval '2 days' where invoice_id = $1", [
        invoiceId,
      ]);
      await fire(service, "invoicing.payments");
      expect(await count()).to.equal(0);
    });
  });
});
