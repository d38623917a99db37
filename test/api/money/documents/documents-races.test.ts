import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { sharedService, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused, rule, statuses } from "./invoicing.ts";

const ROUNDS = 20;
const YEAR = new Date().getFullYear();

describe("documents at the same moment", function () {
  this.timeout(120_000);
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    books = await Invoicing.open(service, await service.tenant());
  });
  after(() => service.stop());

  const post = (id: string, act: string, body?: object) => books.owner.post(`/invoicing/invoices/${id}/${act}`, body);
  const times = async (count: number, work: (round: number) => Promise<unknown>) => {
    for (let round = 0; round < count; round++) await work(round);
  };
  const many = <T>(count: number, make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, make));
  /** Hours of the client, written one after the other. */
  const hoursOf = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await books.hour());
    return ids;
  };
  const numbered = (count: number) => Array.from({ length: count }, (_, n) => `${YEAR}-${String(n + 1).padStart(4, "0")}`);
  const line = () => [books.line(1, 100)];

  it("issue × N gives N consecutive numbers, without a duplicate or a gap", async () => {
    const given: string[] = [];
    await times(ROUNDS, async () => {
      const drafts = await many(6, () => books.draft(line()));
      const answers = await Promise.all(drafts.map(({ id }) => post(id, "issue", {})));
      expect(statuses(answers)).to.deep.equal({ 200: 6 });
      given.push(...answers.map(({ body }) => body.number));
    });
    expect(given.toSorted()).to.deep.equal(numbered(6 * ROUNDS));
  });

  it("issue × 2 of one draft issues it once, by one number", async () => {
    await times(ROUNDS, async (round) => {
      const { id } = await books.draft(line());
      const answers = await many(2, () => post(id, "issue", {}));
      expect(statuses(answers)).to.deep.equal({ 200: 1, 409: 1 });
      expect(refused(answers.find(({ status }) => status === 409) as never)).to.deep.equal(rule("wrong_status"));
      expect((await books.read(id)).number).to.equal(numbered(round + 1)[round]);
    });
  });

  it("an edit is in the document that is issued, or refused", async () => {
    await times(ROUNDS, async () => {
      const { id } = await books.draft(line());
      const [edit, issue] = await Promise.all([
        books.owner.patch(`/invoicing/invoices/${id}`, { lines: [books.line(1, 200), books.line(1, 300)] }),
        post(id, "issue", {}),
      ]);
      const { total, lines, status } = await books.read(id);
      expect([issue.status, status]).to.deep.equal([200, "open"]);
      if (edit.status === 200) expect([total, lines.length]).to.deep.equal(["605.00", 2]);
      else expect([refused(edit), total, lines.length]).to.deep.equal([rule("locked"), "121.00", 1]);
    });
  });

  it("convert × 2 converts once", async () => {
    await times(ROUNDS, async () => {
      const quote = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: line() }));
      await ok(books.owner.post(`/invoicing/quotes/${quote.id}/issue`, {}));
      await ok(books.owner.post(`/invoicing/quotes/${quote.id}/accept`, {}));
      const answers = await many(2, () => books.owner.post(`/invoicing/quotes/${quote.id}/convert`));
      expect(statuses(answers)).to.deep.equal({ 201: 1, 409: 1 });
    });
    expect((await ok(books.owner.get("/invoicing/invoices"))).total).to.equal(ROUNDS);
  });

  it("issue × 2 of notes on one source credits it once", async () => {
    await times(ROUNDS, async () => {
      const source = await books.issued(line());
      await books.pay(source.id, 21);
      const notes = await many(2, () => books.credit(source.id));
      const answers = await Promise.all(notes.map(({ id }) => post(id, "issue", {})));
      expect(statuses(answers)).to.deep.equal({ 200: 1, 409: 1 });
      const { credited_total, outstanding, status } = await books.read(source.id);
      expect([credited_total, outstanding, status]).to.deep.equal(["100.00", "0.00", "paid"]);
    });
  });

  it("payments × N are all in the sum, and the invoice is paid once", async () => {
    await times(ROUNDS, async () => {
      const { id } = await books.issued(line());
      const answers = await many(6, () => post(id, "payments", { paid_on: "2026-06-01", amount: "30.25" }));
      expect(statuses(answers)).to.deep.equal({ 200: 6 });
      const { paid_total, payments, status } = await books.read(id);
      expect([paid_total, payments.length, status]).to.deep.equal(["181.50", 6, "paid"]);
      expect(await books.events(id)).to.deep.equal(["invoice.issued", "invoice.paid"]);
    });
  });

  it("a payment and the issue of a note never take more off than there is", async () => {
    await times(ROUNDS, async () => {
      const source = await books.issued(line());
      const note = await books.credit(source.id);
      await Promise.all([post(source.id, "payments", { paid_on: "2026-06-01", amount: 50 }), post(note.id, "issue", {})]);
      const [invoice, credit] = [await books.read(source.id), await books.read(note.id)];
      expect(invoice.status).to.equal("paid");
      expect(credit.applied_total).to.equal(invoice.credited_total);
      expect(["71.00", "121.00"]).to.include(invoice.credited_total);
      expect(Number(invoice.outstanding)).to.equal(invoice.credited_total === "71.00" ? 0 : -50);
    });
  });

  it("from-time × 2 bills each hour once", async () => {
    await times(ROUNDS, async () => {
      const hours = await hoursOf(3);
      const answers = await many(2, () => books.owner.post("/invoicing/invoices/from-time", { company_id: books.company }));
      const made = answers.filter(({ status }) => status === 201);
      for (const answer of answers.filter(({ status }) => status !== 201))
        expect(refused(answer)).to.deep.equal(rule("no_unbilled", 400));
      const billed = made.flatMap(({ body }) => body.lines.flatMap((one: DocumentBody) => one.time_entry_ids));
      expect(billed.toSorted()).to.deep.equal(hours.toSorted());
      expect(await books.stamped(hours)).to.deep.equal([true, true, true]);
    });
  });

  it("two drafts that claim the same hours share them out", async () => {
    await times(ROUNDS, async () => {
      const hours = await hoursOf(4);
      const lines = [books.line(4, 80, "21", { line_kind: "hours", time_entry_ids: hours })];
      const drafts = await many(2, () => books.draft(lines));
      const { rows } = await service.sql.query(
        "select time_entry_id from time_entry_claims where invoice_id = any($1) order by time_entry_id",
        [drafts.map(({ id }) => id)],
      );
      expect(rows.map(({ time_entry_id }) => time_entry_id)).to.deep.equal(hours.toSorted());
    });
  });

  it("two drafts of one period leave one", async () => {
    const subscription_id = "01a20000-0000-7000-8000-000000000001";
    await service.sql.query(
      "insert into subscriptions (id, organisation_id, company_id, name, start_date) values ($1, $2, $3, 'Care', '2026-01-01')",
      [subscription_id, books.tenant.organisation.id, books.company],
    );
    await times(ROUNDS, async (round) => {
      const period_end = `20${10 + round}-01-31`;
      const lines = [books.line(1, 90, "21", { line_kind: "subscription", subscription_id, period_end })];
      const answers = await many(2, () => books.owner.post("/invoicing/invoices", { company_id: books.company, lines }));
      expect(statuses(answers)).to.deep.equal({ 201: 1, 409: 1 });
    });
  });

  it("a cancelled invoice never has money", async () => {
    await times(ROUNDS, async () => {
      const { id } = await books.issued(line());
      const [cancel, pay] = await Promise.all([post(id, "cancel"), post(id, "payments", { paid_on: "2026-06-01", amount: 10 })]);
      const { status, paid_total } = await books.read(id);
      if (cancel.status === 200) {
        expect(refused(pay)).to.deep.equal(rule("wrong_status"));
        expect([status, paid_total]).to.deep.equal(["cancelled", "0.00"]);
      } else {
        expect([refused(cancel), pay.status]).to.deep.equal([rule("has_payments"), 200]);
        expect([status, paid_total]).to.deep.equal(["open", "10.00"]);
      }
    });
  });

  it("a client that is deleted while its draft is issued goes with it, or stays", async () => {
    await times(ROUNDS, async () => {
      const company = await books.tenant.company({ name: "Brief" });
      const { id } = await books.draft(line(), { company_id: company.id });
      const [gone, issue] = await Promise.all([books.owner.delete(`/companies/${company.id}`), post(id, "issue", {})]);
      if (gone.status === 204) expect(issue.status).to.equal(404);
      else {
        expect(refused(gone)).to.deep.equal([409, "errors.companies.has_issued_invoices"]);
        expect([issue.status, (await books.read(id)).status]).to.deep.equal([200, "open"]);
      }
    });
    const { items } = await ok(books.owner.get("/invoicing/invoices?limit=200"));
    const numbers: string[] = items.map(({ number }: DocumentBody) => number);
    expect(numbers.toSorted()).to.deep.equal(numbered(items.length));
  });
});
