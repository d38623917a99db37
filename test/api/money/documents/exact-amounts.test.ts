import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused } from "./invoicing.ts";

const SELLER = { name: "Vela Works B.V.", country: "NL", vat_number: "NL123456789B01" };

describe("quantities, prices and amounts of documents", () => {
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

  const priced = ({ lines }: DocumentBody) => lines.map((line: DocumentBody) => [line.quantity, line.unit_price, line.amount]);
  const summed = ({ subtotal, tax_total, total }: DocumentBody) => [subtotal, tax_total, total];

  it("keep four decimals from the catalogue to the printed document, its quote, its invoice and its credit note", async () => {
    const product = await ok(books.owner.post("/invoicing/products", { name: "Mail", unit_price: "0.0025" }));
    expect(product.unit_price).to.equal("0.0025");
    const lines = [books.line(10_000, product.unit_price), books.line("0.0833", 120)];
    const quote = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines }));
    const kept = [
      ["10000.00", "0.0025", "25.00"],
      ["0.0833", "120.00", "10.00"],
    ];
    expect(priced(quote)).to.deep.equal(kept);
    await ok(books.owner.post(`/invoicing/quotes/${quote.id}/issue`, {}));
    await ok(books.owner.post(`/invoicing/quotes/${quote.id}/accept`, {}));
    const invoice = await ok(books.owner.post(`/invoicing/quotes/${quote.id}/convert`));
    expect(priced(invoice)).to.deep.equal(kept);
    // A read value can be sent again.
    expect(priced(await ok(books.owner.patch(`/invoicing/invoices/${invoice.id}`, { lines: invoice.lines })))).to.deep.equal(
      kept,
    );
    await books.issue(invoice.id);
    expect(priced(await books.credit(invoice.id))).to.deep.equal([
      ["10000.00", "-0.0025", "-25.00"],
      ["0.0833", "-120.00", "-10.00"],
    ]);
    const { text } = await books.owner.get(`/invoicing/invoices/${invoice.id}/preview`);
    expect(text).to.contain("€ 0,0025").and.contain("0,0833").and.contain("€ 25,00");
  });

  for (const group_by of ["project", "day", "entry"])
    it(`bill twelve calls of five minutes as one hour by ${group_by}`, async () => {
      await ok(books.owner.put("/invoicing/settings", { default_hourly_rate: "120" }));
      for (let call = 0; call < 12; call++)
        await books.hour({ minutes: 5, started_at: `2026-05-04T${String(8 + call).padStart(2, "0")}:00:00Z` });
      const unbilled = await ok(books.owner.get(`/invoicing/unbilled?company_id=${books.company}`));
      const draft = await ok(books.owner.post("/invoicing/invoices/from-time", { company_id: books.company, group_by }));
      expect([unbilled.total_amount, draft.subtotal]).to.deep.equal(["120.00", "120.00"]);
    });

  describe("in a currency without parts", () => {
    const yen = (lines: object[], more: object = {}) => books.draft(lines, { currency: "JPY", ...more });

    it("are whole, tax included or not, and follow a change of the currency", async () => {
      const draft = await yen([books.line("1.5", 333), books.line(1, "0.4", "9")]);
      expect(priced(draft)).to.deep.equal([
        ["1.50", "333.00", "500.00"],
        ["1.00", "0.40", "0.00"],
      ]);
      expect(summed(draft)).to.deep.equal(["500.00", "105.00", "605.00"]);
      const inclusive = await ok(books.owner.patch(`/invoicing/invoices/${draft.id}`, { prices_include_tax: true }));
      expect(summed(inclusive)).to.deep.equal(["413.00", "87.00", "500.00"]);
      const euros = await ok(
        books.owner.patch(`/invoicing/invoices/${draft.id}`, { currency: "EUR", prices_include_tax: false }),
      );
      expect(priced(euros)).to.deep.equal([
        ["1.50", "333.00", "499.50"],
        ["1.00", "0.40", "0.40"],
      ]);
      expect(summed(euros)).to.deep.equal(["499.90", "104.94", "604.84"]);
      expect(summed(await ok(books.owner.patch(`/invoicing/invoices/${draft.id}`, { currency: "jpy" })))).to.deep.equal(
        summed(draft),
      );
    });

    it("keep the document's claims when the currency changes", async () => {
      const hour = await books.hour();
      const draft = await books.draft([books.line(1, "99.50", "21", { line_kind: "hours", time_entry_ids: [hour] })]);
      await ok(books.owner.patch(`/invoicing/invoices/${draft.id}`, { currency: "JPY" }));
      expect(await books.stamped([hour])).to.deep.equal([true]);
      expect((await books.read(draft.id)).lines[0]).to.deep.include({ amount: "100.00", time_entry_ids: [hour] });
    });

    it("are paid in whole units", async () => {
      const { id } = await books.issue((await yen([books.line(1, 1000)])).id);
      const pay = (amount: string) => books.owner.post(`/invoicing/invoices/${id}/payments`, { paid_on: "2026-06-01", amount });
      expect(refused(await pay("1210.50"))).to.deep.equal([422, "errors.validation", { amount: "errors.validation" }]);
      expect((await ok(pay("1210.00"))).status).to.equal("paid");
    });

    it("have no decimals on page and e-invoice", async () => {
      await ok(books.owner.put("/invoicing/settings", { company_details: SELLER }));
      await ok(books.owner.patch(`/companies/${books.company}`, { country: "NL" }));
      const { id } = await books.issue((await yen([books.line(2, "500.25")])).id);
      const ubl = (await books.owner.get(`/invoicing/invoices/${id}/ubl`)).text;
      const amounts = [...ubl.matchAll(/<cbc:(\w+) currencyID="JPY">([^<]+)</g)].map(([, name, amount]) => `${name} ${amount}`);
      expect(amounts).to.deep.equal([
        "TaxAmount 210",
        "TaxableAmount 1001",
        "TaxAmount 210",
        "LineExtensionAmount 1001",
        "TaxExclusiveAmount 1001",
        "TaxInclusiveAmount 1211",
        "PayableAmount 1211",
        "LineExtensionAmount 1001",
        "PriceAmount 500.50",
      ]);
      const { text } = await books.owner.get(`/invoicing/invoices/${id}/preview`);
      expect(text).to.contain("JPY 1.211").and.contain("JPY 500,25").and.not.contain("1.211,00");
    });

    it("round what hours are worth", async () => {
      await service.sql.query("update organisations set currency = 'JPY' where id = $1", [tenant.organisation.id]);
      await ok(books.owner.put("/invoicing/settings", { default_hourly_rate: "100.50" }));
      await books.hour({ minutes: 50 });
      const { total_amount } = await ok(books.owner.get(`/invoicing/unbilled?company_id=${books.company}`));
      expect(total_amount).to.equal("84.00");
    });
  });

  it("refuse more decimals than stored, on every endpoint, and name the field", async () => {
    const unfit = (field: string) => [422, "errors.validation", { [field]: "errors.validation" }];
    const invoice = await books.issued();
    for (const [call, field] of [
      [books.owner.post(`/invoicing/invoices/${invoice.id}/payments`, { paid_on: "2026-06-01", amount: "1.005" }), "amount"],
      [books.owner.post("/invoicing/products", { name: "A", unit_price: "0.00025" }), "unit_price"],
      [books.owner.post("/invoicing/tax-rates", { rate: "9.975" }), "rate"],
      [
        books.owner.post("/subscriptions", { company_id: books.company, name: "A", amount: 9.999, start_date: "2026-01-01" }),
        "amount",
      ],
      [books.owner.post("/invoicing/invoices/from-time", { company_id: books.company, hourly_rate: "0.005" }), "hourly_rate"],
    ] as const)
      expect(refused(await call), field).to.deep.equal(unfit(field));
    const agreement = await ok(
      books.owner.post("/subscriptions", {
        company_id: books.company,
        name: "Mail",
        amount: 25,
        start_date: "2026-01-01",
        lines: [{ description: "Mails", quantity: "10000", unit_amount: "0.0025" }],
      }),
    );
    expect(agreement.lines).to.deep.equal([{ description: "Mails", quantity: "10000.00", unit_amount: "0.0025" }]);
  });
});
