import { expect } from "chai";
import { accountsOf, type Entry } from "../../../../services/money/reports/owed/statement.ts";

const entry = (currency: string, date: string, type: Entry["type"], amount: string): Entry => ({
  ...{ currency, date, type, amount, invoice_id: "id", number: "2026-0001", reference: null, due_date: null },
});
const item = (currency: string, due_date: string, open: string) => ({
  ...{ currency, due_date, open, invoice_id: "id", number: "2026-0001", issue_date: "2026-03-01", total: "1028.44" },
});

describe("the accounts of a client", () => {
  const accounts = accountsOf(
    {
      openings: [
        { currency: "EUR", amount: "121.00" },
        { currency: "GBP", amount: "0.00" },
        { currency: "USD", amount: "5.00" },
      ],
      entries: [
        entry("EUR", "2026-03-01", "invoice", "1028.44"),
        entry("EUR", "2026-04-01", "payment", "-1100.00"),
        entry("EUR", "2026-04-02", "credit_note", "-121.00"),
        entry("EUR", "2026-04-03", "refund", "71.56"),
      ],
      items: [item("EUR", "2026-04-30", "50.00"), item("EUR", "2026-05-31", "-50.00"), item("USD", "2026-05-01", "5.00")],
    },
    "2026-05-31",
  );

  it("run from the opening balance by each entry to the closing balance", () => {
    const [euros] = accounts;
    expect([euros?.opening, euros?.closing, euros?.overdue]).to.deep.equal(["121.00", "0.00", "50.00"]);
    expect(euros?.entries.map(({ balance }) => balance)).to.deep.equal(["1149.44", "49.44", "-71.56", "0.00"]);
    expect(euros?.open_items.map(({ days_late }) => days_late)).to.deep.equal([31, 0]);
  });

  it("are one for each currency with a balance or an entry", () => {
    expect(accounts.map(({ currency, closing }) => [currency, closing])).to.deep.equal([
      ["EUR", "0.00"],
      ["USD", "5.00"],
    ]);
  });
});
