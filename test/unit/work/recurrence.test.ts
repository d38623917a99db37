import { expect } from "chai";
import fc from "fast-check";
import {
  addMonths,
  daysBetween,
  daysInMonth,
  type IsoDate,
  isoWeekday,
  startOf,
  yearOf,
} from "../../../core/calendar/calendar.ts";
import {
  followingDates,
  hasNextDate,
  nextDate,
  nextOccurrence,
  nextRun,
  type RecurrenceFreq,
  type RecurrenceWeek,
  readRecurrence,
  runsOn,
  type SentRecurrence,
  step,
  WEEKS,
} from "../../../services/work/tasks/recurrence/recurrence.ts";
import { anyDate, CASES, id, refused } from "./support.ts";

const datesOf = (sent: SentRecurrence, due: IsoDate | null, today: IsoDate): IsoDate[] => {
  const rule = readRecurrence(sent);
  const first = nextDate(rule, due, today);
  return [first, ...followingDates(rule, first)];
};

describe("recurrence: worked examples of §6", () => {
  const rows: [rule: SentRecurrence, due: IsoDate | null, today: IsoDate, dates: string][] = [
    [{ freq: "monthly" }, "2026-01-31", "2026-01-10", "2026-02-28 2026-03-28 2026-04-28"],
    [{ freq: "monthly", on_day: 30 }, null, "2026-04-08", "2026-04-30 2026-05-30 2026-06-30"],
    [{ freq: "monthly", on_day: 30 }, null, "2026-04-30", "2026-05-30 2026-06-30 2026-07-30"],
    [{ freq: "monthly", on_day: 31 }, "2026-05-31", "2026-05-31", "2026-06-30 2026-07-31 2026-08-31"],
    [{ freq: "quarterly" }, "2025-11-30", "2026-03-04", "2026-05-28 2026-08-28 2026-11-28"],
    [{ freq: "weekly", on_weekday: 4 }, null, "2026-03-11", "2026-03-13 2026-03-20 2026-03-27"],
    [{ freq: "weekly", on_weekday: 2 }, null, "2026-03-13", "2026-03-18 2026-03-25 2026-04-01"],
    [{ freq: "weekly", interval: 2 }, "2026-03-02", "2026-03-20", "2026-03-30 2026-04-13 2026-04-27"],
    [{ freq: "yearly", on_day: 29, on_month: 2 }, null, "2026-06-01", "2027-02-28 2028-02-29 2029-02-28"],
  ];
  for (const [rule, due, today, dates] of rows)
    it(`${JSON.stringify(rule)} due ${due ?? "never"}, today ${today}`, () => {
      expect(datesOf(rule, due, today).join(" ")).to.equal(dates);
    });

  it("the chain of schedule mode", () => {
    const weekly = readRecurrence({ freq: "weekly", mode: "schedule" });
    expect(nextRun(weekly, "2026-09-07", "2026-09-03")).to.equal("2026-09-14");
    expect([runsOn("2026-09-14", "2026-09-13"), runsOn("2026-09-14", "2026-09-14"), runsOn(null, "2026-09-14")]).to.deep.equal([
      false,
      true,
      false,
    ]);
    expect(nextOccurrence(weekly, "2026-09-07", "2026-09-14")).to.deep.equal({
      due_date: "2026-09-21",
      recurrence_next_run: "2026-09-21",
    });
    expect(nextOccurrence(weekly, "2026-09-21", "2026-09-21").due_date).to.equal("2026-09-28");
  });
});

