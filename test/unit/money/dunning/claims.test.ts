import { expect } from "chai";
import { claimOn, type Debt, noticeOn } from "../../../../services/money/dunning/rules/claim.ts";
import { collectionCosts } from "../../../../services/money/dunning/rules/costs.ts";
import { type DunningLevel, nextNotice, payBy, type SentNotice } from "../../../../services/money/dunning/rules/levels.ts";
import { knownUntil, ratesWith, STATUTORY_RATES } from "../../../../services/money/dunning/rules/rates.ts";

const debt = (values: Partial<Debt> = {}): Debt => ({
  ...{ due_date: "2025-03-15", currency: "EUR", debtor: "business", total: "1028.44", credited_total: "0.00" },
  ...{ payments: [{ paid_on: "2025-04-10", amount: "400.00" }], notices: [] },
  ...values,
});
const claim = (values: Partial<Debt>, on: string, own: Parameters<typeof ratesWith>[0] = []) =>
  claimOn(debt(values), on, ratesWith(own));
const level = (days: number, values: Partial<DunningLevel> = {}): DunningLevel => ({
  ...{ days, pay_within: 7, texts: [], fee: "0.00", interest: false, costs: false },
  ...values,
});
const sent = (number: number, sent_on: string, values: Partial<SentNotice> = {}): SentNotice => ({
  ...{ level: number, sent_on, pay_by: sent_on, announces_costs: false, fee: "0.00" },
  ...values,
});

describe("statutory collection costs", () => {
  const rows: [principal: string, costs: string][] = [
    ["0", "0.00"],
    ["-5", "0.00"],
    ["0.01", "40.00"],
    ["266.66", "40.00"],
    ["266.70", "40.01"],
    ["1028.44", "154.27"],
    ["2500.00", "375.00"],
    ["2500.10", "375.01"],
    ["5000.00", "625.00"],
    ["10000.00", "875.00"],
    ["200000.00", "2775.00"],
    ["999999.00", "6775.00"],
    ["5000000.00", "6775.00"],
  ];
  for (const [principal, costs] of rows)
    it(`of ${principal} are ${costs}`, () => expect(collectionCosts(principal)).to.equal(costs));
});

describe("statutory interest", () => {
  it("has a part for each rate, open amount and calendar year, and bears interest after a year", () => {
    const { interest, interest_parts, principal, costs, total, days_late } = claim({}, "2026-08-01");
    expect(
      interest_parts.map(({ from, to, days, principal: open, compounded, rate, amount }) => [
        from,
        to,
        days,
        open,
        compounded,
        rate,
        amount,
      ]),
    ).to.deep.equal([
      ["2025-03-16", "2025-04-09", 25, "1028.44", "0.00", "11.15", "7.85"],
      ["2025-04-10", "2025-06-30", 82, "628.44", "0.00", "11.15", "15.74"],
      ["2025-07-01", "2025-12-31", 184, "628.44", "0.00", "10.15", "32.16"],
      ["2026-01-01", "2026-03-15", 74, "628.44", "0.00", "10.15", "12.93"],
      ["2026-03-16", "2026-06-30", 107, "628.44", "68.68", "10.15", "20.74"],
      ["2026-07-01", "2026-08-01", 32, "628.44", "68.68", "10.40", "6.36"],
    ]);
    expect([days_late, principal, interest, costs, total]).to.deep.equal([504, "628.44", "95.78", "154.27", "878.49"]);
  });

  it("is lower for a consumer, who owes no costs before the letter", () => {
    const { interest, costs, costs_from } = claim({ debtor: "consumer", payments: [] }, "2025-04-14");
    expect([interest, costs, costs_from]).to.deep.equal(["5.07", "0.00", null]);
  });

  it("marks days whose rate is not known yet, and takes rates of the organisation", () => {
    const late = { due_date: "2026-12-01", payments: [], total: "1000.00" };
    const shown = (own: Parameters<typeof ratesWith>[0]) =>
      claim(late, "2027-01-31", own).interest_parts.map(({ from, rate, amount, provisional }) => [
        from,
        rate,
        amount,
        provisional,
      ]);
    expect(knownUntil(STATUTORY_RATES)).to.equal("2026-12-31");
    expect(shown([])).to.deep.equal([
      ["2026-12-02", "10.40", "8.55", false],
      ["2027-01-01", "10.40", "8.83", true],
    ]);
    expect(shown([{ from: "2027-01-01", business: "10.00", consumer: "4.00" }])[1]).to.deep.equal([
      "2027-01-01",
      "10.00",
      "8.49",
      false,
    ]);
  });

  it("is in the smallest unit of the currency, and costs are of euros alone", () => {
    const { interest, costs, costs_from, total } = claim({ currency: "JPY", total: "100000.00", payments: [] }, "2025-04-14");
    expect([interest, costs, costs_from, total]).to.deep.equal(["916.00", null, null, "100916.00"]);
  });

  it("ends with the last payment, and a credit note takes it back from the beginning", () => {
    const paid = [{ paid_on: "2025-04-10", amount: "1028.44" }];
    const [settled, later] = [claim({ payments: paid }, "2025-04-10"), claim({ payments: paid }, "2026-04-10")];
    expect([settled.state, settled.interest, settled.costs]).to.deep.equal(["settled", "7.85", "154.27"]);
    expect(later.interest).to.equal("7.85");
    expect(claim({ credited_total: "528.44", payments: [] }, "2025-04-09").interest).to.equal("3.82");
    const gone = claim({ credited_total: "1028.44", payments: [] }, "2026-04-10");
    expect([gone.state, gone.total]).to.deep.equal(["none", "0.00"]);
    expect(claim({ payments: [{ paid_on: "2025-03-15", amount: "1028.44" }] }, "2026-04-10").total).to.equal("0.00");
    expect(claim({}, "2025-03-15").state).to.equal("none");
  });
});

