import { expect } from "chai";
import { keepEvents } from "../../support/jobs.ts";
import { sharedService, type TestService } from "../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused } from "../money/documents/invoicing.ts";
import { arrive } from "./bank.ts";

const TOTAL = "1028.44";

describe("matching bank entries", () => {
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

  const act = (id: string, what: string, body?: object, call?: object) =>
    books.owner.post(`/banking/entries/${id}/${what}`, body, call);
  const read = (id: string): Promise<DocumentBody> => ok(books.owner.get(`/banking/entries/${id}`));
  const pays = (...allocations: [invoice: DocumentBody, amount: string, booked?: string][]) => ({
    allocations: allocations.map(([{ id }, amount, booked]) => ({
      invoice_id: id,
      amount,
      ...(booked !== undefined && { invoice_amount: booked }),
    })),
  });
  const small = (net: string) => books.issued([books.line(1, net, "exempt")]);

  it("books a payment as POST payments does, and undoes it", async () => {
    const invoice = await books.issued();
    const [entry] = await arrive(books.owner, { amount: TOTAL, text: `Factuur ${invoice.number}` });
    expect(entry).to.include({ state: "proposed", open_amount: TOTAL, company_id: null });
    expect(entry?.proposals).to.deep.equal([
      {
        score: 90,
        exact: false,
        reasons: ["number", "amount", "name"],
        allocations: [{ invoice_id: invoice.id, invoice_number: invoice.number, amount: TOTAL, invoice_amount: TOTAL }],
        ignore_as: null,
      },
    ]);
    const matched = await ok(act(entry?.id, "match", pays([invoice, TOTAL])));
    expect(matched).to.include({
      state: "matched",
      matched_amount: TOTAL,
      open_amount: "0.00",
      company_id: books.company,
      company_name: "Aster",
    });
    const paid = await books.read(invoice.id);
    expect(paid).to.include({ status: "paid", outstanding: "0.00" });
    expect(paid.payments).to.have.length(1);
    expect(paid.payments[0]).to.include({
      id: matched.allocations[0].payment_id,
      amount: TOTAL,
      method: "bank",
      paid_on: "2026-06-01",
      note: `Aster: Factuur ${invoice.number}`,
    });
    expect(await books.events(invoice.id)).to.include.members(["invoice.payment_received", "invoice.paid"]);
    expect(await books.events(entry?.id)).to.deep.equal(["banking.entry.matched"]);

    const open = await ok(act(entry?.id, "unmatch"));
    expect(open).to.include({ state: "proposed", matched_amount: "0.00", company_id: null });
    expect(open.allocations).to.deep.equal([]);
    expect(await books.read(invoice.id)).to.include({ status: "open", outstanding: TOTAL });
    expect((await books.trail(entry?.id, "bank_entry")).map(([action]) => action)).to.deep.equal(["matched", "unmatched"]);
    expect((await books.trail(invoice.id)).map(([action]) => action)).to.include.members([
      "payment_registered",
      "payment_deleted",
    ]);
  });

  it("learns the account of a client, so that the next payment is exact", async () => {
    const [first, second] = [await books.issued(), await small("50")];
    const [one] = await arrive(books.owner, { amount: TOTAL, text: first.number, name: "J. Jansen" });
    expect(one?.proposals[0]).to.include({ score: 80, exact: false });
    await ok(act(one?.id, "match", pays([first, TOTAL])));
    const [two] = await arrive(books.owner, { amount: "50.00", text: second.number, name: "J. Jansen" });
    expect(two?.proposals[0]).to.include({ score: 100, exact: true });
    expect((await books.read(second.id)).status, "nothing is booked unless it is confirmed").to.equal("open");
    await ok(act(one?.id, "unmatch"));
    const [three] = await arrive(books.owner, { amount: "50.00", text: second.number, name: "J. Jansen" });
    expect(three?.proposals[0], "what was undone taught nothing").to.include({ score: 80, exact: false });
  });

  it("books several invoices by one entry, one invoice by several, and leaves the rest open", async () => {
    const [first, second] = [await books.issued(), await small("50")];
    const [both, part] = await arrive(
      books.owner,
      { amount: "1060.00", text: `${first.number} ${second.number}` },
      { amount: "18.44", text: "rest" },
    );
    const some = await ok(act(both?.id, "match", pays([first, "1010.00"], [second, "50.00"])));
    expect(some).to.include({ state: "matched", open_amount: "0.00" });
    expect(await books.read(first.id)).to.include({ status: "open", outstanding: "18.44" });
    const rest = await ok(act(part?.id, "match", pays([first, "10.00"])));
    expect(rest).to.include({ state: "proposed", matched_amount: "10.00", open_amount: "8.44" });
    expect(await ok(act(part?.id, "match", pays([first, "8.44"])))).to.include({ state: "matched" });
    expect(await books.read(first.id)).to.include({ status: "paid", outstanding: "0.00" });
    expect((await read(part?.id)).allocations.map(({ amount }: DocumentBody) => amount)).to.deep.equal(["10.00", "8.44"]);
  });

  it("is open again when its payment is deleted at the invoice, or a part of it", async () => {
    const [first, second] = [await small("30"), await small("70")];
    const [entry] = await arrive(books.owner, { amount: "100.00", text: "x" });
    const matched = await ok(act(entry?.id, "match", pays([first, "30.00"], [second, "70.00"])));
    const { payment_id } = matched.allocations.find(({ invoice_id }: DocumentBody) => invoice_id === first.id);
    await ok(books.owner.delete(`/invoicing/invoices/${first.id}/payments/${payment_id}`));
    const open = await read(entry?.id);
    expect(open)
      .to.include({ matched_amount: "70.00", open_amount: "30.00" })
      .and.to.have.property("state")
      .that.is.oneOf(["open", "proposed"]);
    expect(open.allocations.map(({ invoice_id }: DocumentBody) => invoice_id)).to.deep.equal([second.id]);
    await ok(act(entry?.id, "unmatch"));
    expect(await read(entry?.id)).to.include({ matched_amount: "0.00", open_amount: "100.00" });
  });

  it("pays a credit note back, and bank costs are ignored with a kind and opened again", async () => {
    const invoice = await small("40");
    await books.pay(invoice.id, "40.00");
    const note = await books.issue((await books.credit(invoice.id)).id);
    const [refund, costs] = await arrive(
      books.owner,
      { amount: "40.00", direction: "DBIT", text: `terug ${note.number}` },
      { amount: "12.00", direction: "DBIT", iban: "", name: "Bank", text: "Kosten betaalpakket" },
    );
    expect(refund?.proposals[0].allocations[0]).to.include({ invoice_id: note.id, amount: "-40.00" });
    await ok(act(refund?.id, "match", pays([note, "-40.00"])));
    expect(await books.read(note.id)).to.include({ status: "paid", outstanding: "0.00" });
    expect(costs?.proposals[0]).to.deep.include({ ignore_as: "bank_costs", allocations: [] });
    const ignored = await ok(act(costs?.id, "ignore", { ignored_as: "bank_costs", note: " maart " }));
    expect(ignored).to.include({ state: "ignored", ignored_as: "bank_costs", note: "maart", open_amount: "-12.00" });
    expect(refused(await act(costs?.id, "match", pays([note, "-1.00"])))).to.deep.equal([409, "errors.banking.ignored"]);
    expect(refused(await act(costs?.id, "ignore", { ignored_as: "tax" }))).to.deep.equal([409, "errors.banking.ignored"]);
    expect(await ok(act(costs?.id, "reopen"))).to.include({ state: "proposed", ignored_as: null, note: null });
    expect(refused(await act(costs?.id, "reopen"))).to.deep.equal([409, "errors.banking.not_ignored"]);
    expect(refused(await act(refund?.id, "ignore", { ignored_as: "tax" }))).to.deep.equal([409, "errors.banking.matched"]);
  });

  it("books the amount of another currency that the caller gives", async () => {
    const dollars = await books.issued([books.line(1, "120", "exempt")], { currency: "USD" });
    const [entry] = await arrive(books.owner, { amount: "110.00", text: dollars.number });
    expect(entry?.proposals[0]).to.include({ score: 40, exact: false });
    const other = [422, "errors.validation", { allocations: "errors.banking.other_currency" }];
    expect(refused(await act(entry?.id, "match", pays([dollars, "110.00"])))).to.deep.equal(other);
    const matched = await ok(act(entry?.id, "match", pays([dollars, "110.00", "120.00"])));
    expect(matched.allocations[0]).to.include({ amount: "110.00", invoice_amount: "120.00" });
    expect(await books.read(dollars.id)).to.include({ status: "paid", outstanding: "0.00" });
  });

  it("refuses what is not open, and books nothing of it", async () => {
    const [invoice, draft] = [await small("100"), await books.draft()];
    const [entry, out] = await arrive(books.owner, { amount: "60.00", text: "x" }, { amount: "5.00", direction: "DBIT" });
    const field = (key: string) => [422, "errors.validation", { allocations: key }];
    for (const [body, expected] of [
      [pays([invoice, "60.01"]), field("errors.banking.exceeds")],
      [pays([invoice, "40"], [draft, "30"]), field("errors.banking.exceeds")],
      [pays([invoice, "-60"]), field("errors.banking.direction")],
      [pays([invoice, "0"]), field("errors.banking.direction")],
      [pays([invoice, "10"], [invoice, "20"]), field("errors.duplicate")],
      [pays([invoice, "10", "11"]), field("errors.banking.same_currency")],
      [pays([{ id: entry?.id }, "10"]), field("errors.not_found")],
      [pays([draft, "10"]), [409, "errors.invoicing.wrong_status"]],
    ] as const)
      expect(refused(await act(entry?.id, "match", body))).to.deep.equal(expected);
    expect((await act(entry?.id, "match", { allocations: [] })).status).to.equal(422);
    expect(refused(await act(out?.id, "match", pays([invoice, "5.00"])))).to.deep.equal(field("errors.banking.direction"));
    expect(refused(await act(entry?.id, "unmatch"))).to.deep.equal([409, "errors.banking.not_matched"]);
    expect(await books.read(invoice.id)).to.include({ outstanding: "100.00" });
    expect(await read(entry?.id)).to.include({ matched_amount: "0.00" });
  });

  it("compares If-Match with the entry, not with its invoice", async () => {
    const invoice = await small("10");
    const [entry] = await arrive(books.owner, { amount: "10.00", text: "x" });
    const got = await books.owner.get(`/banking/entries/${entry?.id}`);
    const stale = await act(entry?.id, "match", pays([invoice, "10.00"]), { headers: { "If-Match": '"99"' } });
    expect(stale.status).to.equal(412);
    const headers = { "If-Match": got.headers["etag"] as string };
    expect((await act(entry?.id, "match", pays([invoice, "10.00"]), { headers })).status).to.equal(200);
  });

  it("keeps the match of a payment whose invoice is credited, and refuses to cancel the invoice", async () => {
    const invoice = await small("10");
    const [entry] = await arrive(books.owner, { amount: "10.00", text: "x" });
    await ok(act(entry?.id, "match", pays([invoice, "4.00"])));
    expect(refused(await books.owner.post(`/invoicing/invoices/${invoice.id}/cancel`))).to.deep.equal([
      409,
      "errors.invoicing.has_payments",
    ]);
    await books.issue((await books.credit(invoice.id)).id);
    expect(await read(entry?.id)).to.include({ matched_amount: "4.00" });
  });

  describe("POST /banking/match-all", () => {
    const matchAll = (query: string) => ok(books.owner.post(`/banking/match-all?${query}`));

    it("says what it would book, books it, and pays each invoice once", async () => {
      const [first, second] = [await small("50"), await small("60")];
      const [one, twice, two] = await arrive(
        books.owner,
        { amount: "50.00", text: first.number, day: "2026-06-01" },
        { amount: "50.00", text: first.number, day: "2026-06-02" },
        { amount: "60.00", text: second.number, day: "2026-06-03" },
      );
      expect(await matchAll("")).to.deep.include({ dry_run: true, matched: 0 });
      const would = await matchAll("min_score=80");
      expect(would).to.deep.include({ dry_run: true, matched: 2, left_out: 1 });
      expect((await books.read(first.id)).status).to.equal("open");
      const did = await matchAll("min_score=80&dry_run=false");
      expect(did).to.deep.equal({ ...would, dry_run: false });
      expect(did.entries.map(({ entry_id }: DocumentBody) => entry_id)).to.have.members([one?.id, two?.id]);
      expect((await books.read(first.id)).payments).to.have.length(1);
      expect((await books.read(second.id)).status).to.equal("paid");
      expect((await read(twice?.id)).matched_amount).to.equal("0.00");
      expect(await matchAll("min_score=80&dry_run=false")).to.include({ matched: 0 });
    });
  });

  it("books exact entries at upload once the settings allow it", async () => {
    const [first, second, third] = [await small("50"), await small("60"), await small("70")];
    const [one] = await arrive(books.owner, { amount: "50.00", text: first.number });
    await ok(act(one?.id, "match", pays([first, "50.00"])));
    expect(await ok(books.owner.get("/banking/settings"))).to.deep.equal({ match_exact: false });
    expect(await ok(books.owner.patch("/banking/settings", { match_exact: true }))).to.deep.equal({ match_exact: true });
    const [exact, other] = await arrive(
      books.owner,
      { amount: "60.00", text: second.number },
      { amount: "70.00", text: third.number, iban: "NL02RABO0123456789" },
    );
    expect([exact?.state, other?.state]).to.deep.equal(["matched", "proposed"]);
    expect([(await books.read(second.id)).status, (await books.read(third.id)).status]).to.deep.equal(["paid", "open"]);
  });
});