describe("recurrence: steps and dates", () => {
  const rows: [what: string, rule: SentRecurrence, due: IsoDate | null, today: IsoDate, dates: string][] = [
    ["days", { freq: "daily", interval: 10 }, "2026-02-20", "2026-02-20", "2026-03-02 2026-03-12 2026-03-22"],
    ["from today without a due date", { freq: "daily" }, null, "2026-12-31", "2027-01-01 2027-01-02 2027-01-03"],
    ["a due date ahead is stepped over all the same", { freq: "daily" }, "2026-05-10", "2026-05-01", "2026-05-11 2026-05-12 2026-05-13"],
    ["a date on today is not ahead", { freq: "daily" }, "2026-05-09", "2026-05-10", "2026-05-11 2026-05-12 2026-05-13"],
    ["a due date long past", { freq: "daily", interval: 7 }, "1926-05-02", "2026-05-02", "2026-05-03 2026-05-10 2026-05-17"],
    ["a weekday earlier in its week", { freq: "weekly", on_weekday: 0 }, "2026-03-15", "2026-03-01", "2026-03-16 2026-03-23 2026-03-30"],
    ["Sunday is the last of a week", { freq: "weekly", on_weekday: 6 }, "2026-03-09", "2026-03-09", "2026-03-22 2026-03-29 2026-04-05"],
    ["weeks with an anchor, long past", { freq: "weekly", interval: 3, on_weekday: 1 }, "2025-01-01", "2026-03-10", "2026-03-17 2026-04-07 2026-04-28"],
    ["an anchor passed this week steps the whole interval", { freq: "weekly", interval: 2, on_weekday: 0 }, null, "2026-03-11", "2026-03-23 2026-04-06 2026-04-20"],
    ["an anchor on today is not ahead", { freq: "weekly", on_weekday: 2 }, null, "2026-03-11", "2026-03-18 2026-03-25 2026-04-01"],
    ["a quarterly anchor in today's month", { freq: "quarterly", on_day: 31 }, null, "2026-04-02", "2026-04-30 2026-07-31 2026-10-31"],
    ["a quarterly anchor passed", { freq: "quarterly", on_day: 1 }, null, "2026-04-02", "2026-07-01 2026-10-01 2027-01-01"],
    ["a yearly anchor ahead this year", { freq: "yearly", on_day: 1, on_month: 9 }, null, "2026-06-01", "2026-09-01 2027-09-01 2028-09-01"],
    ["a yearly anchor in the stepped year", { freq: "yearly", on_day: 1, on_month: 9 }, "2026-12-24", "2026-06-01", "2027-09-01 2028-09-01 2029-09-01"],
    ["years without an anchor", { freq: "yearly", interval: 2 }, "2024-02-29", "2024-02-29", "2026-02-28 2028-02-28 2030-02-28"],
    ["two weekdays, in and after a week", { freq: "weekly", on_weekdays: [1, 3] }, "2026-03-03", "2026-03-03", "2026-03-05 2026-03-10 2026-03-12"],
    ["several weekdays every other week (RFC 5545, TU and TH)", { freq: "weekly", interval: 2, on_weekdays: [3, 1] }, "1997-09-02", "1997-09-02", "1997-09-04 1997-09-16 1997-09-18"],
    ["several weekdays, long past", { freq: "weekly", interval: 3, on_weekdays: [0, 2, 4] }, "2025-01-06", "2026-03-10", "2026-03-23 2026-03-25 2026-03-27"],
    ["several weekdays without a due date", { freq: "weekly", on_weekdays: [0, 4] }, null, "2026-03-11", "2026-03-13 2026-03-16 2026-03-20"],
    ["the first Friday (RFC 5545, 1FR)", { freq: "monthly", on_week: "first", on_weekday: 4 }, "1997-09-05", "1997-09-05", "1997-10-03 1997-11-07 1997-12-05"],
    ["the last Monday of months of 30, 31 and 28 days", { freq: "monthly", on_week: "last", on_weekday: 0 }, null, "2026-12-01", "2026-12-28 2027-01-25 2027-02-22"],
    ["a weekday of this month that is ahead", { freq: "quarterly", on_week: "third", on_weekday: 2 }, null, "2026-01-10", "2026-01-21 2026-04-15 2026-07-15"],
    ["a month that begins on the weekday", { freq: "monthly", on_week: "second", on_weekday: 6 }, "2026-01-11", "2026-01-11", "2026-02-08 2026-03-08 2026-04-12"],
    ["the last Thursday of November", { freq: "yearly", on_week: "last", on_weekday: 3, on_month: 11 }, "2026-06-01", "2026-06-01", "2027-11-25 2028-11-30 2029-11-29"],
    ["months over a year's end", { freq: "monthly", interval: 5 }, "2026-08-15", "2026-08-15", "2027-01-15 2027-06-15 2027-11-15"],
  ]; // biome-ignore format: a table
  for (const [what, rule, due, today, dates] of rows)
    it(what, () => {
      expect(datesOf(rule, due, today).join(" ")).to.equal(dates);
    });

  it("has a next run in schedule mode only", () => {
    const after = readRecurrence({ freq: "daily" });
    expect(nextRun(after, "2026-01-01", "2026-01-01")).to.equal(null);
    expect(nextRun(null, "2026-01-01", "2026-01-01")).to.equal(null);
    expect(nextRun({ ...after, mode: "schedule" }, null, "2026-01-01")).to.equal("2026-01-02");
  });

  it("an occurrence made on completion has a due date and no run", () => {
    expect(nextOccurrence(readRecurrence({ freq: "weekly" }), "2026-09-07", "2026-09-03")).to.deep.equal({
      due_date: "2026-09-14",
      recurrence_next_run: null,
    });
  });

  it("refuses a step out of the calendar on the field", () => {
    for (const freq of ["daily", "weekly", "monthly", "yearly"] as const) {
      expect(refused(() => nextDate(readRecurrence({ freq, interval: 365 }), "9999-06-01", "2026-01-01"))).to.equal(
        "recurrence=errors.validation",
      );
    }
    const sundays = readRecurrence({ freq: "weekly", on_weekday: 6 });
    expect(refused(() => nextDate(sundays, "9999-12-20", "2026-01-01"))).to.equal("recurrence=errors.validation");
    expect(refused(() => nextDate(sundays, "2026-01-01", "9999-12-30"))).to.equal("recurrence=errors.validation");
    expect(nextDate(readRecurrence({ freq: "daily" }), "9999-12-30", "2026-01-01")).to.equal("9999-12-31");
    const dues = ["9999-12-30", "9999-12-31", null];
    expect(dues.map((due) => hasNextDate(readRecurrence({ freq: "daily" }), due, "2026-01-01"))).to.deep.equal([
      true,
      false,
      true,
    ]);
  });
});

