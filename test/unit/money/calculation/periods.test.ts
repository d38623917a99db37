import { expect } from "chai";
import fc from "fast-check";
import { addDays, type IsoDate } from "../../../../core/calendar/calendar.ts";
import {
  addPeriod,
  type Cycle,
  MOST_PERIODS,
  nextBoundary,
  openPeriods,
  periodMonths,
} from "../../../../core/calendar/periods.ts";
import { anyDate, CASES } from "./support.ts";

const cycle = (values: Partial<Cycle>): Cycle => ({
  next_invoice_date: "2026-06-15",
  start_date: "2026-01-15",
  end_date: null,
  created_on: "2026-01-15",
  months: 1,
  today: "2026-06-15",
  ...values,
});
const ends = (values: Partial<Cycle>): string[] => openPeriods(cycle(values)).periods.map(({ period_end }) => period_end);

describe("period boundaries", () => {
  const steps: [date: IsoDate, months: number, count: number, boundary: IsoDate][] = [
    ["2026-01-31", 1, 1, "2026-02-28"],
    ["2026-01-31", 1, 2, "2026-03-28"],
    ["2028-01-31", 1, 2, "2028-03-29"],
    ["2026-01-31", 3, 1, "2026-04-30"],
    ["2026-01-31", 3, 2, "2026-07-30"],
    ["2028-02-29", 12, 1, "2029-02-28"],
    ["2028-02-29", 12, 4, "2032-02-28"],
    ["2026-03-31", 1, -1, "2026-02-28"],
    ["2026-03-31", 1, -2, "2026-01-28"],
    ["2026-03-31", 1, 0, "2026-03-31"],
  ];
  for (const [date, months, count, boundary] of steps)
    it(`${count} of ${months} months from ${date} is ${boundary}`, () => {
      expect(addPeriod(date, months, count)).to.equal(boundary);
    });

  const atEnd: [date: IsoDate, months: number, count: number, boundary: IsoDate][] = [
    ["2026-01-31", 1, 1, "2026-02-28"],
    ["2026-01-31", 1, 2, "2026-03-31"],
    ["2026-01-15", 1, 1, "2026-02-28"],
    ["2028-02-29", 12, 1, "2029-02-28"],
    ["2028-02-29", 12, 4, "2032-02-29"],
    ["2026-03-31", 1, -1, "2026-02-28"],
    ["2026-03-31", 1, -2, "2026-01-31"],
  ];
  for (const [date, months, count, boundary] of atEnd)
    it(`${count} of ${months} months from ${date} to a month's end is ${boundary}`, () => {
      expect(addPeriod(date, months, count, "month_end")).to.equal(boundary);
    });

  it("the last boundary of the calendar is the end of its last month", () => {
    expect(nextBoundary("9999-11-30", 1, null, "month_end")).to.equal("9999-12-31");
    expect(nextBoundary("9999-12-31", 1, null, "month_end")).to.equal(null);
  });

  it("open periods with the anchor at the end of a month do not drift", () => {
    const open = { start_date: "2025-12-31", created_on: "2025-12-31", next_invoice_date: "2026-04-30" };
    expect(ends({ ...open, anchor: "month_end" })).to.deep.equal(["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"]);
  });

  const lengths: [interval: "monthly" | "quarterly" | "yearly", count: number, months: number][] = [
    ["monthly", 1, 1],
    ["monthly", 12, 12],
    ["quarterly", 2, 6],
    ["yearly", 12, 144],
  ];
  for (const [interval, count, months] of lengths)
    it(`${count} × ${interval} is ${months} months`, () => {
      expect(periodMonths(interval, count)).to.equal(months);
    });

  const nexts: [date: IsoDate, months: number, end: IsoDate | null, next: IsoDate | null][] = [
    ["2026-01-15", 1, null, "2026-02-15"],
    ["2026-01-15", 1, "2026-02-15", "2026-02-15"],
    ["2026-01-15", 1, "2026-02-14", null],
    ["9999-11-30", 1, null, "9999-12-30"],
    ["9999-12-01", 1, null, null],
    ["9998-12-31", 12, null, "9999-12-31"],
    ["9999-01-01", 12, null, null],
  ];
  for (const [date, months, end, next] of nexts)
    it(`after ${date} comes ${next} with ${months} months until ${end}`, () => {
      expect(nextBoundary(date, months, end)).to.equal(next);
    });
});

