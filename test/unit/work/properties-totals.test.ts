import { expect } from "chai";
import fc from "fast-check";
import { type LoggedEntry, minuteTotals, timesheetWeek } from "../../../services/work/days.ts";
import { burnDown } from "../../../services/work/projects/budgets/burn-down.ts";
import { costOf, revenueOf } from "../../../services/work/time/money.ts";
import { anyDate, CASES, id } from "./support.ts";

/** A finished entry with everything a report may ask of it. */
interface Entry extends LoggedEntry {
  readonly user_id: string;
  readonly approved: boolean;
  readonly invoiced: boolean;
  readonly rate: string | null;
}

const RATES = [null, "0.00", "0.01", "33.33", "72.50", "96.00"];
const anyEntry: fc.Arbitrary<Entry> = fc
  .record({
    user: fc.nat({ max: 5 }),
    company: fc.option(fc.nat({ max: 13 })),
    project: fc.option(fc.nat({ max: 2 })),
    day: anyDate("2025-12-20", "2026-01-12"),
    minutes: fc.nat({ max: 1440 }),
    billable: fc.boolean(),
    approved: fc.boolean(),
    invoiced: fc.boolean(),
  })
  .map(({ user, company, project, day, minutes, ...flags }) => ({
    ...flags,
    user_id: id("u", user),
    rate: RATES[user] ?? null,
    company_id: company === null ? null : id("c", company),
    project_id: project === null ? null : id("p", project),
    task_id: null,
    work_date: day,
    started_at: `${day}T09:00:00Z`,
    ended_at: `${day}T10:00:00Z`,
    minutes,
  }));
const anyEntries = fc.array(anyEntry, { minLength: 1, maxLength: 30 });

/** Every figure there is of a set of entries, but how many they are. */
function figuresOf(entries: readonly Entry[]): unknown {
  const minutesOf = (some: readonly Entry[]) => some.reduce((total, { minutes }) => total + minutes, 0);
  const spent = {
    spent: minutesOf(entries),
    billable: minutesOf(entries.filter(({ billable }) => billable)),
    unapproved: minutesOf(entries.filter(({ approved }) => !approved)),
  };
  const billable = entries.filter((entry) => entry.billable);
  const months = billable.map((entry) => ({
    ...entry,
    year: Number(entry.started_at.slice(0, 4)),
    month: Number(entry.started_at.slice(5, 7)),
  }));
  return {
    totals: minuteTotals(entries),
    week: timesheetWeek("2026-01-01", entries),
    cost: costOf(entries),
    revenue: revenueOf(
      2026,
      months,
      months.filter(({ year }) => year === 2026),
    ),
    hours: burnDown({ budget_hours: "40.00", budget_period: "total" }, spent, "2026-01-01"),
  };
}

describe("properties: totals", () => {
  it("splitting an entry changes no total", () => {
    fc.assert(
      fc.property(anyEntries, fc.nat(), fc.nat(), (entries, which, where) => {
        const at = which % entries.length;
        const whole = entries[at] as Entry;
        const first = where % (whole.minutes + 1);
        const parts = [
          { ...whole, minutes: first },
          { ...whole, minutes: whole.minutes - first },
        ];
        expect(figuresOf(entries.toSpliced(at, 1, ...parts))).to.deep.equal(figuresOf(entries));
      }),
      CASES,
    );
  });

  it("no total depends on the grouping of minutes of one rate", () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const grouped = new Map<string, { rate: string | null; billable: boolean; minutes: number }>();
        for (const { rate, billable, minutes } of entries) {
          const group = grouped.get(`${rate} ${billable}`) ?? { rate, billable, minutes: 0 };
          grouped.set(`${rate} ${billable}`, { ...group, minutes: group.minutes + minutes });
        }
        expect(costOf([...grouped.values()])).to.deep.equal(costOf(entries));
      }),
      CASES,
    );
  });

  it("the clients named and the rest make up the year", () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const clients = entries.filter(({ billable }) => billable);
        const months = clients.map((entry) => ({ ...entry, year: 2026, month: Number(entry.work_date.slice(5, 7)) }));
        const { top_clients, other_revenue, rounding, total_current } = revenueOf(2026, months, clients);
        const named = top_clients.reduce((total, { revenue }) => total + revenue, 0);
        expect(named + other_revenue + rounding).to.be.closeTo(total_current, 1e-6);
        expect(Math.abs(rounding)).to.be.at.most(0.005 * 24);
        expect(total_current).to.be.closeTo(costOf(entries).billable_amount, 0.005 * 13);
        expect(top_clients.length).to.be.at.most(10);
        const revenues = top_clients.map(({ revenue }) => revenue);
        expect(revenues).to.deep.equal(revenues.toSorted((one, other) => other - one));
        if (top_clients.length > 0 && top_clients.length < 10) expect(other_revenue).to.equal(0);
      }),
      CASES,
    );
  });
});
