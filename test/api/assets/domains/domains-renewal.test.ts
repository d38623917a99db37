import { expect } from "chai";
import { systemRequest } from "../../../../core/request/system.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import { runRenewals } from "../../../../services/assets/billing/renewal.ts";
import { billDomain } from "../../../../services/money/agreements/billing/bill-period.ts";
import { eventsAbout } from "../../../support/answers.ts";
import type { Tenant } from "../../../support/service.ts";
import { type AgreementService, linesOf, sharedAgreementService } from "../../money/agreements/agreement-records.ts";
import { type Body, bodyOf, runFor } from "../../work/tasks/task-records.ts";
import { makeDomain, registersOf } from "./domain-records.ts";

describe("the renewal of domains (assets §2.4)", () => {
  let service: AgreementService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedAgreementService("2026-06-10");
  });
  beforeEach(async () => {
    service.today("2026-06-10");
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const run = () => runFor(tenant, runRenewals);
  const reported = async (id: string): Promise<Body[]> =>
    (await eventsAbout(service, id)).filter(({ event }) => event === "domain.due").map(({ payload }) => payload);
  const next = async (id: string): Promise<string | null> => bodyOf(await tenant.owner.get(`/domains/${id}`)).next_invoice_date;
  const price = async (tld: string, amount: number, valid_from: string) =>
    bodyOf(await tenant.owner.post("/domains/tld-prices", { tld, amount, valid_from }));

  it("reports a year shortened by a clamp, and keeps the clamp (assets §13.1)", async () => {
    const made = await makeDomain(tenant, { start_date: "2024-02-29", price_override: "12.5", auto_invoice_mode: "issue" });
    expect(made.next_invoice_date).to.equal("2027-02-28");
    service.today("2027-02-27T22:59:00Z");
    await run();
    expect(await reported(made.id)).to.deep.equal([]);
    service.today("2027-02-27T23:01:00Z");
    await run();
    await run();
    expect(await reported(made.id)).to.deep.equal([
      {
        domain_id: made.id,
        company_id: made.company_id,
        name: made.name,
        tld: "example",
        auto_invoice_mode: "issue",
        amount: "12.50",
        currency: "EUR",
        period_start: "2026-02-28",
        period_end: "2027-02-28",
      },
    ]);
    expect(await next(made.id)).to.equal("2028-02-28");
    expect(await linesOf(service, "domain", made.id)).to.have.length(1);
  });

  it("takes one step in a run", async () => {
    const { id } = await makeDomain(tenant, { price_override: 10, next_invoice_date: "2023-05-01" });
    await run();
    expect([(await reported(id)).map(({ period_end }) => period_end), await next(id)]).to.deep.equal([
      ["2023-05-01"],
      "2024-05-01",
    ]);
    await run();
    expect((await reported(id)).map(({ period_end }) => period_end)).to.deep.equal(["2023-05-01", "2024-05-01"]);
  });

  it("prices by the due date, however late it runs (assets §13.4)", async () => {
    await price("shop", 31, "2026-01-01");
    await price("shop", 35.25, "2026-09-15");
    const shop = async (next_invoice_date: string, more: object = {}) =>
      makeDomain(tenant, { name: `w${Math.random()}.shop`.replace("0.", ""), next_invoice_date, ...more });
    const [late, onTime, own] = [
      await shop("2026-09-14"),
      await shop("2026-09-15"),
      await shop("2026-09-14", { price_override: 18.4 }),
    ];
    service.today("2026-09-16");
    await run();
    const amount = async ({ id }: Body) => (await reported(id)).map((one) => one.amount);
    expect([await amount(late), await amount(onTime), await amount(own)]).to.deep.equal([["31.00"], ["35.25"], ["18.40"]]);
  });

  it("leaves a domain without a price untouched until it has one (assets §13.8)", async () => {
    const { id } = await makeDomain(tenant, { name: "winkel.museum", next_invoice_date: "2026-06-10" });
    await run();
    await price("museum", 60, "2026-06-11");
    await run();
    expect([await reported(id), await next(id)]).to.deep.equal([[], "2026-06-10"]);
    await price("museum", 55, "2026-06-01");
    await run();
    expect((await reported(id)).map(({ amount, period_end }) => [amount, period_end])).to.deep.equal([["55.00", "2026-06-10"]]);
    expect(await next(id)).to.equal("2027-06-10");
  });

  it("advances unbilled domains silently", async () => {
    const [no, elsewhere] = [
      await makeDomain(tenant, { invoiceable: false, next_invoice_date: "2026-06-01" }),
      await makeDomain(tenant, { price_override: 10, next_invoice_date: "2026-06-01" }),
    ];
    await registersOf(service, tenant).registrar();
    await run();
    for (const { id } of [no, elsewhere]) expect([await reported(id), await next(id)]).to.deep.equal([[], "2027-06-01"]);
  });

  it("skips domains in an unbilled status, and those that are not due", async () => {
    const made = await makeDomain(tenant, { price_override: 10, next_invoice_date: "2026-06-01" });
    bodyOf(await tenant.owner.patch(`/domains/${made.id}`, { status: "expired" }));
    const later = await makeDomain(tenant, { price_override: 10, next_invoice_date: "2026-06-11" });
    await run();
    expect([await reported(made.id), await next(made.id)]).to.deep.equal([[], "2026-06-01"]);
    expect([await reported(later.id), await next(later.id)]).to.deep.equal([[], "2026-06-11"]);
  });

  it("names the currency of the price in force, else the organisation's", async () => {
    await service.sql.query(
      "insert into tld_prices (id, organisation_id, tld, amount, currency, valid_from) values (gen_random_uuid(), $1, 'us', 9, 'USD', '2020-01-01')",
      [tenant.organisation.id],
    );
    const [dollars, override, euros] = [
      await makeDomain(tenant, { name: "a.us", next_invoice_date: "2026-06-01" }),
      await makeDomain(tenant, { name: "b.us", next_invoice_date: "2026-06-01", price_override: 20 }),
      await makeDomain(tenant, { next_invoice_date: "2026-06-01", price_override: 20 }),
    ];
    await run();
    const paid = async ({ id }: Body) => (await reported(id)).map(({ amount, currency }) => [amount, currency]);
    expect([await paid(dollars), await paid(override), await paid(euros)]).to.deep.equal([
      [["9.00", "USD"]],
      [["20.00", "USD"]],
      [["20.00", "EUR"]],
    ]);
  });

  it("reports a year once when two runs meet", async () => {
    const company_id = (await tenant.company()).id;
    const made: Body[] = [];
    for (let n = 0; n < 8; n += 1)
      made.push(await makeDomain(tenant, { company_id, price_override: 10, next_invoice_date: "2026-06-01" }));
    await Promise.all([run(), run(), run()]);
    for (const { id } of made) expect([(await reported(id)).length, await next(id)]).to.deep.equal([1, "2027-06-01"]);
  });

  it("resolves who is billed for all that are due in one statement: as many for forty domains as for two", async () => {
    await registersOf(service, tenant).registrar();
    const company_id = (await tenant.company()).id;
    const statements: number[] = [];
    for (const count of [2, 40]) {
      const made: Body[] = [];
      for (let n = 0; n < count; n += 1)
        made.push(
          await makeDomain(tenant, { company_id, price_override: 10, next_invoice_date: "2026-06-01", invoiceable: n % 2 === 0 }),
        );
      await runFor(tenant, (of) =>
        runRenewals({
          ...of,
          write: (work) =>
            inTenancy(
              () => systemRequest("a test", tenant.organisation, "write"),
              async (store) => {
                const done = await work();
                statements.push(store.statements);
                return done;
              },
            ),
        }),
      );
      for (const { id } of made) expect(await next(id)).to.equal("2027-06-01");
    }
    expect(statements[1]).to.equal(statements[0]);
  });

  it("makes one invoice of a year", async () => {
    const made = await makeDomain(tenant, { price_override: "18.40", next_invoice_date: "2026-06-10" });
    await run();
    const [due] = await reported(made.id);
    for (let delivery = 0; delivery < 2; delivery += 1)
      await runFor(tenant, (of) => of.write(() => billDomain(due as Parameters<typeof billDomain>[0])));
    const { items } = bodyOf(await tenant.owner.get("/invoicing/invoices"));
    expect(items.map(({ domain_id, subtotal }: Body) => [domain_id, subtotal])).to.deep.equal([[made.id, "18.40"]]);
  });
});
