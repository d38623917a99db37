import { expect } from "chai";
import { type OpenEntry, type OpenInvoice, OpenInvoices } from "../../../integrations/banking/matching/proposals.ts";

const IBAN = "NL44RABO0123456789";
const invoice = (number: string, outstanding: string, values: Partial<OpenInvoice> = {}): OpenInvoice => ({
  id: `id of ${number}`,
  number,
  company_id: "bakker",
  company_names: ["Bakker B.V."],
  outstanding,
  currency: "EUR",
  ...values,
});
const entry = (open_amount: string, description: string, values: Partial<OpenEntry> = {}): OpenEntry => ({
  open_amount,
  currency: "EUR",
  counter_iban: null,
  counter_name: null,
  description,
  reference: null,
  kind: "payment",
  ...values,
});
const known = new Map([[IBAN, new Set(["bakker"])]]);
const proposed = (of: OpenEntry, invoices: OpenInvoice[], payers: ReadonlyMap<string, ReadonlySet<string>> = known) =>
  new OpenInvoices(invoices, payers).proposalsFor(of).map(({ score, exact, reasons, allocations, ignore_as }) => ({
    score,
    exact,
    reasons: reasons.join(" "),
    pays: allocations.map(({ invoice_number, amount }) => `${invoice_number} ${amount}`).join(", ") || ignore_as,
  }));

const ONE = invoice("2026-0412", "100.00");
const TWO = invoice("2026-0413", "50.00");
const OTHER = invoice("2026-0500", "75.00", { company_id: "smid", company_names: ["Smid"] });

