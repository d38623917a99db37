import { expect } from "chai";
import { visitPage } from "../../../support/pages.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

const TWO = { percent: "2.00", days: 8 };

describe("discount for early payment", () => {
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
  });
  after(() => service.stop());

  const issued = async (more: object = {}, lines = books.mixed()) =>
    books.issue((await books.draft(lines, more)).id, { issue_date: "2026-03-02" });
  const offered = (body: DocumentBody) => body.payment_discount && [body.payment_discount.percent, body.payment_discount.days];
  const pay = (id: string, amount: string, paid_on: string) => books.pay(id, amount, { paid_on });
  const state = ({ status, outstanding, credited_total, paid_total }: DocumentBody) => [
    status,
    outstanding,
    credited_total,
    paid_total,
  ];
  const terms = (body: object) => books.owner.put(`/invoicing/clients/${books.company}/terms`, body);
  const tax = async (basis: string, from = "2026-03-01", to = "2026-03-31") =>
    (await ok(books.owner.get(`/invoicing/reports/vat?${new URLSearchParams({ from, to, basis })}`))).rates.map(
      ({ rate_pct, base, tax: amount }: Record<string, string>) => [rate_pct, base, amount],
    );

  it("is that of the draft, else of the client, else of the settings; issuing freezes it", async () => {
    expect(offered(await issued())).to.equal(null);
    await ok(books.owner.put("/invoicing/settings", { default_payment_discount: { percent: 1, days: 5 } }));
    const first = await issued();
    expect(first).to.deep.include({ discount_until: "2026-03-07", discount_amount: "10.28", is_discount: false });
    expect(await ok(terms({ payment_discount: TWO }))).to.deep.equal({ company_id: books.company, payment_discount: TWO });
    expect(offered(await issued())).to.deep.equal(["2.00", 8]);
    expect(offered(await issued({ payment_discount: { percent: "3.5", days: 3 } }))).to.deep.equal(["3.50", 3]);
    expect(offered(await issued({ payment_discount: { percent: 0, days: 0 } }))).to.equal(null);
    await ok(terms({ payment_discount: { percent: 0, days: 0 } }));
    expect(offered(await issued())).to.equal(null);
    await ok(terms({ payment_discount: null }));
    expect(offered(await issued())).to.deep.equal(["1.00", 5]);
    expect(offered(await books.read(first.id))).to.deep.equal(["1.00", 5]);
    const locked = await books.owner.patch(`/invoicing/invoices/${first.id}`, { payment_discount: null });
    expect(refused(locked)).to.deep.equal(rule("locked"));
  });

  it("settles the invoice with a payment in time, by a credit note per rate on that day", async () => {
    const { id, number } = await issued({ payment_discount: TWO });
    const paid = await pay(id, "1007.87", "2026-03-10");
    expect(state(paid)).to.deep.equal(["paid", "0.00", "20.57", "1007.87"]);
    expect(paid.discounted).to.equal(null);
    const note = await books.read(paid.payments[0].discount_note_id);
    expect(note).to.deep.include({ kind: "credit_note", status: "paid", is_discount: true, issue_date: "2026-03-10" });
    expect(note.lines.map(({ description, amount }: Record<string, string>) => [description, amount])).to.deep.equal([
      [`Betalingskorting van 2% op factuur ${number}`, "-19.48"],
      [`Betalingskorting van 2% op factuur ${number}`, "-1.09"],
    ]);
    expect(
      note.tax_groups.map((group: Record<string, string>) => [group["rate_pct"], group["base"], group["tax"]]),
    ).to.deep.equal([
      ["21.00", "-16.10", "-3.38"],
      ["9.00", "-1.00", "-0.09"],
    ]);
    for (const basis of ["invoice", "cash"])
      expect(await tax(basis), basis).to.deep.equal([
        ["21.00", "788.85", "165.66"],
        ["9.00", "48.95", "4.41"],
      ]);
    expect((await books.trail(id)).at(-1)).to.deep.equal(["discount_taken", { credit_id: note.id, amount: "20.57" }]);
    const revenue = await ok(books.owner.get("/invoicing/reports/revenue?from=2026-03-01&to=2026-03-31&group=month"));
    expect(revenue.total.amount).to.equal("837.80");
  });

  it("is not taken too late, by less, or with an earlier payment that was late", async () => {
    for (const payments of [
      [["1007.87", "2026-03-11"]],
      [["1007.86", "2026-03-10"]],
      [
        ["500.00", "2026-03-11"],
        ["507.87", "2026-03-10"],
      ],
    ] as [string, string][][]) {
      const { id } = await issued({ payment_discount: TWO });
      for (const [amount, day] of payments) await pay(id, amount, day);
      const { status, credited_total } = await books.read(id);
      expect([status, credited_total], JSON.stringify(payments)).to.deep.equal(["open", "0.00"]);
    }
    const { id } = await issued({ payment_discount: TWO });
    await pay(id, "500.00", "2026-03-03");
    expect(state(await pay(id, "510.00", "2026-03-10"))).to.deep.equal(["paid", "0.00", "18.44", "1010.00"]);
  });

  it("is given back when its payment is deleted, and refused by cancelling its credit note", async () => {
    const { id } = await issued({ payment_discount: TWO });
    const [payment] = (await pay(id, "1007.87", "2026-03-10")).payments;
    const removed = await ok(books.owner.delete(`/invoicing/invoices/${id}/payments/${payment.id}`));
    expect(state(removed)).to.deep.equal(["open", "1028.44", "0.00", "0.00"]);
    expect((await books.read(payment.discount_note_id)).status).to.equal("cancelled");
    const again = await pay(id, "1007.87", "2026-03-09");
    expect(state(again)).to.deep.equal(["paid", "0.00", "20.57", "1007.87"]);
    await ok(books.owner.post(`/invoicing/invoices/${again.payments[0].discount_note_id}/cancel`));
    expect(state(await books.read(id))).to.deep.equal(["open", "20.57", "0.00", "1007.87"]);
    expect(state(await pay(id, "20.57", "2026-03-20"))).to.deep.equal(["paid", "0.00", "0.00", "1028.44"]);
  });

  it("is the same percentage of what credit notes leave", async () => {
    const { id } = await issued({ payment_discount: TWO });
    const note = await books.credit(id);
    await ok(books.owner.patch(`/invoicing/invoices/${note.id}`, { lines: [books.line(1, "-120.00")] }));
    await books.issue(note.id, { issue_date: "2026-03-03" });
    expect(state(await pay(id, "865.58", "2026-03-10"))).to.deep.equal(["paid", "0.00", "162.86", "865.58"]);
  });

  it("is on the document, the page and the e-invoice", async () => {
    const draft = await books.draft(books.mixed(), { payment_discount: TWO, locale: "nl" });
    const invoice = await books.issue(draft.id);
    expect([invoice.discount_amount, invoice.discounted]).to.deep.equal(["20.57", "1007.87"]);
    const until = invoice.discount_until.split("-").reverse().join("-");
    const { text } = await books.owner.get(`/invoicing/invoices/${invoice.id}/preview`);
    expect(text).to.include(`Betaalt u uiterlijk ${until}, dan mag u 2% (€ 20,57) in mindering brengen en betaalt u € 1.007,87.`);
    const { pathname } = new URL(invoice.public_url);
    const page = await visitPage(service.port, tenant.host, "GET", pathname);
    expect(page.text).to.include(`Met korting, bij betaling uiterlijk ${until}`).and.include("€ 1.007,87");
  });

  it("refuses what no discount can be, with 422 on the field", async () => {
    for (const [payment_discount, field] of [
      [{ percent: "100", days: 8 }, "percent"],
      [{ percent: "-1", days: 8 }, "percent"],
      [{ percent: "2.005", days: 8 }, "percent"],
      [{ percent: "2", days: 366 }, "days"],
      [{ percent: "2" }, "days"],
    ] as const) {
      const answers = [
        await books.owner.post("/invoicing/invoices", { company_id: books.company, payment_discount }),
        await books.owner.put("/invoicing/settings", { default_payment_discount: payment_discount }),
        await terms({ payment_discount }),
      ];
      for (const answer of answers) expect([answer.status, Object.keys(answer.body.error.fields)]).to.deep.equal([422, [field]]);
    }
  });

  it("keeps terms of clients inside the organisation and the selection", async () => {
    const other = await service.tenant();
    const path = `/invoicing/clients/${books.company}/terms`;
    expect((await other.owner.get(path)).status).to.equal(404);
    expect((await other.owner.put(path, { payment_discount: TWO })).status).to.equal(404);
    const member = await tenant.member("member");
    expect((await member.get(path)).status).to.equal(403);
    expect(await ok(books.owner.get(path))).to.deep.equal({ company_id: books.company, payment_discount: null });
  });
});
