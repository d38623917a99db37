import { expect } from "chai";
import fc from "fast-check";
import { dateIn, isoWeekday } from "../../../core/calendar/calendar.ts";
import {
  type BudgetPeriod,
  budgetSources,
  burnDown,
  burnRatio,
  changesBackedBudget,
  clientBudget,
  effectiveBudget,
  hoursOf,
  type LinkedAgreement,
  monthlyHours,
  periodStart,
  type RolledUpProject,
  reachedThresholds,
} from "../../../services/work/projects/budgets/burn-down.ts";
import { anyDate, CASES, id } from "./support.ts";

const agreement = (over: Partial<LinkedAgreement> = {}): LinkedAgreement => ({
  subscription_id: id("s"),
  name: "Support",
  status: "active",
  included_hours: "27.00",
  interval: "quarterly",
  interval_count: 1,
  ...over,
});

describe("burn-down: worked example of §6", () => {
  const today = "2026-07-09";
  const budget = { budget_hours: "20.00", budget_period: "monthly" } as const;
  const from = periodStart("monthly", today) as string;
  const entries = [
    { at: "2026-06-30T20:59:00Z", minutes: 60, billable: true, approved: true, finished: true },
    { at: "2026-06-30T21:00:00Z", minutes: 30, billable: true, approved: true, finished: true },
    { at: "2026-07-03T09:00:00Z", minutes: 600, billable: true, approved: false, finished: true },
    { at: "2026-07-06T09:00:00Z", minutes: 45, billable: false, approved: true, finished: true },
    { at: "2026-07-09T09:00:00Z", minutes: 0, billable: true, approved: false, finished: false },
  ].filter(({ at, finished }) => finished && dateIn("Europe/Athens", at) >= from);
  const minutesOf = (counts: (entry: (typeof entries)[number]) => boolean) =>
    entries.filter(counts).reduce((total, { minutes }) => total + minutes, 0);
  const spent = {
    spent: minutesOf(() => true),
    billable: minutesOf(({ billable }) => billable),
    unapproved: minutesOf(({ approved }) => !approved),
  };
  const hours = { period: "monthly", period_start: "2026-07-01", spent_hours: 11.25, billable_hours: 10.5, unapproved_hours: 10 };

  it("on the project's own budget", () => {
    expect(from).to.equal("2026-07-01");
    expect(burnDown(budget, spent, today)).to.deep.equal({ ...hours, budget_hours: 20, remaining_hours: 8.75 });
  });

  it("backed by an active quarterly agreement", () => {
    const backed = effectiveBudget(budget, budgetSources([agreement()]));
    expect(burnDown(backed, spent, today)).to.deep.equal({ ...hours, budget_hours: 9, remaining_hours: -2.25 });
  });
});

describe("burn-down: periods", () => {
  const rows: [period: BudgetPeriod, today: string, start: string | null][] = [
    ["monthly", "2026-07-01", "2026-07-01"],
    ["monthly", "2026-07-31", "2026-07-01"],
    ["weekly", "2026-07-12", "2026-07-06"],
    ["weekly", "2026-07-13", "2026-07-13"],
    ["daily", "2026-01-09", "2026-01-09"],
    ["total", "2026-07-09", null],
  ];
  for (const [period, today, start] of rows)
    it(`${period} on ${today} began ${start ?? "never"}`, () => {
      expect(periodStart(period, today)).to.equal(start);
    });

  it("begin on or before today", () => {
    fc.assert(
      fc.property(
        anyDate("2020-01-01", "2030-12-31"),
        fc.constantFrom<BudgetPeriod>("monthly", "weekly", "daily"),
        (today, period) => {
          const start = periodStart(period, today) as string;
          expect(start <= today).to.equal(true);
          if (period === "monthly") expect(start).to.equal(`${today.slice(0, 7)}-01`);
          if (period === "weekly") expect(isoWeekday(start)).to.equal(1);
          if (period === "daily") expect(start).to.equal(today);
        },
      ),
      CASES,
    );
  });
});

