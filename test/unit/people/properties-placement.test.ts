import { expect } from "chai";
import fc from "fast-check";
import { daysInclusive, yearOf } from "../../../core/calendar/calendar.ts";
import { decimal, sum } from "../../../core/values/money.ts";
import { place } from "../../../services/people/recurring/placement.ts";
import { candidates, type Pattern } from "../../../services/people/recurring/recurrence.ts";
import { anyAmount, anyDate, anyHolidays, anyPerson, CASES } from "./arbitraries.ts";
import { pot, TYPES } from "./support.ts";

describe("properties: placement", () => {
  const anyPattern: fc.Arbitrary<Pattern> = fc.record({
    leave_type_id: fc.constantFrom("roostervrij", "special", "vacation_extra"),
    anchor_date: anyDate("2028-06-01", "2030-03-01"),
    interval_weeks: fc.integer({ min: 1, max: 8 }),
    days_per_year: fc.option(fc.integer({ min: 1, max: 60 })),
    start_time: fc.constantFrom(null, "13:00"),
    end_time: fc.constant(null),
    active: fc.constant(true),
  });
  const anySources = fc.record({
    person: anyPerson,
    holidays: anyHolidays,
    today: anyDate("2029-01-01", "2029-12-31"),
    pots: fc
      .tuple(anyAmount, anyAmount, anyAmount)
      .map(([free, statutory, extra]) => [
        pot("roostervrij", 2029, free),
        pot("vacation_statutory", 2029, statutory),
        pot("vacation_extra", 2030, extra),
      ]),
    horizon_months: fc.integer({ min: 1, max: 18 }),
  });

  it("a second run places nothing", () => {
    fc.assert(
      fc.property(anyPattern, anySources, (pattern, given) => {
        const sources = { ...given, types: TYPES, bookings: [], spent: new Set<string>() };
        const first = place(pattern, sources).placed;
        const bookings = first.map((day) => ({
          ...day,
          id: day.start_date,
          leave_type_id: pattern.leave_type_id,
          status: "approved" as const,
        }));
        expect(place(pattern, { ...sources, bookings, spent: new Set(first.map((day) => day.start_date)) }).placed).to.deep.equal(
          [],
        );
      }),
      CASES,
    );
  });

  it("every day is ahead, on the pattern's weekday, worked, no holiday, and within the year's quota and balance", () => {
    fc.assert(
      fc.property(anyPattern, anySources, (pattern, given) => {
        const sources = { ...given, types: TYPES, bookings: [], spent: new Set<string>() };
        const { placed } = place(pattern, sources);
        for (const day of placed) {
          expect(day.start_date >= sources.today && day.start_date >= pattern.anchor_date).to.equal(true);
          expect((daysInclusive(pattern.anchor_date, day.start_date) - 1) % 7).to.equal(0);
          expect(sources.holidays.has(day.start_date)).to.equal(false);
          expect(day.minutes).to.be.greaterThan(0);
        }
        for (const year of [2029, 2030]) {
          const ofYear = placed.filter((day) => yearOf(day.start_date) === year);
          const full = candidates(pattern, `${year}-12-31`).filter((one) => yearOf(one.date) === year);
          if (pattern.days_per_year !== null) expect(ofYear.length).to.be.lessThanOrEqual(full.at(-1)?.quota ?? 0);
          if (pattern.leave_type_id === "roostervrij") {
            const granted = year === 2029 ? decimal(sources.pots[0]?.hours ?? 0) : decimal(0);
            expect(sum(ofYear.map((day) => day.hours)).lessThanOrEqualTo(granted)).to.equal(true);
          }
        }
      }),
      CASES,
    );
  });
});
