import { expect } from "chai";
import {
  daysLate,
  invoiceValues,
  isCollectable,
  type MailedDocument,
  type MailedQuote,
  pageOf,
  quoteValues,
  recipientsOf,
  reminderValues,
} from "../../../../services/money/mails/mail-values.ts";

const invoice = (more: object = {}): MailedDocument =>
  ({
    id: "0190",
    kind: "invoice",
    status: "open",
    number: "2026-0031",
    customer: { name: "Vela Works B.V.", trade_name: "Vela Works", attn: "Eva de Wit" },
    reference: "PO 7",
    issue_date: "2026-05-18",
    due_date: "2026-06-01",
    currency: "EUR",
    total: "1028.44",
    outstanding: "628.44",
    discount_until: null,
    discount_left: "0.00",
    online: true,
    ...more,
  }) as unknown as MailedDocument;

describe("the mail of a document", () => {
  it("writes money as EUR 12.50 and dates as dd-mm-yyyy", () => {
    expect(invoiceValues(invoice(), "2026-05-18")).to.deep.equal({
      number: "2026-0031",
      company: "Vela Works",
      contact: "Eva de Wit",
      total: "EUR 1028.44",
      date: "18-05-2026",
      due_date: "01-06-2026",
      reference: "PO 7",
      outstanding: "EUR 628.44",
      refund: null,
      state: null,
      discount: null,
      discount_until: null,
      discounted: null,
    });
  });

  it("names the discount for early payment as long as it can be taken", () => {
    const discounted = invoice({ discount_until: "2026-05-26", discount_left: "20.57" });
    const values = { discount: "EUR 20.57", discount_until: "26-05-2026", discounted: "EUR 607.87" };
    expect(invoiceValues(discounted, "2026-05-26")).to.include(values);
    expect(invoiceValues(discounted, "2026-05-27")).to.include({ discount: null, discounted: null });
    const paid = invoice({ discount_until: "2026-05-26", discount_left: "20.57", status: "paid", outstanding: "0.00" });
    expect(invoiceValues(paid, "2026-05-18")).to.include({ discount: null });
  });

  it("states the amount due, that a settled document asks for nothing, and the credit of a credit note", () => {
    const cases: [object, object][] = [
      [
        { status: "paid", outstanding: "0.00" },
        { outstanding: null, refund: null, state: "paid" },
      ],
      [
        { status: "paid", outstanding: "-3.00" },
        { outstanding: null, refund: "EUR 3.00", state: "paid" },
      ],
      [{ outstanding: "0.00" }, { outstanding: null, refund: null, state: "settled" }],
      [
        { kind: "credit_note", outstanding: "-242.00" },
        { outstanding: null, refund: "EUR 242.00", state: "refund" },
      ],
      [
        { kind: "credit_note", status: "paid", outstanding: "0.00" },
        { outstanding: null, refund: null, state: "set_off" },
      ],
    ];
    for (const [more, values] of cases)
      expect(invoiceValues(invoice(more), "2026-05-18"), JSON.stringify(more)).to.include(values);
  });

  it("names in a reminder the amount due and the days since then, 0 when it is not late", () => {
    expect(reminderValues(invoice(), "2026-06-16")).to.include({ outstanding: "EUR 628.44", days: 15, due_date: "01-06-2026" });
    for (const [today, days] of [
      ["2026-05-31", 0],
      ["2026-06-01", 0],
      ["2026-06-02", 1],
    ] as const)
      expect(daysLate("2026-06-01", today), today).to.equal(days);
    expect(daysLate(null, "2026-06-02")).to.equal(0);
  });

  it("says until when a quote is valid, and nothing of a due date", () => {
    const values = quoteValues(invoice({ valid_until: "2026-06-17" }) as unknown as MailedQuote);
    expect(values).to.include({ valid_until: "17-06-2026" }).and.not.to.have.property("due_date");
  });

  it("has a link only for an invoice that can be paid online now", () => {
    const cases: [object, boolean][] = [
      [{}, true],
      [{ online: false }, false],
      [{ kind: "credit_note" }, false],
      [{ status: "paid" }, false],
      [{ outstanding: "0.00" }, false],
      [{ outstanding: "-3.00" }, false],
    ];
    for (const [more, collectable] of cases) expect(isCollectable(invoice(more)), JSON.stringify(more)).to.equal(collectable);
  });

  it("leads to a page of the service", () => {
    expect(pageOf(invoice(), "x".repeat(43))).to.equal(`/invoice/${"x".repeat(43)}`);
    expect(pageOf(invoice(), null)).to.equal("/invoices/0190");
  });

  it("goes to every address of the first text that has any, each once, if all can be mailed to", () => {
    const cases: [(string | null)[], string[]][] = [
      [["a@x.nl", "b@x.nl"], ["a@x.nl"]],
      [[null, "b@x.nl"], ["b@x.nl"]],
      [["  ", " b@x.nl "], ["b@x.nl"]],
      [[" , ;", "b@x.nl"], ["b@x.nl"]],
      [
        ["a@x.nl, c@x.nl;A@X.nl ,d@x.nl", "b@x.nl"],
        ["a@x.nl", "c@x.nl", "d@x.nl"],
      ],
      [["a@x.nl, no address", "b@x.nl"], []],
      [[null], []],
    ];
    for (const [texts, to] of cases) expect(recipientsOf(...texts), String(texts)).to.deep.equal(to);
  });
});
