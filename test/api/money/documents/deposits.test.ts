import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { rounds } from "../../../support/tier.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

const ROUNDS = rounds(8, 80);
const cents = (amount: string): number => Math.round(Number(amount) * 100);

describe("deposits on a quote", () => {
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

  const accepted = async (lines: object[] = books.mixed(), more: object = {}): Promise<DocumentBody> => {
    const { id } = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines, ...more }));
    await ok(books.owner.post(`/invoicing/quotes/${id}/issue`, {}));
    return ok(books.owner.post(`/invoicing/quotes/${id}/accept`, {}));
  };
  const ask = (quote: DocumentBody, body: object) => books.owner.post(`/invoicing/quotes/${quote.id}/deposit`, body);
  const deposit = async (quote: DocumentBody, body: object, issue_date = "2026-03-02") =>
    books.issue((await ok(ask(quote, body))).id, { issue_date });
  const convert = (quote: DocumentBody) => ok(books.owner.post(`/invoicing/quotes/${quote.id}/convert`));
  const groups = ({ tax_groups }: DocumentBody) =>
    tax_groups.map(({ rate_pct, base, tax }: Record<string, string>) => [rate_pct, base, tax]);
  const deducted = ({ lines }: DocumentBody) =>
    lines.flatMap(({ deposit_id, amount, tax_amount }: Record<string, string>) =>
      deposit_id ? [[deposit_id, amount, tax_amount]] : [],
    );

  it("are invoices with a line per rate; the final invoice deducts them with the tax that they state", async () => {
    const quote = await accepted();
    const first = await deposit(quote, { percent: "30" });
    expect(first).to.deep.include({ kind: "invoice", deposit_of: quote.id, quote_id: null, total: "308.53", status: "open" });
    expect(groups(first)).to.deep.equal([
      ["21.00", "241.49", "50.71"],
      ["9.00", "14.98", "1.35"],
    ]);
    const final = await convert(quote);
    expect(deducted(final)).to.deep.equal([
      [first.id, "-241.49", "-50.71"],
      [first.id, "-14.98", "-1.35"],
    ]);
    expect(groups(final)).to.deep.equal([
      ["21.00", "563.46", "118.33"],
      ["9.00", "34.97", "3.15"],
    ]);
    const issued = await books.issue(final.id, { issue_date: "2026-04-01" });
    expect([issued.total, issued.deposit_of, issued.quote_id]).to.deep.equal(["719.91", null, quote.id]);
    const vat = async (from: string, to: string) =>
      (await ok(books.owner.get(`/invoicing/reports/vat?from=${from}&to=${to}&basis=invoice`))).totals;
    expect(await vat("2026-03-01", "2026-03-31")).to.include({ base: "256.47", tax: "52.06" });
    expect(await vat("2026-03-01", "2026-04-30")).to.include({ base: "854.90", tax: "173.54" });
    const revenue = async (group: string) =>
      (await ok(books.owner.get(`/invoicing/reports/revenue?from=2026-03-01&to=2026-04-30&group=${group}`))).total.amount;
    for (const group of ["month", "company", "kind", "product"]) expect(await revenue(group), group).to.equal("854.90");
  });

  it("are deducted as of the issue, and stay when lines of the draft are sent again", async () => {
    const quote = await accepted();
    const first = await ok(ask(quote, { amount: "121.00" }));
    const final = await ok(ask(quote, { percent: 10 })).then(() => convert(quote));
    expect(deducted(final)).to.deep.equal([]);
    await books.issue(first.id);
    const patch = (body: object) => ok(books.owner.patch(`/invoicing/invoices/${final.id}`, body));
    const changed = await patch({ lines: final.lines });
    expect([changed.total, deducted(changed).length]).to.deep.equal(["907.44", 2]);
    expect((await patch({ lines: changed.lines })).total).to.equal("907.44");
    const inclusive = await patch({ prices_include_tax: true });
    expect(deducted(inclusive).map(([, amount]: string[]) => amount)).to.deep.equal(["-114.59", "-6.41"]);
    expect(deducted(inclusive).map(([, , tax]: string[]) => tax)).to.deep.equal(
      deducted(changed).map(([, , tax]: string[]) => tax),
    );
    await patch({ prices_include_tax: false });
    const note = await books.credit(first.id);
    await books.issue(note.id);
    const issued = await books.issue(final.id);
    expect([issued.total, deducted(issued)]).to.deep.equal(["1028.44", []]);
  });

  it("stay within the quote's total, in its currency, and before the final invoice", async () => {
    const quote = await accepted();
    const exceeds = rule("deposit_exceeds");
    const half = await ok(ask(quote, { percent: "50" }));
    expect(refused(await ask(quote, { amount: "514.23" }))).to.deep.equal(exceeds);
    const other = await ok(ask(quote, { amount: "514.22" }));
    expect(refused(await books.owner.patch(`/invoicing/invoices/${half.id}`, { currency: "USD" }))[1]).to.equal(
      "errors.invoicing.locked",
    );
    const larger = { lines: [books.line(1, "514.23", "21")] };
    await ok(books.owner.patch(`/invoicing/invoices/${half.id}`, larger));
    await books.issue(other.id);
    const tooMuch = await books.owner.post(`/invoicing/invoices/${half.id}/issue`, {});
    expect(refused(tooMuch)).to.deep.equal(exceeds);
    await ok(books.owner.delete(`/invoicing/invoices/${half.id}`));
    const late = await ok(ask(quote, { percent: "10" }));
    const final = await convert(quote);
    expect(refused(await ask(quote, { percent: "1" }))).to.deep.equal(rule("wrong_status"));
    await books.issue(final.id);
    expect(refused(await books.owner.post(`/invoicing/invoices/${late.id}/issue`, {}))).to.deep.equal(rule("wrong_status"));
    const kept = rule("deposit_deducted");
    expect(refused(await books.owner.post(`/invoicing/invoices/${other.id}/cancel`))).to.deep.equal(kept);
    const note = await books.credit(other.id);
    expect(refused(await books.owner.post(`/invoicing/invoices/${note.id}/issue`, {}))).to.deep.equal(kept);
    await ok(books.owner.post(`/invoicing/invoices/${final.id}/cancel`));
    expect((await books.issue(note.id)).status).to.equal("paid");
  });

  it("refuse what is no share and no amount, and lines of others", async () => {
    const quote = await accepted();
    for (const [body, field] of [
      [{}, "percent"],
      [{ percent: 10, amount: 10 }, "amount"],
      [{ percent: 0 }, "percent"],
      [{ percent: 100.01 }, "percent"],
      [{ percent: "10.005" }, "percent"],
      [{ amount: "0" }, "amount"],
      [{ amount: "1.005" }, "amount"],
    ] as const) {
      const answer = await ask(quote, body);
      expect([answer.status, Object.keys(answer.body.error.fields)], JSON.stringify(body)).to.deep.equal([422, [field]]);
    }
    const first = await deposit(quote, { percent: 10 });
    const stray = [books.line(1, "5.00", "21", { deposit_id: first.id })];
    const answer = await books.owner.post("/invoicing/invoices", { company_id: books.company, lines: stray });
    expect(refused(answer)).to.deep.equal([422, "errors.validation", { deposit_id: "errors.validation" }]);
    const open = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: books.mixed() }));
    expect(refused(await ask(open, { percent: 10 }))).to.deep.equal(rule("wrong_status"));
    const other = await service.tenant();
    expect((await other.owner.post(`/invoicing/quotes/${quote.id}/deposit`, { percent: 10 })).status).to.equal(404);
  });

  it("and a discount on one: the final invoice deducts the whole deposit", async () => {
    const quote = await accepted();
    const draft = await ok(ask(quote, { percent: 30 }));
    await ok(books.owner.patch(`/invoicing/invoices/${draft.id}`, { payment_discount: { percent: "2.00", days: 8 } }));
    const first = await books.issue(draft.id, { issue_date: "2026-03-02" });
    const paid = await books.pay(first.id, "302.36", { paid_on: "2026-03-04" });
    expect([paid.status, paid.credited_total]).to.deep.equal(["paid", "6.17"]);
    expect((await convert(quote)).total).to.equal("719.91");
  });

  it("and the final invoice are the quote, per rate, to the cent, whatever was asked and credited", async () => {
    let state = 20_261_201;
    const below = (limit: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 4_294_967_296) * limit);
    };
    for (let round = 0; round < ROUNDS; round++) {
      const rates = ["21", "9", "exempt", "reverse"];
      const lines = Array.from({ length: 1 + below(5) }, () =>
        books.line(`${1 + below(9)}.${below(10)}`, (below(40_000) / 100 + 0.01).toFixed(2), rates[below(4)] as string),
      );
      const quote = await accepted(lines, { prices_include_tax: below(2) === 0 });
      const issued: DocumentBody[] = [];
      for (let n = 0, parts = 1 + below(3); n < parts; n++) {
        const made = await ask(quote, { percent: (1 + below(3000) / 100).toFixed(2) });
        if (made.status !== 201) continue;
        const one = await books.issue(made.body.id);
        issued.push(one);
        if (below(3) > 0) continue;
        const note = await books.credit(one.id);
        if (below(2) === 0) await ok(books.owner.patch(`/invoicing/invoices/${note.id}`, { lines: note.lines.slice(0, 1) }));
        issued.push(await books.issue(note.id));
      }
      const final = await books.issue((await convert(quote)).id);
      const sums = new Map<string, [number, number]>();
      for (const document of [...issued, final])
        for (const { rate_pct, category, base, tax } of document.tax_groups) {
          const [b, t] = sums.get(`${rate_pct} ${category}`) ?? [0, 0];
          sums.set(`${rate_pct} ${category}`, [b + cents(base), t + cents(tax)]);
        }
      const whole = Object.fromEntries(
        quote.tax_groups.map(({ rate_pct, category, base, tax }: Record<string, string>) => [
          `${rate_pct} ${category}`,
          [cents(base as string), cents(tax as string)],
        ]),
      );
      expect(Object.fromEntries(sums), `round ${round}`).to.deep.equal(whole);
      const total = [...issued, final].reduce((sum, document) => sum + cents(document.total), 0);
      expect(total).to.equal(cents(quote.total));
    }
    const { totals } = await ok(books.owner.get("/invoicing/reports/vat?from=2026-01-01&to=2027-12-31&basis=invoice"));
    const { total } = await ok(books.owner.get("/invoicing/reports/revenue?from=2026-01-01&to=2027-12-31&group=product"));
    const { rows } = await service.sql.query(
      "select sum(subtotal)::text as base, sum(tax_total)::text as tax from quotes where organisation_id = $1",
      [tenant.organisation.id],
    );
    expect([totals.base, totals.tax, total.amount]).to.deep.equal([rows[0].base, rows[0].tax, rows[0].base]);
  });
});
