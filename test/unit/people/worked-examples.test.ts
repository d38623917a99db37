import { expect } from "chai";
import type { AvailabilityEntry, AvailabilityRule } from "../../../services/people/availability/availability.ts";
import { planImport } from "../../../services/people/holidays/holiday-import.ts";
import { dutchHolidays } from "../../../services/people/holidays/holidays.ts";
import { rederivedPots } from "../../../services/people/pots/derivation.ts";
import { derivedPots, type PotHolder } from "../../../services/people/pots/proration.ts";
import { dayEquivalents, hoursText } from "../../../services/people/working-time/hours.ts";
import { type WeekSources, weekOn } from "../../../services/people/working-time/schedule.ts";
import { type Span, spanCost } from "../../../services/people/working-time/span-cost.ts";
import { layOut } from "../../../services/people/working-time/team-layout.ts";
import { averageDayHours, averageDayMinutes, DEFAULT_WEEK, weekHours } from "../../../services/people/working-time/week.ts";
import { availabilityDay, contract, HOLIDAYS, holder, person, span, TYPES, UNEVEN_WEEK, weekOf } from "./support.ts";

/** Price and day equivalents as a preview answers them. */
function price(asked: Span, who: WeekSources = person(), holidays: ReadonlySet<string> = HOLIDAYS): string[] {
  const cost = spanCost(asked, who, holidays);
  return [cost.hours, dayEquivalents(cost.minutes, averageDayMinutes(weekOn(who, asked.start_date)))];
}

function pots(who: PotHolder, year: number): Record<string, string> {
  return Object.fromEntries(derivedPots(TYPES, who, year).map((derived) => [derived.leave_type_id, derived.hours]));
}

/** Pots of the seeded types: statutory, extra, free time; undefined where there is none. */
function threePots(who: PotHolder, year: number): (string | undefined)[] {
  const derived = pots(who, year);
  return [derived.vacation_statutory, derived.vacation_extra, derived.roostervrij];
}

const without = (...dates: string[]): Set<string> => new Set([...HOLIDAYS].filter((date) => !dates.includes(date)));

describe("people chapter §15: prices", () => {
  const cases: [name: string, asked: Span, who: WeekSources, hours: string, days: string][] = [
    ["1 an afternoon and a morning", span("2029-09-11 14:30", "2029-09-12 11:00"), person(), "5.00", "0.62"],
    ["1 around the break", span("2029-09-11 12:40", "2029-09-11 13:20"), person(), "0.33", "0.04"],
    ["1 clamped to the block", span("2029-09-11 07:00", "2029-09-11 19:00"), person(), "8.00", "1.00"],
    ["2 Christmas", span("2029-12-24", "2029-12-28"), person(), "24.00", "3.00"],
    ["3 Easter", span("2030-04-18", "2030-04-23"), person(), "16.00", "2.00"],
    ["4 uneven part-time", span("2029-09-10", "2029-09-16"), person({ default_schedule: UNEVEN_WEEK }), "15.75", "3.00"],
    ["5 rounding once", span("2029-09-10", "2029-09-14"), person({ default_schedule: weekOf("09:00-16:20") }), "36.67", "5.00"],
    [
      "5 twenty days of 7 h 20",
      span("2029-09-03", "2029-09-28"),
      person({ default_schedule: weekOf("09:00-16:20") }),
      "146.67",
      "20.00",
    ],
    [
      "6 contract boundary",
      span("2029-08-27", "2029-09-05"),
      person({
        contracts: [contract("2029-01-01", "2029-08-31", { schedule: UNEVEN_WEEK }), contract("2029-09-01", null)],
      }),
      "39.75",
      "7.57",
    ],
  ];
  for (const [name, asked, who, hours, days] of cases) {
    it(`${name}: ${hours} h, ${days} days`, () => expect(price(asked, who)).to.deep.equal([hours, days]));
  }

  it("2 Christmas: 8 + 0 + 0 + 8 + 8", () => {
    const { breakdown } = spanCost(span("2029-12-24", "2029-12-28"), person(), HOLIDAYS);
    expect(breakdown.map((day) => [day.hours, day.reason])).to.deep.equal([
      ["8.00", null],
      ["0.00", "holiday"],
      ["0.00", "holiday"],
      ["8.00", null],
      ["8.00", null],
    ]);
  });

  it("3 Good Friday deactivated: 24.00, and an import of the year answers 0/0/11", () => {
    expect(price(span("2030-04-18", "2030-04-23"), person(), without("2030-04-19"))).to.deep.equal(["24.00", "3.00"]);
    const rows = dutchHolidays(2030).map((row) => ({ ...row, id: row.key, active: row.key !== "goede_vrijdag" }));
    const plan = planImport(2030, dutchHolidays(2030), rows);
    expect([plan.create.length, plan.move.length, plan.skipped]).to.deep.equal([0, 0, 11]);
  });

  it("4 uneven part-time: 15.75 a week, average day 5.25", () => {
    expect([weekHours(UNEVEN_WEEK), averageDayHours(UNEVEN_WEEK)]).to.deep.equal(["15.75", "5.25"]);
  });

  it("5 rounding once: each day shows 7.33", () => {
    const cost = spanCost(span("2029-09-10", "2029-09-14"), person({ default_schedule: weekOf("09:00-16:20") }), HOLIDAYS);
    expect(cost.breakdown.map((day) => day.hours)).to.deep.equal(Array(5).fill("7.33"));
  });
});

