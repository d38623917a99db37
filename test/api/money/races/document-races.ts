import { expect } from "chai";
import type { Answer } from "../../../support/http.ts";
import { type DocumentBody, type Invoicing, ok, refused, rule, statuses } from "../documents/invoicing.ts";
import { many, meet, type Race } from "./race.ts";

const post = (books: Invoicing, id: string, act: string, body?: object): Promise<Answer> =>
  books.owner.post(`/invoicing/invoices/${id}/${act}`, body);
const line = (books: Invoicing) => [books.line(1, 100)];
const PAYMENT = { paid_on: "2026-06-01" };

/** Hours of the client, written one after the other. */
async function hoursOf(books: Invoicing, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await books.hour());
  return ids;
}

/** What happens to documents at the same moment (money §16); the books are looked at as a whole besides. */
export const documentRaces: readonly Race[] = [
  {
    name: "issue × 6 on 6 drafts",
    async round({ books }) {
      const drafts = await many(6, () => books.draft(line(books)));
      const answers = await Promise.all(drafts.map(({ id }) => post(books, id, "issue", {})));
      expect(statuses(answers)).to.deep.equal({ 200: 6 });
      const numbers = answers.map(({ body }) => Number(body.number.slice(-4))).toSorted((one, other) => one - other);
      expect(numbers.map((number) => number - (numbers[0] as number))).to.deep.equal([0, 1, 2, 3, 4, 5]);
      return "6 numbers in a row";
    },
  },
  {
    name: "issue × 2 on one draft",
    async round({ books }) {
      const { id } = await books.draft(line(books));
      const answers = await many(2, () => post(books, id, "issue", {}));
      expect(statuses(answers)).to.deep.equal({ 200: 1, 409: 1 });
      expect(refused(answers.find(({ status }) => status === 409) as Answer)).to.deep.equal(rule("wrong_status"));
      return answers[0]?.status === 200 ? "first won" : "second won";
    },
  },
  {
    name: "PATCH lines vs issue",
    async round({ books }, round) {
      const { id } = await books.draft(line(books));
      const [edit, issue] = await meet(
        round,
        () => books.owner.patch(`/invoicing/invoices/${id}`, { lines: [books.line(1, 200), books.line(1, 300)] }),
        () => post(books, id, "issue", {}),
      );
      const { total, lines, status } = await books.read(id);
      expect([issue.status, status]).to.deep.equal([200, "open"]);
      if (edit.status === 200) expect([total, lines.length]).to.deep.equal(["605.00", 2]);
      else expect([refused(edit), total, lines.length]).to.deep.equal([rule("locked"), "121.00", 1]);
      return edit.status === 200 ? "edited" : "locked";
    },
  },
  {
    name: "convert × 2",
    async round({ books }, round) {
      const quote = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: line(books) }));
      await ok(books.owner.post(`/invoicing/quotes/${quote.id}/issue`, {}));
      await ok(books.owner.post(`/invoicing/quotes/${quote.id}/accept`, {}));
      const answers = await many(2, () => books.owner.post(`/invoicing/quotes/${quote.id}/convert`));
      expect(statuses(answers)).to.deep.equal({ 201: 1, 409: 1 });
      expect((await ok(books.owner.get("/invoicing/invoices"))).total).to.equal(round + 1);
      return answers[0]?.status === 201 ? "first won" : "second won";
    },
  },
  {
    name: "note issue × 2 on one source",
    async round({ books }) {
      const source = await books.issued(line(books));
      await books.pay(source.id, 21);
      const notes = await many(2, () => books.credit(source.id));
      const answers = await Promise.all(notes.map(({ id }) => post(books, id, "issue", {})));
      expect(statuses(answers)).to.deep.equal({ 200: 1, 409: 1 });
      const { credited_total, outstanding, status } = await books.read(source.id);
      expect([credited_total, outstanding, status]).to.deep.equal(["100.00", "0.00", "paid"]);
      return answers[0]?.status === 200 ? "first won" : "second won";
    },
  },
  {
    name: "payments × 6",
    async round({ books }) {
      const { id } = await books.issued(line(books));
      const answers = await many(6, () => post(books, id, "payments", { ...PAYMENT, amount: "30.25" }));
      expect(statuses(answers)).to.deep.equal({ 200: 6 });
      const { paid_total, payments, status } = await books.read(id);
      expect([paid_total, payments.length, status]).to.deep.equal(["181.50", 6, "paid"]);
      return "all in the sum, paid once";
    },
  },
  {
    name: "payment vs note issue",
    async round({ books }, round) {
      const source = await books.issued(line(books));
      const note = await books.credit(source.id);
      await meet(
        round,
        () => post(books, source.id, "payments", { ...PAYMENT, amount: 50 }),
        () => post(books, note.id, "issue", {}),
      );
      const [invoice, credit] = [await books.read(source.id), await books.read(note.id)];
      expect(invoice.status).to.equal("paid");
      expect(credit.applied_total).to.equal(invoice.credited_total);
      expect(["71.00", "121.00"]).to.include(invoice.credited_total);
      expect(Number(invoice.outstanding)).to.equal(invoice.credited_total === "71.00" ? 0 : -50);
      return invoice.credited_total === "71.00" ? "payment first" : "note first";
    },
  },
  {
    name: "from-time × 2",
    async round({ books }) {
      const hours = await hoursOf(books, 3);
      const answers = await many(2, () => books.owner.post("/invoicing/invoices/from-time", { company_id: books.company }));
      const made = answers.filter(({ status }) => status === 201);
      for (const answer of answers.filter(({ status }) => status !== 201))
        expect(refused(answer)).to.deep.equal(rule("no_unbilled", 400));
      const billed = made.flatMap(({ body }) => body.lines.flatMap((one: DocumentBody) => one.time_entry_ids));
      expect(billed.toSorted()).to.deep.equal(hours.toSorted());
      expect(await books.stamped(hours)).to.deep.equal([true, true, true]);
      return made.length === 1 ? "one invoice, one 400" : "shared out";
    },
  },
  {
    name: "two drafts that claim the same hours",
    async round({ books, sql }) {
      const hours = await hoursOf(books, 4);
      const lines = [books.line(4, 80, "21", { line_kind: "hours", time_entry_ids: hours })];
      const drafts = await many(2, () => books.draft(lines));
      const { rows } = await sql.query(
        "select time_entry_id, invoice_id from time_entry_claims where invoice_id = any($1) order by time_entry_id",
        [drafts.map(({ id }) => id)],
      );
      expect(rows.map(({ time_entry_id }) => time_entry_id)).to.deep.equal(hours.toSorted());
      return new Set(rows.map(({ invoice_id }) => invoice_id)).size === 1 ? "one has all" : "shared out";
    },
  },
  {
    name: "cancel vs payment",
    async round({ books }, round) {
      const { id } = await books.issued(line(books));
      const [cancel, pay] = await meet(
        round,
        () => post(books, id, "cancel"),
        () => post(books, id, "payments", { ...PAYMENT, amount: 10 }),
      );
      const { status, paid_total } = await books.read(id);
      if (cancel.status === 200) {
        expect(refused(pay)).to.deep.equal(rule("wrong_status"));
        expect([status, paid_total]).to.deep.equal(["cancelled", "0.00"]);
        return "cancelled";
      }
      expect([refused(cancel), pay.status]).to.deep.equal([rule("has_payments"), 200]);
      expect([status, paid_total]).to.deep.equal(["open", "10.00"]);
      return "has_payments";
    },
  },
  {
    name: "deletion of a client vs issue",
    async round({ books }, round) {
      const company = await books.tenant.company({ name: "Brief" });
      const { id } = await books.draft(line(books), { company_id: company.id });
      const [gone, issue] = await meet(
        round,
        () => books.owner.delete(`/companies/${company.id}`),
        () => post(books, id, "issue", {}),
      );
      if (gone.status === 204) {
        expect(issue.status).to.equal(404);
        return "client gone";
      }
      expect(refused(gone)).to.deep.equal([409, "errors.companies.has_issued_invoices"]);
      expect([issue.status, (await books.read(id)).status]).to.deep.equal([200, "open"]);
      return "issued";
    },
  },
];
