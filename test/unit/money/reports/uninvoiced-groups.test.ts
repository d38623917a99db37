import { expect } from "chai";
import { entryRate } from "../../../../services/money/calculation/entry-rate.ts";
import { groupedHours, periodKey } from "../../../../services/money/reports/uninvoiced-groups.ts";

describe("the key of a period", () => {
  for (const [period, date, key] of [
    ["day", "2026-03-02", "2026-03-02"],
    ["week", "2027-01-03", "2026-W53"],
    ["week", "2027-01-04", "2027-W01"],
    ["week", "2025-12-29", "2026-W01"],
    ["month", "2026-03-02", "2026-03"],
    ["year", "2026-03-02", "2026"],
  ] as const)
    it(`of the ${period} of ${date} is ${key}`, () => expect(periodKey(period, date)).to.equal(key));
});

describe("hours in groups", () => {
  it("are summed by group, each amount rounded once", () => {
    const worked = (key: string, minutes: number, rate: string) => ({ key, label: key, count: 1, minutes, rate });
    expect(groupedHours([worked("b", 1, "0.30"), worked("b", 1, "0.30"), worked("a", 1, "0.30")], "EUR")).to.deep.equal({
      groups: [
        { key: "b", label: "b", count: 2, minutes: 2, amount: "0.01" },
        { key: "a", label: "a", count: 1, minutes: 1, amount: "0.01" },
      ],
      total: { count: 3, minutes: 3, amount: "0.02" },
    });
    expect(groupedHours([], "EUR")).to.deep.equal({ groups: [], total: { count: 0, minutes: 0, amount: "0.00" } });
  });
});

describe("the rate of an hour", () => {
  for (const [own_rate, default_rate, invoicing_rate, wanted] of [
    ["92.50", "60.00", "70.00", "92.50"],
    ["0.00", "60.00", "70.00", "0.00"],
    [null, "60.00", "70.00", "60.00"],
    [null, "0.00", "70.00", "0.00"],
    [null, null, "70.00", "70.00"],
    [null, null, null, "0.00"],
  ] as const)
    it(`is ${wanted} of ${own_rate}, ${default_rate} and ${invoicing_rate}`, () =>
      expect(entryRate({ own_rate, default_rate, invoicing_rate })).to.equal(wanted));
});