describe("the levels of dunning", () => {
  const levels = [level(14), level(30, { interest: true, fee: "15.00" }), level(45, { interest: true, costs: true })];
  const next = (reached: number, notices: SentNotice[]) => nextNotice(levels, { due_date: "2026-06-01", reached, notices });

  it("come after their days, and keep their distance after a late start", () => {
    expect(next(0, [])).to.deep.equal({ level: 1, on: "2026-06-15" });
    expect(next(1, [sent(1, "2026-06-15")])).to.deep.equal({ level: 2, on: "2026-07-01" });
    expect(next(1, [sent(1, "2026-09-01")])).to.deep.equal({ level: 2, on: "2026-09-17" });
    expect(next(3, [sent(3, "2026-09-01")])).to.equal(null);
  });

  it("wait for the last day of the letter to a consumer", () => {
    const letter = sent(2, "2026-07-01", { announces_costs: true, pay_by: "2026-08-20" });
    expect(next(2, [sent(1, "2026-06-15"), letter])).to.deep.equal({ level: 3, on: "2026-08-21" });
  });

  it("give at least fourteen days to a consumer, and two for the post", () => {
    expect(payBy("2026-07-01", { pay_within: 7 }, false, false)).to.equal("2026-07-08");
    expect(payBy("2026-07-01", { pay_within: 7 }, true, false)).to.equal("2026-07-15");
    expect(payBy("2026-07-01", { pay_within: 20 }, true, true)).to.equal("2026-07-23");
  });

  it("claim interest, fees and costs as they are set, and fees count towards costs", () => {
    const notice = (number: number, on: string, values: Partial<Debt> = {}) => {
      const { interest, fees, costs, announced, total } = noticeOn(
        debt({ due_date: "2026-06-01", total: "121.00", payments: [], ...values }),
        [number, levels[number - 1] as DunningLevel],
        { on, byPost: false, rates: STATUTORY_RATES },
      );
      return [interest, fees, costs, announced, total];
    };
    expect(notice(1, "2026-06-15")).to.deep.equal(["0.00", "0.00", "0.00", null, "121.00"]);
    expect(notice(2, "2026-07-01")).to.deep.equal(["1.01", "15.00", "0.00", null, "137.01"]);
    expect(notice(3, "2026-07-16", { notices: [sent(2, "2026-07-01", { fee: "15.00" })] })).to.deep.equal([
      "1.53",
      "15.00",
      "25.00",
      null,
      "162.53",
    ]);
    const consumer = { debtor: "consumer" as const };
    expect(notice(2, "2026-07-01", consumer)).to.deep.equal(["0.40", "0.00", "0.00", null, "121.40"]);
    expect(notice(3, "2026-07-16", consumer)).to.deep.equal(["0.60", "0.00", "0.00", "40.00", "121.60"]);
    const letter = sent(3, "2026-07-16", { announces_costs: true, pay_by: "2026-07-30" });
    expect(
      claim({ ...consumer, due_date: "2026-06-01", total: "121.00", payments: [], notices: [letter] }, "2026-07-30").costs,
    ).to.equal("0.00");
    expect(
      claim({ ...consumer, due_date: "2026-06-01", total: "121.00", payments: [], notices: [letter] }, "2026-07-31").costs,
    ).to.equal("40.00");
    const inTime = { payments: [{ paid_on: "2026-07-30", amount: "121.00" }], notices: [letter] };
    expect(claim({ ...consumer, due_date: "2026-06-01", total: "121.00", ...inTime }, "2026-08-31").costs).to.equal("0.00");
  });
});
