import { expect } from "chai";
import { dueDate, type PaymentTerms, requireDayOfMonth, sentTerms } from "../../../../services/money/calculation/terms.ts";
import { termsText } from "../../../../services/money/calculation/terms-text.ts";

const term = (days: number, basis: PaymentTerms["basis"]): PaymentTerms => ({ days, basis });

/** The date of an invoice, its terms, and the due date. */
const DUE: [issued: string, terms: PaymentTerms, due: string][] = [
  ["2026-03-02", term(14, "invoice_date"), "2026-03-16"],
  ["2026-01-31", term(30, "invoice_date"), "2026-03-02"],
  ["2028-01-31", term(30, "invoice_date"), "2028-03-01"],
  ["2026-03-02", term(0, "invoice_date"), "2026-03-02"],
  ["2026-01-01", term(30, "end_of_month"), "2026-03-02"],
  ["2026-01-31", term(30, "end_of_month"), "2026-03-02"],
  ["2028-01-15", term(30, "end_of_month"), "2028-03-01"],
  ["2026-02-01", term(30, "end_of_month"), "2026-03-30"],
  ["2026-02-28", term(30, "end_of_month"), "2026-03-30"],
  ["2028-02-28", term(30, "end_of_month"), "2028-03-30"],
  ["2028-02-29", term(30, "end_of_month"), "2028-03-30"],
  ["2026-02-10", term(0, "end_of_month"), "2026-02-28"],
  ["2028-02-10", term(0, "end_of_month"), "2028-02-29"],
  ["2026-12-05", term(30, "end_of_month"), "2027-01-30"],
  ["2026-01-05", term(31, "day_of_next_month"), "2026-02-28"],
  ["2028-01-05", term(31, "day_of_next_month"), "2028-02-29"],
  ["2026-01-05", term(29, "day_of_next_month"), "2026-02-28"],
  ["2026-03-05", term(31, "day_of_next_month"), "2026-04-30"],
  ["2026-12-31", term(31, "day_of_next_month"), "2027-01-31"],
  ["2026-03-01", term(15, "day_of_next_month"), "2026-04-15"],
  ["2026-03-31", term(15, "day_of_next_month"), "2026-04-15"],
  ["2026-03-31", term(1, "day_of_next_month"), "2026-04-01"],
  // The last dates of the calendar.
  ["9999-12-20", term(30, "invoice_date"), "9999-12-31"],
  ["9999-12-20", term(30, "end_of_month"), "9999-12-31"],
  ["9999-12-20", term(15, "day_of_next_month"), "9999-12-31"],
];

describe("payment terms", () => {
  for (const [issued, terms, due] of DUE)
    it(`${terms.days} by ${terms.basis} of ${issued} is ${due}`, () => expect(dueDate(issued, terms)).to.equal(due));

  it("are named in the language of the document, in English for a language without words", () => {
    const named: [PaymentTerms, en: string, nl: string][] = [
      [term(1, "invoice_date"), "1 day", "1 dag"],
      [term(30, "invoice_date"), "30 days", "30 dagen"],
      [term(30, "end_of_month"), "30 days end of month", "30 dagen einde maand"],
      [term(0, "end_of_month"), "End of month", "Einde maand"],
      [term(1, "day_of_next_month"), "The 1st of next month", "De 1e van de volgende maand"],
      [term(12, "day_of_next_month"), "The 12th of next month", "De 12e van de volgende maand"],
      [term(22, "day_of_next_month"), "The 22nd of next month", "De 22e van de volgende maand"],
      [term(23, "day_of_next_month"), "The 23rd of next month", "De 23e van de volgende maand"],
      [term(31, "day_of_next_month"), "The last day of next month", "De laatste dag van de volgende maand"],
    ];
    for (const [terms, en, nl] of named) {
      expect(["en", "de", "en-GB"].map((locale) => termsText(terms, locale))).to.deep.equal([en, en, en]);
      expect(["nl", "nl-BE"].map((locale) => termsText(terms, locale))).to.deep.equal([nl, nl]);
    }
  });

  it("count from the date of the document unless they say otherwise, and refuse a day that no month has", () => {
    expect(sentTerms({ days: 8 })).to.deep.equal(term(8, "invoice_date"));
    expect([sentTerms(null), sentTerms(undefined)]).to.deep.equal([null, undefined]);
    for (const days of [0, 32])
      expect(() => requireDayOfMonth(term(days, "day_of_next_month"), "days"))
        .to.throw()
        .with.deep.nested.property("data.fields", { days: "errors.validation" });
    for (const terms of [
      term(1, "day_of_next_month"),
      term(31, "day_of_next_month"),
      term(0, "end_of_month"),
      term(365, "invoice_date"),
    ])
      expect(() => requireDayOfMonth(terms, "days")).not.to.throw();
  });
});