describe("open periods", () => {
  it("are absent without a next boundary", () => {
    expect(openPeriods(cycle({ next_invoice_date: null }))).to.deep.equal({ periods: [], truncated: false });
  });

  it("adjoin, oldest first, and say which lie ahead", () => {
    expect(openPeriods(cycle({ start_date: "2026-03-15", created_on: "2026-03-15", today: "2026-05-15" })).periods).to.deep.equal(
      [
        { period_start: "2026-03-15", period_end: "2026-04-15", future: false },
        { period_start: "2026-04-15", period_end: "2026-05-15", future: false },
        { period_start: "2026-05-15", period_end: "2026-06-15", future: true },
      ],
    );
  });

  const rows: [what: string, values: Partial<Cycle>, ends: string[]][] = [
    ["stop where one would start before the agreement", { start_date: "2026-04-16" }, ["2026-06-15"]],
    ["hold one that starts with the agreement", { start_date: "2026-04-15" }, ["2026-05-15", "2026-06-15"]],
    ["stop where one ends before the record was made", { created_on: "2026-05-16" }, ["2026-06-15"]],
    ["hold one that ends the day the record was made", { created_on: "2026-05-15" }, ["2026-05-15", "2026-06-15"]],
    ["hold none past the end", { end_date: "2026-05-15", created_on: "2026-04-01" }, ["2026-04-15", "2026-05-15"]],
    ["hold none that ends a day past it", { end_date: "2026-05-14", created_on: "2026-04-01" }, ["2026-04-15"]],
    ["are none when the first would start too early", { start_date: "2026-05-16" }, []],
    ["are none when the boundary is before the start", { next_invoice_date: "2025-12-15" }, []],
    ["are quarters too", { months: 3, start_date: "2025-12-15", created_on: "2025-12-15" }, ["2026-03-15", "2026-06-15"]],
    ["reach back to the first day of the calendar", { next_invoice_date: "0001-01-20", start_date: "0001-01-01", created_on: "0001-01-01" }, []], // biome-ignore format: a row
  ];
  for (const [what, values, expected] of rows)
    it(what, () => {
      expect(ends(values)).to.deep.equal(expected);
    });

  it("are the newest 24, and say that there were more", () => {
    const since = (start_date: IsoDate) => openPeriods(cycle({ start_date, created_on: start_date }));
    const exact = since("2024-06-15");
    expect([exact.periods.length, exact.truncated]).to.deep.equal([MOST_PERIODS, false]);
    const more = since("2024-05-15");
    expect([more.periods.length, more.truncated, more.periods[0]?.period_end]).to.deep.equal([MOST_PERIODS, true, "2024-07-15"]);
    expect(more.periods.at(-1)?.period_end).to.equal("2026-06-15");
  });

  it("are whole, separate, within the agreement and none before its record", () => {
    const anyCycle = fc.record({
      next_invoice_date: anyDate("2020-01-01", "2030-12-31"),
      start_date: anyDate("2019-01-01", "2027-12-31"),
      end_date: fc.option(anyDate("2020-01-01", "2030-12-31")),
      created_on: anyDate("2019-01-01", "2027-12-31"),
      months: fc.constantFrom(1, 2, 3, 12, 36),
      today: anyDate("2020-01-01", "2030-12-31"),
    });
    fc.assert(
      fc.property(anyCycle, (one) => {
        const { periods } = openPeriods(one);
        expect(periods.length).to.be.at.most(MOST_PERIODS);
        periods.forEach(({ period_start, period_end, future }, index) => {
          expect(period_start).to.equal(addPeriod(period_end, one.months, -1));
          expect(period_start >= one.start_date && period_end >= one.created_on).to.equal(true);
          expect(period_end <= (one.end_date ?? "9999-12-31") && period_end <= one.next_invoice_date).to.equal(true);
          expect(future).to.equal(period_end > one.today);
          if (index > 0) expect(period_start).to.equal(periods[index - 1]?.period_end);
        });
      }),
      CASES,
    );
  });
});