describe("recurrence: reading a rule", () => {
  it("fills in omitted fields, and drops seconds", () => {
    expect(readRecurrence({ freq: "daily" })).to.deep.equal({
      freq: "daily",
      interval: 1,
      mode: "after_completion",
      on_weekday: null,
      on_weekdays: null,
      on_week: null,
      on_day: null,
      on_month: null,
      plan: null,
    });
    expect(readRecurrence({ freq: "weekly", on_weekdays: [4, 0] }).on_weekdays).to.deep.equal([0, 4]);
    const plan = { user_id: id("u").toUpperCase(), start_time: "09:30:00", duration_minutes: 45 };
    const none = { on_weekdays: null, on_week: null, on_day: null, on_month: null };
    const rule = { freq: "weekly", interval: 3, mode: "schedule", on_weekday: 0, ...none } as const;
    expect(readRecurrence({ ...rule, plan })).to.deep.equal({
      ...rule,
      plan: { user_id: id("u"), start_time: "09:30", duration_minutes: 45 },
    });
    expect(readRecurrence({ ...rule, plan: { start_time: "09:30", duration_minutes: 5 } }).plan).to.deep.equal({
      user_id: null,
      start_time: "09:30",
      duration_minutes: 5,
    });
  });

  const rows: [rule: SentRecurrence, field: string | null][] = [
    [{ freq: "daily", on_weekday: 0 }, "on_weekday"],
    [{ freq: "daily", on_day: 1 }, "on_day"],
    [{ freq: "daily", on_month: 1 }, "on_month"],
    [{ freq: "weekly", on_weekday: 0 }, null],
    [{ freq: "weekly", on_day: 1 }, "on_day"],
    [{ freq: "weekly", on_month: 1 }, "on_month"],
    [{ freq: "monthly", on_weekday: 0 }, "on_weekday"],
    [{ freq: "monthly", on_day: 1 }, null],
    [{ freq: "monthly", on_month: 1 }, "on_month"],
    [{ freq: "quarterly", on_weekday: 0 }, "on_weekday"],
    [{ freq: "quarterly", on_day: 1 }, null],
    [{ freq: "quarterly", on_month: 1 }, "on_month"],
    [{ freq: "yearly", on_weekday: 0 }, "on_weekday"],
    [{ freq: "yearly", on_day: 1 }, "on_month"],
    [{ freq: "yearly", on_month: 1 }, "on_month"],
    [{ freq: "yearly", on_day: 31, on_month: 2 }, null],
    [{ freq: "yearly" }, null],
    [{ freq: "daily", on_weekdays: [0] }, "on_weekdays"],
    [{ freq: "daily", on_week: "first" }, "on_week"],
    [{ freq: "weekly", on_weekdays: [0, 6] }, null],
    [{ freq: "weekly", on_weekdays: [0], on_weekday: 0 }, "on_weekdays"],
    [{ freq: "weekly", on_week: "first", on_weekday: 0 }, "on_week"],
    [{ freq: "monthly", on_weekdays: [0] }, "on_weekdays"],
    [{ freq: "monthly", on_week: "first" }, "on_week"],
    [{ freq: "monthly", on_week: "last", on_weekday: 0 }, null],
    [{ freq: "monthly", on_week: "last", on_weekday: 0, on_day: 1 }, "on_week"],
    [{ freq: "quarterly", on_week: "fourth", on_weekday: 6 }, null],
    [{ freq: "yearly", on_week: "last", on_weekday: 3 }, "on_month"],
    [{ freq: "yearly", on_week: "last", on_weekday: 3, on_month: 11 }, null],
    [{ freq: "yearly", on_week: "last", on_weekday: 3, on_month: 11, on_day: 1 }, "on_week"],
  ];
  for (const [rule, field] of rows)
    it(`${JSON.stringify(rule)} ${field === null ? "is a rule" : `names ${field}`}`, () => {
      expect(refused(() => readRecurrence(rule))).to.equal(field && `recurrence=errors.tasks_recurrence_anchor:${field}`);
    });
});

