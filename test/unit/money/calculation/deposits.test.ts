import { expect } from "chai";
import { deductedLine, depositParts, exceedsQuote, shareOf } from "../../../../services/money/calculation/deposits.ts";
import { netsOf } from "../../../../services/money/calculation/nets.ts";
import { totalsOf } from "../../../../services/money/calculation/totals.ts";

const rated = (amount: string, tax_amount: string | null = null, pct = "21") => ({
  amount,
  tax_amount,
  tax_rate_pct: pct,
  tax_category: "standard" as const,
  tax_name: "",
});
const group = (base: string, tax: string) => ({ name: "", rate_pct: "21.00", category: "standard" as const, base, tax });

describe("deposits (money §10.1)", () => {
  it("are a share of the total, divided over the rates", () => {
    expect(shareOf("1028.44", "30", "EUR")).to.equal("308.53");
    expect(shareOf("1999", "33.33", "JPY")).to.equal("666.00");
    expect(depositParts("308.53", [group("804.95", "169.04"), group("49.95", "4.50")], "EUR")).to.deep.equal(["292.20", "16.33"]);
    expect(exceedsQuote("100.00", ["60.00", "40.00"])).to.equal(false);
    expect(exceedsQuote("100.00", ["60.00", "40.01"])).to.equal(true);
  });

  it("are deducted with the tax that they state, not with a new rounding", () => {
    const stated = { number: "2026-0007", issue_date: "2026-03-02", base: "0.50", tax: "0.11" };
    const line = deductedLine(stated, false, "nl");
    expect(line).to.deep.equal({
      description: "Af: aanbetaling, factuur 2026-0007 van 02-03-2026",
      unit_price: "-0.50",
      amount: "-0.50",
      tax_amount: "-0.11",
    });
    const totals = totalsOf([rated("1.00"), rated(line.amount, line.tax_amount)], { prices_include_tax: false, currency: "EUR" });
    expect(totals).to.deep.include({ subtotal: "0.50", tax_total: "0.10", total: "0.60" });
    const inclusive = deductedLine(stated, true, "en");
    expect([inclusive.amount, inclusive.description]).to.deep.equal(["-0.61", "Less deposit, invoice 2026-0007 of 02-03-2026"]);
    const pricing = { prices_include_tax: true, currency: "EUR" };
    const lines = [rated("1.00"), rated("0.21"), rated(inclusive.amount, inclusive.tax_amount)];
    expect(totalsOf(lines, pricing)).to.deep.include({ subtotal: "0.50", tax_total: "0.10", total: "0.60" });
    expect(netsOf(lines, pricing)).to.deep.equal(["0.83", "0.17", "-0.50"]);
  });
});
