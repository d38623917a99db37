import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { keepWriteLog, watchWrites } from "../../support/fixture/write-log.ts";
import { settled } from "../../support/jobs.ts";
import type { Tenant, TestService } from "../../support/service.ts";
import { trailOf } from "../clients/companies/company-records.ts";
import { type Account, type PaymentWorld, startPayments } from "./payment-world.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

describe("POST /invoicing/payments/webhook/{provider}/{token}", () => {
  let world: PaymentWorld;
  let service: TestService;
  let tenant: Tenant;
  let account: Account;
  let invoiceId: string;
  let attempt: { id: string; external_id: string };
  before(async () => {
    world = await startPayments();
    ({ service } = world);
    await keepWriteLog(service.sql);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    account = await world.account(tenant);
    invoiceId = await world.invoice(tenant);
    attempt = await world.attempt(tenant.owner, invoiceId);
    world.provider.received.length = 0;
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const address = () => new URL(account.webhook_url).pathname;
  const call = (
    path: string,
    body = `id=${attempt.external_id}`,
    host = "anything.example",
    headers: Record<string, string> = FORM,
  ) => service.call("POST", `/${path}`, { body, host, headers });
  const token = () => address().split("/").at(-1) as string;
  const withToken = (text: string) => address().replace(token(), text);

  it("has the provider asked about the payment, on any host, and answers a bare 200", async () => {
    world.provider.pay(attempt.external_id);
    const answer = await call(address());
    expect([answer.status, answer.text, answer.headers["content-type"]]).to.deep.equal([200, "", undefined]);
    expect((await world.storedInvoice(invoiceId))["status"]).to.equal("paid");
    const lines = await trailOf(service.sql, "invoice", invoiceId);
    const { actor_account_id, actor_name } = lines.find(({ action }) => action === "payment_intent_settled") ?? {};
    expect([actor_account_id, actor_name]).to.deep.equal([null, null]);
  });

  it("believes nothing of a body but the id", async () => {
    const body = `id=${attempt.external_id}&status=paid&amount%5Bvalue%5D=121.00&mode=live`;
    expect((await call(address(), body)).status).to.equal(200);
    expect(await world.storedAttempt(attempt.id)).to.deep.include({ status: "open", settled_at: null });
    expect(await world.payments(invoiceId)).to.deep.equal([]);
  });

  for (const [what, body, headers] of [
    ["JSON with an id", () => JSON.stringify({ id: attempt.external_id }), { "Content-Type": "application/json" }],
    ["JSON with data", () => JSON.stringify({ data: { id: attempt.external_id } }), { "Content-Type": "application/json" }],
    ["no content type", () => `id=${attempt.external_id}`, { "Content-Type": "" }],
  ] as const)
    it(`reads ${what}`, async () => {
      world.provider.pay(attempt.external_id);
      expect((await call(address(), body(), "x.example", headers)).status).to.equal(200);
      expect(await world.payments(invoiceId)).to.have.length(1);
    });

  it("ignores any credential that comes along, and where it comes from", async () => {
    world.provider.pay(attempt.external_id);
    const headers = {
      ...FORM,
      "X-API-Key": "kt_nonsense",
      Cookie: "kantoor_session=x",
      Origin: "https://evil.example",
      Authorization: "Bearer x",
    };
    expect((await call(address(), undefined, tenant.host, headers)).status).to.equal(200);
    expect(await world.payments(invoiceId)).to.have.length(1);
  });

  describe("answers 404 without a word and without a write to", () => {
    const refused: [what: string, path: () => string | Promise<string>][] = [
      ["a malformed token", () => withToken("nonsense")],
      ["a token with more behind it", () => `${address()}x`],
      ["a token that is one part short", () => withToken(token().split(".").slice(0, 2).join("."))],
      ["a provider nobody knows", () => address().replace("/mollie/", "/nobody/")],
      [
        "an organisation nobody knows",
        () => withToken(token().replace(tenant.organisation.id, "01890000-0000-7000-8000-000000000000")),
      ],
      ["an account nobody knows", () => withToken(token().replace(account.id, "01890000-0000-7000-8000-000000000000"))],
      ["a wrong secret", () => withToken(`${token().slice(0, -4)}AAAA`)],
      [
        "another account's secret",
        async () => {
          const other = await world.account(tenant);
          return withToken(token().replace(account.id, other.id));
        },
      ],
      [
        "another organisation's account",
        async () => {
          const other = await world.account(await service.tenant());
          const [, id, secret] = new URL(other.webhook_url).pathname.split("/").at(-1)?.split(".") ?? [];
          return withToken(`${tenant.organisation.id}.${id}.${secret}`);
        },
      ],
      [
        "a suspended organisation",
        async () => {
          await service.sql.query("update organisations set status = 'suspended' where id = $1", [tenant.organisation.id]);
          return address();
        },
      ],
      [
        "an account that was removed",
        async () => {
          await tenant.owner.delete(`/invoicing/payment-accounts/${account.id}`);
          return address();
        },
      ],
    ];
    for (const [what, path] of refused)
      it(what, async () => {
        world.provider.pay(attempt.external_id);
        const answer = await call(await path());
        expect([answer.status, answer.text, answer.headers["content-type"]]).to.deep.equal([404, "", undefined]);
        expect(world.provider.calls("get")).to.equal(0);
        expect(await world.payments(invoiceId)).to.deep.equal([]);
      });

    it("checks the address before the body: a wrong one is 404 with any body", async () => {
      for (const body of ["", "{", `id=${attempt.external_id}`, "x".repeat(100_000)])
        expect((await call(withToken(`${token().slice(0, -4)}AAAA`), body)).status).to.equal(404);
    });
  });

  it("answers 503 where the credential cannot be read, but only behind the right address", async () => {
    const other = await world.account(tenant);
    await service.sql.query(
      "update payment_accounts set api_key = (select api_key from payment_accounts where id = $2) where id = $1",
      [account.id, other.id],
    );
    const answer = await call(address());
    expect([answer.status, answer.text]).to.deep.equal([503, ""]);
    expect((await call(withToken(`${token().slice(0, -4)}AAAA`))).status).to.equal(404);
    expect((await call(address(), "")).status, "before the body is looked at").to.equal(503);
  });

  for (const [what, body] of [
    ["an id nobody knows", "id=tr_nobody"],
    ["another kind of id", "id=ord_1"],
    ["no id", "a=b"],
    ["nothing", ""],
    ["half an object", '{"id":'],
  ] as const)
    it(`answers 200 to ${what}, without a call`, async () => {
      const answer = await call(address(), body);
      expect([answer.status, answer.text]).to.deep.equal([200, ""]);
      expect(world.provider.calls("get")).to.equal(0);
    });

  describe("answers 503 when a limit prevents the check, so that the provider calls again:", () => {
    it("a body that is too large to be read", async () => {
      const body = `pad=${"x".repeat(100_000)}&id=${attempt.external_id}`;
      const answer = await call(address(), body);
      expect([answer.status, answer.text, answer.headers["content-type"]]).to.deep.equal([503, "", undefined]);
      expect(world.provider.calls("get")).to.equal(0);
    });

    it("more payments than it asks about at once; repeated it gets on to the others", async () => {
      const attempts = [attempt];
      while (attempts.length < 12) attempts.push(await world.attempt(tenant.owner, await world.invoice(tenant)));
      for (const { external_id } of attempts) world.provider.pay(external_id);
      world.provider.received.length = 0;
      const body = attempts.map(({ external_id }) => `id=${external_id}`).join("&");
      expect((await call(address(), body)).status).to.equal(503);
      expect(world.provider.calls("get")).to.equal(10);
      await call(address(), body);
      const { rows } = await service.sql.query(
        "select count(*)::int as settled from payment_intents where organisation_id = $1 and settled_at is not null",
        [tenant.organisation.id],
      );
      expect(rows).to.deep.equal([{ settled: 12 }]);
    });

    it("a provider that may not be called now", async () => {
      world.provider.fail(...Array.from({ length: 12 }, () => ({ kind: "drop" }) as const));
      const statuses: number[] = [];
      while (statuses.length < 6 && statuses.at(-1) !== 503) statuses.push((await call(address())).status);
      expect(statuses.at(-1)).to.equal(503);
      const asked = world.provider.received.length;
      expect((await call(address())).status).to.equal(503);
      expect(world.provider.received.length).to.equal(asked);
      expect((await world.storedAttempt(attempt.id))["last_error"]).to.equal("not called: it failed too often just now");
    });
  });

  it("looks for ids in the organisation of the address alone", async () => {
    const other = await service.tenant();
    const theirs = await world.account(other);
    world.provider.pay(attempt.external_id);
    expect((await call(new URL(theirs.webhook_url).pathname)).status).to.equal(200);
    expect([await world.payments(invoiceId), world.provider.calls("get")]).to.deep.equal([[], 0]);
  });

  it("is processed for an inactive account", async () => {
    await tenant.owner.patch(`/invoicing/payment-accounts/${account.id}`, { active: false });
    world.provider.pay(attempt.external_id);
    expect((await call(address())).status).to.equal(200);
    expect(await world.payments(invoiceId)).to.have.length(1);
  });

  it("answers 200 for a cancelled invoice, and while the provider fails: the job asks again", async () => {
    world.provider.fail({ kind: "drop" }, { kind: "drop" });
    expect((await call(address())).status).to.equal(200);
    expect((await world.storedAttempt(attempt.id))["last_error"]).to.be.a("string");
    await service.sql.query("update invoices set status = 'cancelled' where id = $1", [invoiceId]);
    world.provider.pay(attempt.external_id);
    expect((await call(address())).status).to.equal(200);
    expect(await world.storedAttempt(attempt.id)).to.deep.include({ status: "paid", settled_at: null });
  });

  it("answers 503 to the unexpected and rolls everything back", async () => {
    world.provider.pay(attempt.external_id);
    await service.sql.query(
      `create function refuse_booking() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
       create trigger refuse_booking before insert on invoice_payments for each row when (new.organisation_id = '${tenant.organisation.id}')
         execute function refuse_booking()`,
    );
    try {
      const answer = await call(address());
      expect([answer.status, answer.text]).to.deep.equal([503, ""]);
      expect(await world.storedAttempt(attempt.id)).to.deep.include({ status: "open", settled_at: null, synced_at: null });
    } finally {
      await service.sql.query("drop trigger refuse_booking on invoice_payments; drop function refuse_booking()");
    }
    expect((await call(address())).status).to.equal(200);
    expect(await world.payments(invoiceId)).to.have.length(1);
  });

  it("books one payment, for any number and order of callbacks", async () => {
    expect(await world.provider.callback(attempt.external_id, service.port, 3)).to.deep.equal([200, 200, 200]);
    world.provider.pay(attempt.external_id);
    await world.provider.callback(attempt.external_id, service.port, 10);
    await world.provider.callback(attempt.external_id, service.port);
    expect(await world.payments(invoiceId)).to.have.length(1);
  });

  it("costs no write when the address is wrong, no statement where that can be seen, and one at most: 500 at once", async () => {
    await settled(service);
    const written = await watchWrites(service, tenant.organisation.id);
    const [organisation, account, secret] = token().split(".");
    const other = randomUUID();
    const wrong: [path: string, statements: number][] = [
      [withToken("nonsense"), 0],
      [withToken(`${token()}A`), 0],
      [address().replace("/mollie/", "/nobody/"), 0],
      [withToken(`${token().slice(0, -4)}AAAA`), 1],
      [withToken(`${organisation}.${other}.${secret}`), 1],
      [withToken(`${other}.${account}.${secret}`), 1],
    ];
    const answers = await Promise.all(Array.from({ length: 500 }, (_, at) => call(wrong[at % wrong.length]?.[0] as string)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([404]));
    for (const [at, { statements }] of answers.entries()) expect(statements).to.equal(wrong[at % wrong.length]?.[1]);
    expect((await written()).tables).to.deep.equal([]);
  });

  it("is for this method only", async () => {
    expect((await service.call("GET", `/${address()}`)).status).to.equal(405);
  });
});
