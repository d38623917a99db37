import { expect } from "chai";
import { convert } from "xmlbuilder2";
import { keepEvents } from "../../../support/jobs.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

const END_OF_MONTH = { days: 30, basis: "end_of_month" };

describe("payment terms of invoices", () => {
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
  });
  after(() => service.stop());

  const settings = (body: object) => ok(books.owner.put("/invoicing/settings", body));
  const patch = (id: string, body: object) => books.owner.patch(`/invoicing/invoices/${id}`, body);
  const issued = async (issue_date: string, more: object = {}, dates: object = {}) =>
    books.issue((await books.draft(books.mixed(), more)).id, { issue_date, ...dates });
  const due = ({ due_date, payment_terms }: DocumentBody) => [due_date, payment_terms];
  const preview = async (id: string) => (await books.owner.get(`/invoicing/invoices/${id}/preview`)).text;

  it("of the settings give the due date at issue, and stay on the invoice whatever the settings become", async () => {
    const days = { days: 14, basis: "invoice_date" };
    expect(due(await issued("2026-01-31"))).to.deep.equal(["2026-02-14", days]);
    await settings({ default_due_days: 30, default_due_basis: "end_of_month" });
    const invoice = await issued("2026-01-31");
    expect(due(invoice)).to.deep.equal(["2026-03-02", END_OF_MONTH]);
    expect(due(await issued("2028-01-15"))).to.deep.equal(["2028-03-01", END_OF_MONTH]);
    await settings({ default_due_days: 31, default_due_basis: "day_of_next_month" });
    expect(due(await issued("2028-01-05"))).to.deep.equal(["2028-02-29", { days: 31, basis: "day_of_next_month" }]);
    expect(due(await books.read(invoice.id))).to.deep.equal(["2026-03-02", END_OF_MONTH]);
  });

  it("of a draft go before those of the settings, and a due date before both", async () => {
    const draft = await books.draft(books.mixed(), { payment_terms: { days: 10 } });
    expect(due(draft)).to.deep.equal([null, { days: 10, basis: "invoice_date" }]);
    expect(due(await ok(patch(draft.id, { payment_terms: END_OF_MONTH })))).to.deep.equal([null, END_OF_MONTH]);
    expect(due(await books.issue(draft.id, { issue_date: "2026-02-10" }))).to.deep.equal(["2026-03-30", END_OF_MONTH]);

    const cleared = await books.draft(books.mixed(), { payment_terms: END_OF_MONTH });
    await ok(patch(cleared.id, { payment_terms: null }));
    expect((await books.issue(cleared.id, { issue_date: "2026-02-10" })).due_date).to.equal("2026-02-24");

    const dated = { payment_terms: END_OF_MONTH, due_date: "2026-02-20" };
    expect(due(await issued("2026-02-10", dated))).to.deep.equal(["2026-02-20", null]);
    const sent = await issued("2026-02-10", { payment_terms: END_OF_MONTH }, { due_date: "2026-02-21" });
    expect(due(sent)).to.deep.equal(["2026-02-21", null]);
  });

  it("are fixed once the invoice is issued; another due date takes them off", async () => {
    const invoice = await issued("2026-01-31", { payment_terms: END_OF_MONTH });
    expect(refused(await patch(invoice.id, { payment_terms: { days: 8 } }))).to.deep.equal(rule("locked"));
    const { due_date } = invoice;
    expect(due(await ok(patch(invoice.id, { due_date, reminders_paused: true })))).to.deep.equal([due_date, END_OF_MONTH]);
    expect(due(await ok(patch(invoice.id, { due_date: "2026-03-31" })))).to.deep.equal(["2026-03-31", null]);
  });

  it("refuse what no calendar has, with 422 on the field, and store nothing", async () => {
    const draft = await books.draft();
    const unfit = (field: string) => [422, "errors.validation", { [field]: "errors.validation" }];
    for (const [payment_terms, field] of [
      [{ days: 366 }, "days"],
      [{ days: -1 }, "days"],
      [{ days: 1.5 }, "days"],
      [{ days: 30, basis: "quarter" }, "basis"],
      [{ days: 0, basis: "day_of_next_month" }, "days"],
      [{ days: 32, basis: "day_of_next_month" }, "days"],
      [{ days: 30, from: "today" }, "from"],
    ] as const) {
      expect(refused(await patch(draft.id, { payment_terms })), JSON.stringify(payment_terms)).to.deep.equal(unfit(field));
      const body = { company_id: books.company, payment_terms };
      expect(refused(await books.owner.post("/invoicing/invoices", body))).to.deep.equal(unfit(field));
    }
    expect((await books.read(draft.id)).payment_terms).to.equal(null);
    await settings({ default_due_days: 90 });
    const basis = await books.owner.put("/invoicing/settings", { default_due_basis: "day_of_next_month" });
    expect(refused(basis), "90 days are stored").to.deep.equal(unfit("default_due_days"));
  });

  it("print where the template has them, and are BT-20 of the electronic invoice, in the document's language", async () => {
    const template = await ok(
      books.owner.post("/invoicing/templates", {
        name: "Terms",
        config: { layout: [{ key: "meta", fields: [{ key: "payment_terms" }] }] },
      }),
    );
    await settings({
      default_due_days: 30,
      default_due_basis: "end_of_month",
      company_details: {
        name: "Vela Works B.V.",
        address_line1: "Kade 1",
        city: "Utrecht",
        country: "NL",
        vat_number: "NL001234567B01",
      },
    });
    await ok(
      books.owner.patch(`/companies/${books.company}`, {
        address_line1: "Dijk",
        house_number: "1",
        city: "Utrecht",
        country: "NL",
      }),
    );
    for (const [locale, text] of [
      ["nl", "30 dagen einde maand"],
      ["en", "30 days end of month"],
    ]) {
      const { id } = await issued("2026-01-31", { locale, template_id: template.id });
      expect(await preview(id)).to.include(text);
      const ubl = await books.owner.get(`/invoicing/invoices/${id}/ubl`);
      expect(ubl.status, ubl.text).to.equal(200);
      expect(convert(ubl.text, { format: "object" })).to.have.nested.property("Invoice.cac:PaymentTerms.cbc:Note", text);
      // Neither does a document that left change when the settings do.
      await settings({ default_due_basis: "invoice_date" });
      expect((await books.owner.get(`/invoicing/invoices/${id}/ubl`)).text).to.equal(ubl.text);
      await settings({ default_due_basis: "end_of_month" });
    }
  });
});