describe("people chapter §15: pots", () => {
  const five = weekOf("08:30-16:36 12:30-13:00");
  const whole = (over: object): PotHolder => holder({ contracts: [contract("2030-01-01", null, over)] });
  const cases: [name: string, who: PotHolder, year: number, expected: (string | undefined)[]][] = [
    ["7 mid-year hire", holder({ contracts: [contract("2030-05-20", null, 32)] }), 2030, ["79.25", "19.81", "260.00"]],
    [
      "8 change in a leap year",
      holder({ contracts: [contract("2028-01-01", "2028-08-31", 28), contract("2028-09-01", null, 36)] }),
      2028,
      ["122.67", "30.67", "488.00"],
    ],
    ["9 departure", holder({ contracts: [contract("2029-01-01", "2030-03-15", 40)] }), 2030, ["32.44", "8.11", undefined]],
    [
      "10 employee to freelance",
      holder({
        contracts: [
          contract("2030-01-01", "2030-06-30", 24),
          contract("2030-07-01", null, { employment_type: "freelance", contract_hours_per_week: null }),
        ],
      }),
      2030,
      ["47.61", "11.90", "412.00"],
    ],
    [
      "10 the year after",
      holder({
        contracts: [contract("2030-07-01", null, { employment_type: "freelance", contract_hours_per_week: 24 })],
      }),
      2031,
      [undefined, undefined, undefined],
    ],
    ["11 no contract", holder({ profile: { schedule: null, hours_per_week: 32 } }), 2030, ["128.00", "32.00", undefined]],
    [
      "12 free time in the roster",
      whole({ contract_hours_per_week: 32, free_time_hours_per_week: 0 }),
      2030,
      ["128.00", "32.00", undefined],
    ],
    [
      "12 agreed free time",
      whole({ contract_hours_per_week: 32, free_time_hours_per_week: 3 }),
      2030,
      ["128.00", "32.00", "156.00"],
    ],
    ["12 half days of 3.8", whole({ contract_hours_per_week: 38, schedule: five }), 2030, ["152.00", "38.00", "102.60"]],
  ];
  for (const [name, who, year, expected] of cases) {
    it(`${name}: ${expected.join(", ")}`, () => expect(threePots(who, year)).to.deep.equal(expected));
  }

  it("9 departure: the pots of 2031 vanish and nothing brings them back", () => {
    const stored = derivedPots(TYPES, holder({ contracts: [contract("2029-01-01", null, 40)] }), 2031);
    const left = holder({ contracts: [contract("2029-01-01", "2030-03-15", 40)] });
    const changes = rederivedPots(
      stored.map((derived) => ({ ...derived, source: "generated" as const })),
      derivedPots(TYPES, left, 2031),
      left.contracts,
      2031,
    );
    expect([changes.remove.length, changes.create.length]).to.deep.equal([2, 0]);
    expect(derivedPots(TYPES, left, 2031)).to.deep.equal([]);
  });
});

describe("people chapter §15: availability and team", () => {
  const entry = (
    id: string,
    kind: AvailabilityRule["kind"],
    date: string,
    over: Partial<AvailabilityEntry> = {},
  ): AvailabilityEntry => ({
    id,
    kind,
    date,
    start_time: null,
    end_time: null,
    repeat_weeks: null,
    repeat_until: null,
    pair_id: null,
    ...over,
  });
  const entries = [
    entry("a", "unavailable", "2030-09-09", { start_time: "13:00", repeat_weeks: 2 }),
    entry("b", "extra", "2030-09-10", { start_time: "07:00", end_time: "19:00" }),
    entry("c", "extra", "2030-09-14"),
    entry("d", "extra", "2030-09-15"),
    entry("e", "unavailable", "2030-09-15"),
    entry("f", "extra", "2030-09-21", { start_time: "10:00" }),
  ];
  const cases: [date: string, hours: string, change: string | null, windows: string][] = [
    ["2030-09-09", "4.00", "changed", "08:30-12:30"],
    ["2030-09-10", "11.50", "changed", "07:00-12:30 13:00-19:00"],
    ["2030-09-14", "8.00", "added", "08:30-12:30 13:00-17:00"],
    ["2030-09-15", "0.00", null, ""],
    ["2030-09-16", "8.00", null, "08:30-12:30 13:00-17:00"],
    ["2030-09-21", "14.00", "added", "10:00-23:59"],
    ["2030-09-23", "4.00", "changed", "08:30-12:30"],
  ];
  for (const [date, hours, change, windows] of cases) {
    it(`21 ${date}: ${hours} ${change ?? "as scheduled"}`, () => {
      const day = availabilityDay(date, person(), entries);
      expect([day.hours, day.change]).to.deep.equal([hours, change]);
      expect(day.windows.map(({ start, end }) => `${start}-${end}`).join(" ")).to.equal(windows);
      expect(day.deviates).to.equal(date !== "2030-09-16");
    });
  }

  it("22 team layout", () => {
    const cost = spanCost(
      span("2029-09-10", "2029-09-14"),
      person({ default_schedule: DEFAULT_WEEK }),
      new Set(["2029-09-12", "2029-09-13"]),
    );
    const days = layOut("40", cost).map((day) => day.hours);
    expect(days).to.deep.equal(["13.34", "13.33", "0.00", "0.00", "13.33"]);
    expect(hoursText("40")).to.equal("40.00");
  });
});