describe("burn-down: hours and budgets", () => {
  const TODAY = "2026-07-09";
  const none = { spent: 0, billable: 0, unapproved: 0 };

  it("hours are rounded to 2 decimals", () => {
    expect([0, 1, 10, 20, 45, 50, 61, 6000].map(hoursOf)).to.deep.equal([0, 0.02, 0.17, 0.33, 0.75, 0.83, 1.02, 100]);
  });

  it("spending is reported without a budget, and a budget of 0 is one", () => {
    const spent = { spent: 90, billable: 60, unapproved: 30 };
    const figures = { period: "total", period_start: null, spent_hours: 1.5, billable_hours: 1, unapproved_hours: 0.5 };
    const own = (budget_hours: string | null) => burnDown({ budget_hours, budget_period: "total" }, spent, TODAY);
    expect(own(null)).to.deep.equal({ ...figures, budget_hours: null, remaining_hours: null });
    expect(own("0.00")).to.deep.equal({ ...figures, budget_hours: 0, remaining_hours: -1.5 });
    expect(burnDown({ budget_hours: "10.10", budget_period: "total" }, none, TODAY).remaining_hours).to.equal(10.1);
  });

  it("an agreement's hours are spread over the months it covers", () => {
    const monthly = (interval: LinkedAgreement["interval"], interval_count: number, included_hours: string) =>
      monthlyHours({ interval, interval_count, included_hours });
    expect([monthly("monthly", 1, "10"), monthly("quarterly", 1, "27"), monthly("yearly", 1, "100")]).to.deep.equal([
      10, 9, 8.33,
    ]);
    expect([monthly("monthly", 2, "10"), monthly("quarterly", 2, "10"), monthly("yearly", 2, "100")]).to.deep.equal([
      5, 1.67, 4.17,
    ]);
  });

  it("only active agreements with hours back a budget, by name", () => {
    const sources = budgetSources([
      agreement({ name: "b", subscription_id: id("s", 2) }),
      agreement({ name: "draft", status: "draft" }),
      agreement({ name: "paused", status: "paused" }),
      agreement({ name: "cancelled", status: "cancelled" }),
      agreement({ name: "no hours", included_hours: null }),
      agreement({ name: "zero", included_hours: "0.00" }),
      agreement({ name: "hidden", is_hidden: true }),
      agreement({ name: "A", subscription_id: id("s", 3), interval: "yearly", included_hours: "100.00" }),
      agreement({ name: "b", subscription_id: id("s", 1), interval: "monthly" }),
    ]);
    expect(sources).to.deep.equal([
      { subscription_id: id("s", 3), name: "A", included_hours: 100, monthly_hours: 8.33 },
      { subscription_id: id("s", 1), name: "b", included_hours: 27, monthly_hours: 27 },
      { subscription_id: id("s", 2), name: "b", included_hours: 27, monthly_hours: 9 },
    ]);
    const stored = { budget_hours: "20.00", budget_period: "weekly" } as const;
    expect(effectiveBudget(stored, [])).to.equal(stored);
    expect(burnDown(effectiveBudget(stored, sources), none, TODAY)).to.include({ budget_hours: 44.33, period: "monthly" });
  });

  it("a backed budget may be sent back, not changed", () => {
    const rows: [stored: string | null, sent: number | null | undefined, changes: boolean][] = [
      ["20.00", undefined, false],
      ["20.00", 20, false],
      ["20.00", 20.5, true],
      ["20.00", null, true],
      [null, null, false],
      [null, 0, true],
    ];
    for (const [stored, sent, changes] of rows) {
      expect(changesBackedBudget(stored, sent, [agreement()])).to.equal(changes);
      expect(changesBackedBudget(stored, sent, [agreement({ status: "paused" }), agreement({ is_hidden: true })])).to.equal(
        changes,
      );
      for (const none of [[], [agreement({ status: "draft" }), agreement({ included_hours: null })]])
        expect(changesBackedBudget(stored, sent, none)).to.equal(false);
    }
  });
});

describe("burn-down: client roll-up", () => {
  const project = (
    budget_hours: string | null,
    budget_period: BudgetPeriod,
    spent: number,
    all_time: number,
  ): RolledUpProject => ({
    budget_hours,
    budget_period,
    spent,
    billable: spent / 2,
    unapproved: spent / 4,
    all_time,
  });

  it("adds up the projects with a budget of their own", () => {
    const projects = [
      project("10.50", "monthly", 120, 600),
      project("4.00", "monthly", 60, 60),
      project(null, "total", 480, 480),
    ];
    expect(clientBudget(projects, 1320)).to.deep.equal({
      period: "monthly",
      project_count: 2,
      budget_hours: 14.5,
      spent_hours: 3,
      billable_hours: 1.5,
      unapproved_hours: 0.75,
      remaining_hours: 11.5,
      unbudgeted_hours: 11,
    });
  });

  it("names no period when they differ, and is never below nothing", () => {
    const mixed = clientBudget([project("1", "monthly", 120, 600), project("0", "weekly", 0, 0)], 500);
    expect(mixed).to.include({ period: null, project_count: 2, budget_hours: 1, remaining_hours: -1, unbudgeted_hours: 0 });
  });

  it("has no budget without a budgeted project", () => {
    expect(clientBudget([project(null, "total", 480, 480)], 600)).to.deep.equal({
      period: null,
      project_count: 0,
      budget_hours: null,
      spent_hours: 0,
      billable_hours: 0,
      unapproved_hours: 0,
      remaining_hours: null,
      unbudgeted_hours: 10,
    });
  });

  it("rounds after adding", () => {
    const projects = [project("1", "total", 20, 20), project("1", "total", 20, 20), project("1", "total", 20, 20)];
    expect(clientBudget(projects, 60)).to.include({ spent_hours: 1, remaining_hours: 2, unbudgeted_hours: 0 });
  });
});

describe("burn-down: ratio and thresholds", () => {
  it("a ratio needs a budget above nothing", () => {
    expect([burnRatio("10", 300), burnRatio("10.00", 900), burnRatio("0.00", 9), burnRatio(null, 9)]).to.deep.equal([
      0.5,
      1.5,
      null,
      null,
    ]);
  });

  const rows: [budget: string | null, minutes: number, reached: string][] = [
    ["10.00", 449, ""],
    ["10.00", 450, "75:75"],
    ["10.00", 599, "75:99"],
    ["10.00", 600, "75:100 100:100"],
    ["10.00", 1234, "75:205 100:205"],
    ["0.00", 100, ""],
    [null, 100, ""],
  ];
  for (const [budget, minutes, reached] of rows)
    it(`${minutes} minutes of ${budget ?? "no"} hours: ${reached || "none"}`, () => {
      const reported = reachedThresholds(budget, minutes).map(({ threshold, percent }) => `${threshold}:${percent}`);
      expect(reported.join(" ")).to.equal(reached);
    });
});
