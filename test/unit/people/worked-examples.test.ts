import { expect } from "chai";
import type { AvailabilityEntry, AvailabilityRule } from "../../../services/people/availability.ts";
import { groupBalances, previewRemaining, typeBalances } from "../../../services/people/balance.ts";
import { rederivedPots } from "../../../services/people/derivation.ts";
import { type FreeTimeBooking, freeTimeOverview } from "../../../services/people/free-time.ts";
import { planImport } from "../../../services/people/holiday-import.ts";
import { dutchHolidays } from "../../../services/people/holidays.ts";
import { dayEquivalents, hoursText } from "../../../services/people/hours.ts";
import { type PlacementSources, place } from "../../../services/people/placement.ts";
import { derivedPots, type PotHolder } from "../../../services/people/proration.ts";
import type { Pattern } from "../../../services/people/recurrence.ts";
import { storedCadence } from "../../../services/people/recurrence.ts";
import { type WeekSources, weekOn } from "../../../services/people/schedule.ts";
import { type Span, spanCost } from "../../../services/people/span-cost.ts";
import { layOut } from "../../../services/people/team-layout.ts";
import { averageDayHours, DEFAULT_WEEK, weekHours } from "../../../services/people/week.ts";
import {
  availabilityDay,
  balance,
  booking,
  contract,
  HOLIDAYS,
  holder,
  person,
  pot,
  span,
  TYPES,
  UNEVEN_WEEK,
  weekOf,
} from "./support.ts";

