import { expect } from "chai";
import { type ExportedInvoice, salesEntry } from "../../../../services/money/bookkeeping/sales-entry.ts";

describe("a document as bookkeeping takes it", () => {
  it("has net lines that add up with the taxes to the total, with the accounts of their rates (worked example 14)", () => {
    const line = (amount: string, pct: string, rate: string | null) => ({
      description: "Line",
      amount,
      tax_rate_id: rate,
      tax_rate_pct: pct,
      tax_category: pct === "21.00" ? ("standard" as const) : ("reduced" as const),
      tax_name: "Btw",
    });
    const invoice: ExportedInvoice = {
      number: "1",
      kind: "invoice",
      issue_date: "2026-03-01",
      due_date: null,
      reference: null,
      currency: "EUR",
      exchange_rate: null,
      prices_include_tax: true,
      total: "35.45",
      customer: { client_number: "K1", name: "Vela" },
      tax_groups: [
        { name: "Btw", rate_pct: "21.00", category: "standard", base: "24.79", tax: "5.21" },
        { name: "Btw", rate_pct: "9.00", category: "reduced", base: "5.00", tax: "0.45" },
      ],
      lines: [line("10.00", "21.00", "a"), line("10.00", "21.00", "a"), line("10.00", "21.00", "b"), line("5.45", "9.00", null)],
    };
    const made = salesEntry(
      invoice,
      new Map([
        ["a", "8000"],
        ["b", null],
      ]),
    );
    expect(made.lines.map(({ net, ledger_code }) => [net, ledger_code])).to.deep.equal([
      ["8.27", "8000"],
      ["8.26", "8000"],
      ["8.26", null],
      ["5.00", null],
    ]);
    expect(made.taxes.map(({ base, tax }) => [base, tax])).to.deep.equal([
      ["24.79", "5.21"],
      ["5.00", "0.45"],
    ]);
    expect(made).to.include({ number: "1", client: "Vela", client_number: "K1", total: "35.45" });
  });
});
