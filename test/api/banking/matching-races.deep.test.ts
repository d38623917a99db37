import { expect } from "chai";
import { sharedService, type TestService } from "../../support/service.ts";
import { type DocumentBody, Invoicing, ok, statuses } from "../money/documents/invoicing.ts";
import { arrive, send, statementOf } from "./bank.ts";

describe("bank entries at once", () => {
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    books = await Invoicing.open(service, await service.tenant());
  });
  after(() => service.stop());

  const ROUNDS = 10;
  const each = async (work: () => Promise<void>) => {
    for (let round = 0; round < ROUNDS; round += 1) await work();
  };
  const read = (id: string): Promise<DocumentBody> => ok(books.owner.get(`/banking/entries/${id}`));
  const match = (id: string, invoice: DocumentBody, amount: string) =>
    books.owner.post(`/banking/entries/${id}/match`, { allocations: [{ invoice_id: invoice.id, amount }] });

  it("are booked once by two matches", () =>
    each(async () => {
      const invoice = await books.issued([books.line(1, "50", "exempt")]);
      const [entry] = (await arrive(books.owner, { amount: "50.00" })) as [DocumentBody];
      const answers = await Promise.all([1, 2, 3].map(() => match(entry.id, invoice, "50.00")));
      expect(statuses(answers)).to.deep.equal({ 200: 1, 422: 2 });
      expect((await books.read(invoice.id)).paid_total).to.equal("50.00");
    }));

  it("agree with their payments while one is deleted, one undone and all are matched", () =>
    each(async () => {
      const invoices = [await books.issued([books.line(1, "50", "exempt")]), await books.issued([books.line(1, "60", "exempt")])];
      const [one, two] = (await arrive(
        books.owner,
        { amount: "50.00", text: invoices[0]?.number },
        { amount: "60.00", text: invoices[1]?.number },
      )) as [DocumentBody, DocumentBody];
      const matched = await ok(match(one.id, invoices[0] as DocumentBody, "50.00"));
      const payment = `/invoicing/invoices/${invoices[0]?.id}/payments/${matched.allocations[0].payment_id}`;
      const answers = await Promise.all([
        books.owner.delete(payment),
        books.owner.post(`/banking/entries/${one.id}/unmatch`),
        books.owner.post("/banking/match-all?dry_run=false&min_score=80"),
        match(two.id, invoices[1] as DocumentBody, "60.00"),
      ]);
      for (const { status } of answers) expect(status).to.be.oneOf([200, 404, 409, 422]);
      for (const [index, entry] of [one, two].entries()) {
        const { matched_amount } = await read(entry.id);
        expect((await books.read(invoices[index]?.id)).paid_total).to.equal(matched_amount);
      }
      expect((await read(two.id)).matched_amount).to.equal("60.00");
    }));

  it("are kept once by uploads of one statement", () =>
    each(async () => {
      const statement = statementOf([{ amount: "1.00" }, { amount: "2.00" }, { amount: "3.00" }]);
      const before = (await ok(books.owner.get("/banking/entries"))).total;
      const answers = await Promise.all([1, 2, 3].map(() => send(books.owner, statement)));
      expect(statuses(answers)).to.deep.equal({ 201: 3 });
      expect(answers.reduce((added, { body }) => added + body.added, 0)).to.equal(3);
      expect((await ok(books.owner.get("/banking/entries"))).total).to.equal(before + 3);
    }));
});