describe("proposals for an entry", () => {
  const cases: [string, OpenEntry, OpenInvoice[], object[]][] = [
    [
      "number, amount and account are exact",
      entry("100.00", "2026-0412", { counter_iban: IBAN }),
      [ONE, TWO],
      [{ score: 100, exact: true, reasons: "number amount iban", pays: "2026-0412 100.00" }],
    ],
    [
      "a name counts for less than an account",
      entry("100.00", "20260412", { counter_name: "BAKKER BV" }),
      [ONE],
      [{ score: 90, exact: false, reasons: "number amount name", pays: "2026-0412 100.00" }],
    ],
    [
      "number and amount alone",
      entry("100.00", "2026-0412"),
      [ONE],
      [{ score: 80, exact: false, reasons: "number amount", pays: "2026-0412 100.00" }],
    ],
    [
      "the discounted amount in time is the amount",
      entry("98.00", "2026-0412", { counter_iban: IBAN, booked_on: "2026-03-10" }),
      [invoice("2026-0412", "100.00", { discounted: "98.00", discount_until: "2026-03-10" }), TWO],
      [{ score: 100, exact: true, reasons: "number amount discount iban", pays: "2026-0412 98.00" }],
    ],
    [
      "the discounted amount too late is a part",
      entry("98.00", "2026-0412", { counter_iban: IBAN, booked_on: "2026-03-11" }),
      [invoice("2026-0412", "100.00", { discounted: "98.00", discount_until: "2026-03-10" })],
      [{ score: 70, exact: false, reasons: "number partial iban", pays: "2026-0412 98.00" }],
    ],
    [
      "the discounted amount by the account, and of one of two numbers",
      entry("98.00", "", { counter_iban: IBAN, booked_on: "2026-03-09" }),
      [invoice("2026-0412", "100.00", { discounted: "98.00", discount_until: "2026-03-10" }), TWO],
      [{ score: 60, exact: false, reasons: "amount discount iban", pays: "2026-0412 98.00" }],
    ],
    [
      "several numbers, one with its discount",
      entry("148.00", "2026-0412 2026-0413", { booked_on: "2026-03-09" }),
      [invoice("2026-0412", "100.00", { discounted: "98.00", discount_until: "2026-03-10" }), TWO],
      [
        {
          score: 80,
          exact: false,
          reasons: "several_numbers amount discount",
          pays: "2026-0412 98.00, 2026-0413 50.00",
        },
      ],
    ],
    [
      "a number in the reference",
      entry("100.00", "", { reference: "2026-0412" }),
      [ONE],
      [{ score: 80, exact: false, reasons: "number amount", pays: "2026-0412 100.00" }],
    ],
    [
      "several invoices by one payment",
      entry("150.00", "2026-0412 en 2026-0413", { counter_iban: IBAN }),
      [ONE, TWO],
      [{ score: 100, exact: true, reasons: "several_numbers amount iban", pays: "2026-0412 100.00, 2026-0413 50.00" }],
    ],
    [
      "invoices of two clients are never exact",
      entry("175.00", "2026-0412 2026-0500", { counter_iban: IBAN }),
      [ONE, OTHER],
      [{ score: 80, exact: false, reasons: "several_numbers amount several_clients", pays: "2026-0412 100.00, 2026-0500 75.00" }],
    ],
    [
      "a part of an invoice",
      entry("40.00", "2026-0412"),
      [ONE],
      [{ score: 50, exact: false, reasons: "number partial", pays: "2026-0412 40.00" }],
    ],
    [
      "a part of two invoices pays the first named in full",
      entry("120.00", "2026-0412 2026-0413"),
      [ONE, TWO],
      [{ score: 50, exact: false, reasons: "several_numbers partial", pays: "2026-0412 100.00, 2026-0413 20.00" }],
    ],
    [
      "more than is outstanding leaves the rest open",
      entry("110.00", "2026-0412"),
      [ONE],
      [{ score: 50, exact: false, reasons: "number overpaid", pays: "2026-0412 100.00" }],
    ],
    [
      "another currency is never exact",
      entry("100.00", "2026-0412", { counter_iban: IBAN }),
      [{ ...ONE, currency: "USD" }],
      [{ score: 40, exact: false, reasons: "number other_currency", pays: "2026-0412 100.00" }],
    ],
    [
      "the account and the amount without a number",
      entry("100.00", "dank", { counter_iban: IBAN }),
      [ONE, TWO],
      [{ score: 60, exact: false, reasons: "amount iban", pays: "2026-0412 100.00" }],
    ],
    [
      "all that the client has open",
      entry("150.00", "dank", { counter_iban: IBAN }),
      [ONE, TWO],
      [{ score: 50, exact: false, reasons: "all_open iban", pays: "2026-0412 100.00, 2026-0413 50.00" }],
    ],
    [
      "two that add up",
      entry("150.00", "dank", { counter_iban: IBAN }),
      [ONE, TWO, invoice("2026-0414", "7.00")],
      [{ score: 40, exact: false, reasons: "pair iban", pays: "2026-0412 100.00, 2026-0413 50.00" }],
    ],
    [
      "a part without a number, of the oldest",
      entry("30.00", "termijn", { counter_iban: IBAN }),
      [ONE, TWO],
      [{ score: 20, exact: false, reasons: "partial iban", pays: "2026-0412 30.00" }],
    ],
    [
      "two invoices alike are both proposed",
      entry("50.00", "dank", { counter_iban: IBAN }),
      [TWO, invoice("2026-0414", "50.00")],
      [
        { score: 40, exact: false, reasons: "amount iban ambiguous", pays: "2026-0413 50.00" },
        { score: 40, exact: false, reasons: "amount iban ambiguous", pays: "2026-0414 50.00" },
      ],
    ],
    [
      "the amount alone",
      entry("75.00", "dank", { counter_name: "A. Nders" }),
      [ONE, OTHER],
      [{ score: 30, exact: false, reasons: "amount", pays: "2026-0500 75.00" }],
    ],
    ["nothing", entry("1.00", "dank"), [ONE], []],
    [
      "a refund of a credit note",
      entry("-25.00", "2026-0420 retour"),
      [invoice("2026-0420", "-25.00"), ONE],
      [{ score: 80, exact: false, reasons: "number amount", pays: "2026-0420 -25.00" }],
    ],
    ["money that goes out pays no invoice", entry("-100.00", "2026-0412"), [ONE], []],
    ["money that comes in pays no credit note", entry("25.00", "2026-0420"), [invoice("2026-0420", "-25.00")], []],
    [
      "costs by the bank's word",
      entry("-12.00", "maart", { kind: "bank_costs" }),
      [ONE],
      [{ score: 90, exact: false, reasons: "bank_costs", pays: "bank_costs" }],
    ],
    [
      "costs by their text, where there is no other account",
      entry("-12.00", "Kosten betaalpakket"),
      [ONE],
      [{ score: 60, exact: false, reasons: "bank_costs", pays: "bank_costs" }],
    ],
    ["costs that another account is paid", entry("-12.00", "Kosten taxi", { counter_iban: IBAN }), [ONE], []],
    ["a short number without its amount", entry("3.00", "12"), [invoice("12", "10.00")], []],
    [
      "a short number with its amount",
      entry("10.00", "12"),
      [invoice("12", "10.00")],
      [{ score: 80, exact: false, reasons: "number amount", pays: "12 10.00" }],
    ],
  ];
  for (const [title, of, invoices, expected] of cases) it(title, () => expect(proposed(of, invoices)).to.deep.equal(expected));

  it("an account that two clients paid from is not exact for either without the number", () => {
    const payers = new Map([[IBAN, new Set(["bakker", "smid"])]]);
    const both = proposed(entry("75.00", "dank", { counter_iban: IBAN }), [invoice("2026-0412", "75.00"), OTHER], payers);
    expect(both.map(({ pays, exact }) => [pays, exact])).to.deep.equal([
      ["2026-0412 75.00", false],
      ["2026-0500 75.00", false],
    ]);
  });

  it("an account that another client paid from is not the client's", () => {
    const [only] = proposed(entry("75.00", "2026-0500", { counter_iban: IBAN }), [OTHER]);
    expect(only).to.include({ score: 80, exact: false });
  });
});
