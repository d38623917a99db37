import { expect } from "chai";
import { isSettled, outstandingOf } from "../../../../services/money/calculation/settlement.ts";
import { totalsOf } from "../../../../services/money/calculation/totals.ts";
import { fillMoney } from "../../../../services/money/demo/demo-money.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

describe("the demo of money", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    for (let n = 0; n < 7; n++) await tenant.company({ status: "active", invoice_email: `klant${n}@x.test` });
    await fillMoney({ organisation: tenant.organisation });
  });
  after(() => service.stop());

  const items = async (path: string) => {
    const { status, body, text } = await tenant.owner.get(path);
    expect(status, text).to.equal(200);
    return body.items ?? body;
  };
  const invoices = () => items("/invoicing/invoices?limit=200");

  it("has 60 invoices in every state, quotes, 8 agreements and a template", async () => {
    const all = await invoices();
    expect(all).to.have.length(60);
    const states = new Set(all.map(({ kind, status }: { kind: string; status: string }) => `${kind} ${status}`));
    for (const status of ["draft", "open", "paid", "cancelled"]) expect(states).to.include(`invoice ${status}`);
    expect(states).to.include("credit_note open").and.to.include("credit_note paid");
    for (const trait of ["overdue", "credited", "fully_credited"])
      expect(
        all.some((invoice: Record<string, unknown>) => invoice[trait]),
        trait,
      ).to.equal(true);
    const quotes = await items("/invoicing/quotes?limit=200");
    expect(new Set(quotes.map(({ status }: { status: string }) => status))).to.have.keys(
      "draft",
      "open",
      "accepted",
      "rejected",
      "expired",
      "invoiced",
    );
    expect(await items("/subscriptions")).to.have.length(8);
    const count = async (table: string, when: string) =>
      (await service.sql.query(`select 1 from ${table} where organisation_id = $1 and ${when}`, [tenant.organisation.id]))
        .rowCount;
    expect(await count("invoice_templates", "is_default")).to.equal(1);
  });

  it("adds up: totals follow from the lines, paid amounts from the payments, the state from the amount due", async () => {
    for (const { id } of await invoices()) {
      const invoice = (await tenant.owner.get(`/invoicing/invoices/${id}`)).body;
      const { subtotal, tax_total, total, tax_groups, lines, payments, status, paid_total, outstanding, number } = invoice;
      expect({ subtotal, tax_total, total, tax_groups }, number).to.deep.equal(
        totalsOf(lines, { prices_include_tax: false, currency: "EUR" }),
      );
      const cents = payments.reduce((sum: number, { amount }: { amount: string }) => sum + Math.round(Number(amount) * 100), 0);
      expect(Math.round(Number(paid_total) * 100), number).to.equal(cents);
      expect(outstanding, number).to.equal(outstandingOf(invoice));
      if (status === "open" || status === "paid")
        expect(isSettled({ ...invoice, payments: payments.length }), number).to.equal(status === "paid");
    }
  });

  it("numbers without a gap in each year, and the next issue continues there", async () => {
    const all = (await invoices()).toReversed();
    const numbers = all.flatMap(({ number }: { number: string | null }) => (number === null ? [] : [number]));
    const last = new Map<string, number>();
    for (const number of numbers) {
      const [year = "", seq] = number.split("-");
      expect(Number(seq), number).to.equal((last.get(year) ?? 0) + 1);
      last.set(year, Number(seq));
    }
    const draft = all.find(({ status }: { status: string }) => status === "draft");
    const { status, body } = await tenant.owner.post(`/invoicing/invoices/${draft.id}/issue`, {});
    expect(status).to.equal(200);
    const [year = "", seq] = body.number.split("-");
    expect(Number(seq)).to.equal((last.get(year) ?? 0) + 1);
  });

  it("does nothing where there are invoices already", async () => {
    await fillMoney({ organisation: tenant.organisation });
    expect(await invoices()).to.have.length(60);
  });

  it("gives reports to look at: VAT, open amounts as in the summary, and revenue with a year before", async () => {
    const read = async (path: string) => {
      const { status, body, text } = await tenant.owner.get(`/invoicing/${path}`);
      expect(status, text).to.equal(200);
      return body;
    };
    const issued = (await invoices()).map(({ issue_date }: { issue_date: string | null }) => issue_date ?? "").sort();
    const period = `from=${issued.find((day: string) => day !== "")}&to=${issued.at(-1)}`;
    for (const basis of ["invoice", "cash"]) {
      const { rates, rubrics, totals } = await read(`reports/vat?${period}&basis=${basis}`);
      expect(rates.length, basis).to.be.at.least(2);
      expect(Number(totals.tax), basis).to.be.greaterThan(1000);
      expect(rubrics[0]).to.deep.include({ code: "1a", missing: null });
    }
    const [aged, summary] = [await read("reports/aged"), await read("summary")];
    expect(aged.clients.length).to.be.at.least(1);
    const notes = (await invoices()).filter(
      ({ status, outstanding }: Record<string, string>) => status !== "draft" && Number(outstanding) < 0,
    );
    const owed = notes.reduce((sum: number, { outstanding }: Record<string, string>) => sum + Number(outstanding), 0);
    expect(Number(aged.converted.total)).to.be.closeTo(summary.open_total + owed, 0.001);
    const { groups, total } = await read(`reports/revenue?${period}&group=company`);
    // Of seven clients the demo bills one only: it takes every seventh in turn.
    expect(groups.length).to.be.at.least(1);
    expect(Number(total.amount)).to.be.greaterThan(5000);
    const { accounts } = await read(`reports/statement/${aged.clients[0].company_id}?${period}`);
    expect(accounts[0].closing).to.equal(aged.clients[0].total);
  });
});
