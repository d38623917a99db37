import { expect } from "chai";
import { agedOf, bucketOf, type OpenAmount } from "../../../../services/money/reports/owed/buckets.ts";

describe("the bucket of an open amount", () => {
  for (const [due, bucket] of [
    ["2026-06-01", "not_due"],
    ["2026-05-31", "not_due"],
    ["2026-05-30", "days_1_30"],
    ["2026-05-01", "days_1_30"],
    ["2026-04-30", "days_31_60"],
    ["2026-04-01", "days_31_60"],
    ["2026-03-31", "days_61_90"],
    ["2026-03-02", "days_61_90"],
    ["2026-03-01", "older"],
    ["2020-01-01", "older"],
  ] as const)
    it(`that was due on ${due} is ${bucket} on 31 May 2026`, () => expect(bucketOf(due, "2026-05-31")).to.equal(bucket));
});

describe("open amounts by client", () => {
  const row = (name: string, currency: string, due_date: string, amount: string, converted: string): OpenAmount => ({
    ...{ company_id: `id of ${name}`, name, currency, due_date, amount, converted },
    ...{ documents: 1, unconverted: converted === "0.00" ? 1 : 0 },
  });
  const zero = { not_due: "0.00", days_1_30: "0.00", days_31_60: "0.00", days_61_90: "0.00", older: "0.00" };
  const aged = agedOf(
    [
      row("Aster", "EUR", "2026-05-01", "100.00", "100.00"),
      row("Aster", "EUR", "2026-05-31", "628.44", "628.44"),
      row("Bos", "EUR", "2026-01-01", "-71.56", "-71.56"),
      row("Bos", "USD", "2026-04-01", "500.00", "460.00"),
      row("Ceder", "USD", "2026-04-01", "9.00", "0.00"),
    ],
    "2026-05-31",
  );

  it("have an entry for each currency, the largest first", () => {
    expect(aged.clients).to.deep.equal([
      {
        ...{ company_id: "id of Aster", name: "Aster", currency: "EUR", ...zero, document_count: 2 },
        ...{ not_due: "628.44", days_1_30: "100.00", total: "728.44" },
      },
      {
        ...{ company_id: "id of Bos", name: "Bos", currency: "USD", ...zero, document_count: 1 },
        ...{ days_31_60: "500.00", total: "500.00" },
      },
      {
        ...{ company_id: "id of Ceder", name: "Ceder", currency: "USD", ...zero, document_count: 1 },
        ...{ days_31_60: "9.00", total: "9.00" },
      },
      {
        ...{ company_id: "id of Bos", name: "Bos", currency: "EUR", ...zero, document_count: 1 },
        ...{ older: "-71.56", total: "-71.56" },
      },
    ]);
  });

  it("have sums by currency, and in the organisation's", () => {
    expect(aged.totals.map(({ currency, total, document_count }) => [currency, total, document_count])).to.deep.equal([
      ["EUR", "656.88", 3],
      ["USD", "509.00", 2],
    ]);
    expect(aged.converted).to.deep.equal({
      ...{ ...zero, not_due: "628.44", days_1_30: "100.00", days_31_60: "460.00", older: "-71.56", total: "1116.88" },
    });
    expect(aged.unconverted_count).to.equal(1);
  });
});