describe("recurrence: properties", () => {
  const MONTHS: Partial<Record<RecurrenceFreq, number>> = { monthly: 1, quarterly: 3, yearly: 12 };
  const anyRule = fc
    .record({
      freq: fc.constantFrom<RecurrenceFreq>("daily", "weekly", "monthly", "quarterly", "yearly"),
      interval: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 365 })),
      weekday: fc.option(fc.integer({ min: 0, max: 6 })),
      weekdays: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 })),
      week: fc.option(fc.constantFrom(...WEEKS)),
      day: fc.option(fc.integer({ min: 1, max: 31 })),
      month: fc.integer({ min: 1, max: 12 }),
    })
    .map(({ freq, interval, weekday, weekdays, week, day, month }) => {
      if (freq === "daily") return readRecurrence({ freq, interval });
      if (freq === "weekly")
        return readRecurrence({ freq, interval, ...(weekdays ? { on_weekdays: weekdays } : { on_weekday: weekday }) });
      const anchor = week !== null && weekday !== null ? { on_week: week, on_weekday: weekday } : { on_day: day };
      const hasMonth = freq === "yearly" && Object.values(anchor).every((value) => value !== null);
      return readRecurrence({ freq, interval, ...anchor, on_month: hasMonth ? month : null });
    });
  /** Whether a date is that weekday of its month, counted day by day. */
  const isOn = (date: IsoDate, week: RecurrenceWeek, weekday: number): boolean => {
    const month = Array.from({ length: 31 }, (_, index) => `${date.slice(0, 8)}${String(index + 1).padStart(2, "0")}`)
      .filter((day) => Number(day.slice(8)) <= daysInMonth(yearOf(date), Number(date.slice(5, 7))))
      .filter((day) => isoWeekday(day) === weekday + 1);
    return (week === "last" ? month.at(-1) : month[WEEKS.indexOf(week)]) === date;
  };
  const anyDay = anyDate("1996-01-01", "2040-12-31");

  it("steps are strictly increasing, as long as the rule says, and never leave the anchor", () => {
    fc.assert(
      fc.property(anyRule, anyDay, (rule, start) => {
        let before = start;
        for (const date of followingDates(rule, start, 6)) {
          expect(date > before).to.equal(true);
          const months = MONTHS[rule.freq];
          const monthsOf = (one: IsoDate) => yearOf(one) * 12 + Number(one.slice(5, 7));
          if (rule.freq === "daily") expect(daysBetween(before, date)).to.equal(rule.interval);
          const weeks = daysBetween(startOf("week", before), startOf("week", date)) / 7;
          if (rule.on_weekdays) {
            expect(rule.on_weekdays).to.include(isoWeekday(date) - 1);
            expect(weeks).to.be.oneOf([0, rule.interval]);
            // No day of the rule lies between the two.
            const between = rule.on_weekdays.filter(
              (day) => day + 1 > isoWeekday(before) && (weeks > 0 || day + 1 < isoWeekday(date)),
            );
            expect(between).to.deep.equal([]);
            if (weeks > 0) expect(rule.on_weekdays[0]).to.equal(isoWeekday(date) - 1);
          } else if (rule.freq === "weekly")
            expect(daysBetween(startOf("week", before), startOf("week", date))).to.equal(7 * rule.interval);
          if (rule.freq === "yearly") expect(yearOf(date) - yearOf(before)).to.equal(rule.interval);
          else if (months) expect(monthsOf(date) - monthsOf(before)).to.equal(months * rule.interval);
          const last = daysInMonth(yearOf(date), Number(date.slice(5, 7)));
          if (rule.on_weekday !== null) expect(isoWeekday(date)).to.equal(rule.on_weekday + 1);
          else if (rule.freq === "weekly" && !rule.on_weekdays) expect(isoWeekday(date)).to.equal(isoWeekday(before));
          if (rule.on_day !== null) expect(Number(date.slice(8))).to.equal(Math.min(rule.on_day, last));
          else if (rule.on_week) expect(isOn(date, rule.on_week, rule.on_weekday as number)).to.equal(true);
          else if (months) expect(date).to.equal(addMonths(before, months * rule.interval));
          if (rule.on_month !== null) expect(Number(date.slice(5, 7))).to.equal(rule.on_month);
          before = date;
        }
      }),
      CASES,
    );
  });

  it("the next date is the first step from the due date that is later than today", () => {
    fc.assert(
      fc.property(anyRule, anyDay, anyDay, (rule, due, today) => {
        let date = step(rule, due);
        while (date <= today) date = step(rule, date);
        expect(nextDate(rule, due, today)).to.equal(date);
      }),
      CASES,
    );
  });

  it("a step on today is not later than today", () => {
    expect(nextDate(readRecurrence({ freq: "monthly" }), "2026-01-15", "2026-02-15")).to.equal("2026-03-15");
  });

  it("without a due date it is later than today, at most one step, and on the anchor", () => {
    fc.assert(
      fc.property(anyRule, anyDay, (rule, today) => {
        const date = nextDate(rule, null, today);
        expect(date > today && date <= step(rule, today)).to.equal(true);
        const anchoredOn = rule.on_weekday !== null || rule.on_day !== null;
        if (rule.on_week) expect(isOn(date, rule.on_week, rule.on_weekday as number)).to.equal(true);
        else if (anchoredOn)
          expect(step(rule, date).slice(8) === date.slice(8) || rule.on_day === null || rule.on_day > 28).to.equal(true);
        else expect(date).to.equal(step(rule, today));
        if (rule.on_weekday !== null) expect(isoWeekday(date)).to.equal(rule.on_weekday + 1);
      }),
      CASES,
    );
  });
});