/** Price and day equivalents as a preview answers them. */
function price(asked: Span, who: WeekSources = person(), holidays: ReadonlySet<string> = HOLIDAYS): string[] {
  const cost = spanCost(asked, who, holidays);
  return [cost.hours, dayEquivalents(cost.hours, averageDayHours(weekOn(who, asked.start_date)))];
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

describe("people chapter §15: balances", () => {
  const vacation = (sources: Parameters<typeof balance>[0], year: number) => groupBalances(balance(sources), year)[0];
  const ofType = (sources: Parameters<typeof balance>[0], year: number, id: string) =>
    typeBalances(balance(sources), year).find((row) => row.leave_type_id === id);

  it("13 consumption order", () => {
    const sources = {
      pots: [
        pot("vacation_statutory", 2028, 30),
        pot("vacation_extra", 2028, 16),
        pot("vacation_statutory", 2029, 128),
        pot("vacation_extra", 2029, 32),
      ],
      bookings: [booking("vacation_statutory", "2029-05-14", 40), booking("vacation_statutory", "2029-09-03", 16)],
      today: "2029-01-10",
    };
    expect(vacation(sources, 2029)).to.include({
      entitled_hours: "206.00",
      pending_hours: "56.00",
      remaining_hours: "150.00",
    });
    expect(vacation(sources, 2029)?.pots.map((one) => [one.accrual_year, one.leave_type_id, one.remaining_hours])).to.deep.equal([
      [2028, "vacation_statutory", "0.00"],
      [2029, "vacation_statutory", "102.00"],
      [2028, "vacation_extra", "16.00"],
      [2029, "vacation_extra", "32.00"],
    ]);
    expect(ofType(sources, 2029, "vacation_statutory")?.remaining_hours).to.equal("102.00");
    expect(ofType(sources, 2029, "vacation_extra")?.remaining_hours).to.equal("48.00");
    expect(vacation(sources, 2030)).to.include({ entitled_hours: "150.00", remaining_hours: "150.00" });
  });

  it("14 lapse", () => {
    const sources = {
      pots: [pot("vacation_statutory", 2028, 30), pot("vacation_statutory", 2029, 128)],
      bookings: [booking("vacation_statutory", "2029-03-05", 16), booking("vacation_statutory", "2029-10-01", 8)],
    };
    expect(vacation({ ...sources, today: "2029-02-15" }, 2029)).to.include({
      remaining_hours: "134.00",
      expiring_soon_hours: "14.00",
      lapsed_hours: "0.00",
    });
    expect(vacation({ ...sources, today: "2029-07-01" }, 2029)).to.include({
      remaining_hours: "120.00",
      expiring_soon_hours: "0.00",
      lapsed_hours: "14.00",
    });
  });

  it("15 negative", () => {
    const sources = {
      pots: [pot("vacation_statutory", 2029, 10), pot("vacation_extra", 2029, 6), pot("vacation_statutory", 2030, 40)],
      bookings: [booking("vacation_extra", "2029-05-14", 24)],
      today: "2029-01-10",
    };
    expect(vacation(sources, 2029)?.remaining_hours).to.equal("-8.00");
    expect(vacation(sources, 2029)?.pots.map((one) => one.remaining_hours)).to.deep.equal(["0.00", "0.00"]);
    expect(ofType(sources, 2029, "vacation_statutory")).to.include({ remaining_hours: "-8.00", pending_hours: "0.00" });
    expect(ofType(sources, 2029, "vacation_extra")).to.include({ remaining_hours: "0.00", pending_hours: "24.00" });
    expect(vacation(sources, 2030)?.remaining_hours).to.equal("40.00");
  });

  it("16 New Year", () => {
    const first = booking("vacation_statutory", "2029-12-19", 16);
    const sources = {
      pots: [pot("vacation_statutory", 2029, 24), pot("vacation_statutory", 2030, 0)],
      bookings: [first],
      today: "2029-01-10",
    };
    expect(previewRemaining(balance(sources), "vacation_statutory", 2030, null)).to.equal("8.00");
    expect(previewRemaining(balance(sources), "vacation_statutory", 2030, first.id)).to.equal("24.00");
    expect(price(span("2029-12-27", "2030-01-04"))[0]).to.equal("48.00");
    const over = { ...sources, bookings: [first, booking("vacation_statutory", "2029-12-27", 48)] };
    expect(vacation(over, 2029)?.remaining_hours).to.equal("-40.00");
    expect(vacation(over, 2030)?.remaining_hours).to.equal("0.00");
  });
});

describe("people chapter §15: patterns and free time", () => {
  const pattern = (over: Partial<Pattern>): Pattern => ({
    leave_type_id: "roostervrij",
    anchor_date: "2030-01-04",
    interval_weeks: 1,
    days_per_year: null,
    start_time: null,
    end_time: null,
    active: true,
    ...over,
  });
  const placement = (over: Partial<PlacementSources>): PlacementSources => ({
    ...balance(),
    person: person(),
    holidays: HOLIDAYS,
    bookings: [],
    spent: new Set(),
    horizon_months: 12,
    today: "2029-12-01",
    ...over,
  });
  const asBookings = (placed: ReturnType<typeof place>["placed"], recurring_day_id: string | null): FreeTimeBooking[] =>
    placed.map((day) => ({
      ...day,
      id: `r ${day.start_date}`,
      leave_type_id: "roostervrij",
      status: "approved",
      recurring_day_id,
    }));
  const derivedFree = (who: PotHolder, year: number) => [pot("roostervrij", year, pots(who, year).roostervrij ?? 0)];

  it("17 interval pattern", () => {
    const who = holder({ contracts: [contract("2030-01-01", "2030-06-30", 36)] });
    const free = derivedFree(who, 2030);
    expect(free[0]?.hours).to.equal("104.00");
    const mondays = place(
      pattern({ anchor_date: "2030-04-08", interval_weeks: 2 }),
      placement({ person: who, pots: free, today: "2030-01-02" }),
    );
    expect(mondays.placed.map((day) => day.start_date)).to.deep.equal([
      "2030-04-08",
      "2030-05-06",
      "2030-05-20",
      "2030-06-03",
      "2030-06-17",
    ]);
    expect(mondays.skipped).to.deep.equal([{ date: "2030-04-22", reason: "not_worked" }]);
    const booked = asBookings(mondays.placed, "mondays");
    const afternoons = place(
      pattern({ anchor_date: "2030-05-01", start_time: "13:30" }),
      placement({ person: who, pots: free, today: "2030-01-02", bookings: booked }),
    );
    expect(afternoons.placed.map((day) => day.hours)).to.deep.equal(Array(9).fill("3.50"));
    const bookings = [...booked, ...asBookings(afternoons.placed, "afternoons")];
    expect(freeTimeOverview({ ...balance({ pots: free, today: "2030-01-02" }), bookings }, 2030)).to.include({
      entitled_hours: "104.00",
      placed_hours: "71.50",
      unplaced_hours: "32.50",
    });
  });

  it("18 spread pattern", () => {
    const who = holder({ contracts: [contract("2030-01-01", "2030-12-31", 36)] });
    const spread = pattern({ anchor_date: "2030-03-01", days_per_year: 13 });
    const sources = placement({ person: who, pots: derivedFree(who, 2030), today: "2030-01-02" });
    const { placed } = place(spread, sources);
    const dates = placed.map((day) => day.start_date);
    expect(dates).to.deep.equal([
      "2030-03-01",
      "2030-03-29",
      "2030-04-26",
      "2030-05-24",
      "2030-06-21",
      "2030-07-19",
      "2030-08-16",
      "2030-09-13",
      "2030-10-11",
      "2030-11-08",
      "2030-12-06",
    ]);
    expect(storedCadence(1, 13)).to.equal(4);
    const again = { ...sources, bookings: asBookings(placed, "p"), spent: new Set(dates) };
    expect(place(spread, again).placed).to.deep.equal([]);
  });

  it("19 overhang", () => {
    const who = holder({ contracts: [contract("2030-01-01", "2030-12-31", 36)] });
    const fridays = pattern({ interval_weeks: 2 });
    const sources = placement({ person: who, pots: derivedFree(who, 2030) });
    expect(sources.pots[0]?.hours).to.equal("208.00");
    const { placed } = place(fridays, sources);
    expect(placed).to.have.length(26);
    const byHand = { ...asBookings(placed, null)[0], id: "by hand", start_date: "2030-12-30", end_date: "2030-12-30" };
    const bookings = [...asBookings(placed, "p"), byHand as FreeTimeBooking];
    const raised = derivedFree(holder({ contracts: [contract("2030-01-01", "2030-12-31", 38)] }), 2030);
    const view = freeTimeOverview({ ...balance({ pots: raised, today: "2029-12-01" }), bookings }, 2030);
    expect(view).to.include({ entitled_hours: "104.00", placed_hours: "216.00", overhang_hours: "112.00" });
    const dates = view.overhang.map((day) => day.date);
    expect([dates.length, dates[0], dates.at(-1)]).to.deep.equal([14, "2030-12-20", "2030-06-21"]);
    const kept = bookings.filter((one) => !view.overhang.some((day) => day.request_id === one.id));
    const after = freeTimeOverview({ ...balance({ pots: raised, today: "2029-12-01" }), bookings: kept }, 2030);
    expect(after).to.include({ placed_hours: "104.00", overhang_hours: "0.00" });
    const spent = new Set(placed.map((day) => day.start_date));
    expect(place(fridays, { ...sources, pots: raised, bookings: kept, spent }).placed).to.deep.equal([]);
  });

  it("20 pot cap", () => {
    const mondays = pattern({ anchor_date: "2030-02-04", interval_weeks: 4 });
    const sources = placement({ pots: [pot("roostervrij", 2030, 20)], today: "2030-01-02" });
    const { placed } = place(mondays, sources);
    expect(placed.map((day) => day.start_date)).to.deep.equal(["2030-02-04", "2030-03-04"]);
    const more = place(mondays, {
      ...sources,
      pots: [pot("roostervrij", 2030, 32)],
      bookings: asBookings(placed, "p"),
      spent: new Set(placed.map((day) => day.start_date)),
    });
    expect(more.placed.map((day) => day.start_date)).to.deep.equal(["2030-04-01", "2030-04-29"]);
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