/** What happens to an agreement between two runs of the cycle job. */
type Step =
  | { readonly act: "days"; readonly days: number }
  | { readonly act: "pause" | "resume" | "by hand" }
  | { readonly act: "re-date"; readonly date: IsoDate }
  | { readonly act: "end"; readonly date: IsoDate | null };

describe("billing of an agreement over time", () => {
  const anyStep: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 70 }).map((days) => ({ act: "days" as const, days })) },
    fc.constantFrom({ act: "pause" as const }, { act: "resume" as const }, { act: "by hand" as const }),
    anyDate("2025-12-01", "2027-12-31").map((date) => ({ act: "re-date" as const, date })),
    fc.option(anyDate("2026-03-01", "2027-12-31")).map((date) => ({ act: "end" as const, date })),
  );
  const START = "2026-01-15";

  /** Runs the job every day, as §9 says; claims are stored by the end of a period, as in the table. */
  function bill(months: number, steps: readonly Step[], { redated = true } = {}) {
    const claims: IsoDate[] = [];
    let today: IsoDate = START;
    let status = "active";
    let end: IsoDate | null = null;
    let next = nextBoundary(START, months, end);
    const claim = (boundary: IsoDate) => {
      if (!claims.includes(boundary)) claims.push(boundary);
    };
    const offered = () =>
      openPeriods({ next_invoice_date: next, start_date: START, end_date: end, created_on: START, months, today });
    for (const step of steps) {
      if (step.act === "days")
        for (let day = 0; day < step.days; day++) {
          today = addDays(today, 1);
          if (status !== "active" || next === null || next > today) continue;
          claim(next);
          next = nextBoundary(next, months, end);
        }
      if (step.act === "pause") status = "paused";
      if (step.act === "resume") status = "active";
      if (step.act === "by hand") for (const { period_end, future } of offered().periods) if (!future) claim(period_end);
      if (redated && step.act === "re-date") next = step.date;
      if (redated && step.act === "end") end = step.date;
    }
    return { claims, offered: offered().periods.map(({ period_end }) => period_end), next };
  }

  const history = fc.tuple(fc.constantFrom(1, 2, 3, 12), fc.array(anyStep, { maxLength: 25 }));

  it("bills each period once, through pauses, resumptions and new dates", () => {
    fc.assert(
      fc.property(history, ([months, steps]) => {
        const { claims, offered } = bill(months, steps);
        expect(new Set(claims).size).to.equal(claims.length);
        expect(new Set(offered).size).to.equal(offered.length);
      }),
      CASES,
    );
  });

  it("leaves out no period between two bills, and none overlaps, as long as it is not re-dated", () => {
    fc.assert(
      fc.property(history, ([months, steps]) => {
        const { claims } = bill(months, steps, { redated: false });
        const boundaries = claims.map((_, index) => addPeriod(START, months, index + 1));
        expect([...claims].sort()).to.deep.equal(boundaries);
      }),
      CASES,
    );
  });

  it("offers all unbilled periods of the time it was paused", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), (months) => {
        const next = addPeriod(START, 1, months + 1);
        const paused = cycle({ next_invoice_date: next, start_date: START, created_on: START, today: next });
        expect(openPeriods(paused).periods).to.have.lengthOf(months + 1);
      }),
      CASES,
    );
  });
});
