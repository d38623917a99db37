import { expect } from "chai";
import { type BudgetMoment, baseOf } from "../../../integrations/advertising/policy/budget-base.ts";
import { budgetRefusal } from "../../../integrations/advertising/policy/guard-rails.ts";

const moment = (is_recent: boolean, before: string | null, after: string | null): BudgetMoment => ({ is_recent, before, after });
const [recent, older] = [true, false];

describe("the amount from which a raise counts (marketing-ads §3.8)", () => {
  const cases: [text: string, moments: BudgetMoment[], now: string, base: string | null][] = [
    ["what it has now, where we did not change it", [], "10", "10"],
    ["what it has now, where the last change is older than 24 hours", [moment(older, "10", "14")], "14", "14"],
    ["what the first change of the day read", [moment(recent, "10", "14"), moment(recent, "14", "19")], "19", "10"],
    [
      "not what an older change left, if the provider had another amount",
      [moment(older, "5", "8"), moment(recent, "10", "14")],
      "14",
      "10",
    ],
    ["what it was created with today", [moment(recent, null, "10"), moment(recent, "10", "14")], "14", "10"],
    ["the last amount above zero before a zero", [moment(older, "10", "12"), moment(older, "12", "0")], "0", "12"],
    ["what was before a zero today", [moment(recent, "10", "0")], "0", "10"],
    ["what a zero followed that no write of ours set", [moment(older, "10", null), moment(recent, "0", "14")], "14", "10"],
    [
      "the first amount above zero, where there was none before",
      [moment(recent, null, "0"), moment(recent, "0", "50")],
      "50",
      "50",
    ],
    ["none, where it never had an amount", [moment(recent, null, "0")], "0", null],
    ["what was read, although the outcome of the change is not known", [moment(recent, "10", null)], "14", "10"],
  ];
  for (const [text, moments, now, base] of cases) it(`is ${text}`, () => expect(baseOf(moments, now)).to.equal(base));

  it("limits a raise, and neither a decrease nor a return to an amount within it", () => {
    const policy = { max_daily_budget: null, max_budget_increase: "0.4" };
    const refused = (amount: number, now: number, base: number | null) => budgetRefusal(amount, now, policy, "EUR", base);
    const tooLarge = { code: "ads_platform_budget_increase_too_large", limit: 14 };
    expect(refused(150, 0, 10)).to.deep.equal(tooLarge);
    expect(refused(14.01, 14, 10)).to.deep.equal(tooLarge);
    expect([refused(14, 2, 10), refused(14, 0, 10), refused(18, 20, 10), refused(150, 0, null)]).to.deep.equal([
      null,
      null,
      null,
      null,
    ]);
  });
});
