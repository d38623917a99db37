import { expect } from "chai";
import fc from "fast-check";
import { addDays, dateIn, daysInclusive, eachDay, type IsoDate, yearOf } from "../../../core/calendar.ts";
import { decimal, sum } from "../../../core/money.ts";
import type { AvailabilityEntry } from "../../../services/people/availability.ts";
import { groupBalances, previewRemaining, typeBalances } from "../../../services/people/balance.ts";
import { consume } from "../../../services/people/consumption.ts";
import {
  missingPots,
  type PotChanges,
  rederivedPots,
  reproratedPots,
  type StoredPot,
} from "../../../services/people/derivation.ts";
import { editRuling } from "../../../services/people/edit.ts";
import { aliveOn } from "../../../services/people/expiry.ts";
import { freeTimeOverview } from "../../../services/people/free-time.ts";
import { place } from "../../../services/people/placement.ts";
import { preview } from "../../../services/people/preview.ts";
import { derivedPots, weeksPot } from "../../../services/people/proration.ts";
import { candidates, type Pattern } from "../../../services/people/recurrence.ts";
import { type Span, spanCost } from "../../../services/people/span-cost.ts";
import { layOut, leaveInstants } from "../../../services/people/team-layout.ts";
import { createRuling, type LeaveCase } from "../../../services/people/transitions.ts";
import { anyContracts, anyDate, anyHolidays, anyPerson, anyTime, anyWeek, CASES } from "./arbitraries.ts";
import { availabilityDay, balance, holder, person, pot, TYPES } from "./support.ts";

const anySpan: fc.Arbitrary<Span> = fc
  .record({
    start_date: anyDate("2029-01-01", "2030-12-01"),
    days: fc.integer({ min: 0, max: 40 }),
    start_time: fc.option(anyTime),
    end_time: fc.option(anyTime),
  })
  .map(({ start_date, days, start_time, end_time }) => {
    const span = { start_date, end_date: addDays(start_date, days), start_time, end_time };
    const wrong = days === 0 && start_time !== null && end_time !== null && end_time <= start_time;
    return wrong ? { ...span, end_time: null } : span;
  });

describe("properties: the price of a span", () => {
  it("splitting at any date or time changes no total of minutes", () => {
    const anyCut = fc.record({ day: fc.nat({ max: 40 }), time: fc.option(anyTime) });
    fc.assert(
      fc.property(anySpan, anyCut, anyPerson, anyHolidays, (span, cut, who, holidays) => {
        const date = addDays(span.start_date, Math.min(cut.day, daysInclusive(span.start_date, span.end_date) - 1));
        const time = cut.time ?? "00:00";
        fc.pre(!(date === span.start_date && span.start_time !== null && time <= span.start_time));
        fc.pre(!(date === span.end_date && span.end_time !== null && time >= span.end_time));
        const minutes = (part: Span): number => spanCost(part, who, holidays).minutes;
        const whole = minutes(span);
        const first = minutes({ ...span, end_date: date, end_time: time });
        const second = minutes({ ...span, start_date: date, start_time: time });
        expect(first + second).to.equal(whole);
        if (date !== span.end_date) {
          const before = minutes({ ...span, end_date: date, end_time: null });
          const after = minutes({ ...span, start_date: addDays(date, 1), start_time: null });
          expect(before + after).to.equal(whole);
        }
      }),
      CASES,
    );
  });

  it("the previewed figure is the stored figure, at creation and at every edit", () => {
    const leave: LeaveCase = {
      caller: { user_id: "me", reads: "own", writes: "own", approves: false },
      user_id: "me",
      self_approval: false,
      today: "2029-01-01",
    };
    const type = { id: "t", active: true, requires_approval: true };
    fc.assert(
      fc.property(anySpan, anyPerson, anyHolidays, (span, who, holidays) => {
        const previewed = preview(
          { user_id: "me", span, type: null, edited: null },
          who,
          holidays,
          balance({ today: leave.today }),
        );
        const calendar = { person: who, holidays, requests: [] };
        const created = createRuling({ span, type, hours_override: null }, leave, calendar);
        expect(created.allowed).to.equal(previewed.breakdown.some((day) => day.reason === null));
        if (!created.allowed) return;
        expect(created.hours).to.equal(previewed.hours);
        const stored = {
          ...span,
          id: "r",
          leave_type_id: "t",
          hours: created.hours,
          hours_override: null,
          hours_override_by_user_id: null,
        };
        const edited = editRuling({ ...stored, status: "approved" }, { note: "x" }, type, leave, calendar);
        expect(edited.allowed && [edited.hours, edited.status, edited.bounced]).to.deep.equal([
          previewed.hours,
          "approved",
          false,
        ]);
      }),
      CASES,
    );
  });

  it("no clock change and no year end shifts a day: the same week costs the same all year", () => {
    const anyZone = fc.constantFrom(
      "Europe/Amsterdam",
      "America/New_York",
      "Australia/Lord_Howe",
      "Asia/Kolkata",
      "America/Santiago",
    );
    fc.assert(
      fc.property(anySpan, anyWeek, anyZone, fc.integer({ min: 1, max: 60 }), (span, week, zone, weeks) => {
        const who = person({ default_schedule: week });
        const shift = (date: IsoDate): IsoDate => addDays(date, 7 * weeks);
        const later = { ...span, start_date: shift(span.start_date), end_date: shift(span.end_date) };
        const one = spanCost(span, who, new Set());
        const other = spanCost(later, who, new Set());
        expect(other.breakdown.map((day) => day.minutes)).to.deep.equal(one.breakdown.map((day) => day.minutes));
        expect(other.breakdown.map((day) => day.date)).to.deep.equal(one.breakdown.map((day) => shift(day.date)));
        const oneDay = { ...later, end_date: later.start_date, resolved_start_time: "08:30", resolved_end_time: "17:00" };
        const { starts_at, ends_at } = leaveInstants(oneDay, who, zone);
        if (starts_at === null || ends_at === null) return;
        expect([dateIn(zone, starts_at), dateIn(zone, ends_at)]).to.deep.equal([later.start_date, later.start_date]);
        expect([starts_at.slice(11, 16), ends_at.slice(11, 16)]).to.deep.equal(["08:30", "17:00"]);
      }),
      CASES,
    );
  });

  it("stored hours laid out over their days add up to themselves", () => {
    fc.assert(
      fc.property(anySpan, anyPerson, anyHolidays, fc.integer({ min: 1, max: 200_000 }), (span, who, holidays, hundredths) => {
        const hours = (hundredths / 100).toFixed(2);
        const days = layOut(hours, spanCost(span, who, holidays));
        expect(sum(days.map((day) => day.hours)).toFixed(2)).to.equal(hours);
        expect(days.map((day) => day.date)).to.deep.equal(eachDay(span.start_date, span.end_date));
      }),
      CASES,
    );
  });
});

const anyAmount = fc.integer({ min: 0, max: 20_000 }).map((hundredths) => (hundredths / 100).toFixed(2));
const anyTypeId = fc.constantFrom("vacation_statutory", "vacation_extra", "roostervrij");
const anyPots = fc.uniqueArray(
  fc.record({ leave_type_id: anyTypeId, year: fc.integer({ min: 2026, max: 2031 }), hours: anyAmount }),
  {
    maxLength: 10,
    selector: (one) => `${one.year} ${one.leave_type_id}`,
  },
);
const anyBookings = fc.uniqueArray(
  fc.record({
    leave_type_id: anyTypeId,
    start_date: anyDate("2027-01-01", "2031-12-31"),
    hours: anyAmount,
    status: fc.constantFrom("pending" as const, "approved" as const),
  }),
  { maxLength: 15, selector: (one) => one.start_date },
);
const named = <T extends { start_date: string }>(bookings: readonly T[]) =>
  bookings.map((one) => ({ ...one, id: one.start_date }));

describe("properties: balances", () => {
  const anyLedgerPots = fc.array(
    fc.record({
      leave_type_id: anyTypeId,
      accrual_year: fc.integer({ min: 2026, max: 2031 }),
      hours: anyAmount,
      expires_on: fc.option(anyDate("2027-01-01", "2033-01-01")),
    }),
    { maxLength: 10 },
  );

  it("consumption never exceeds the pots, and the rest is shortfall", () => {
    fc.assert(
      fc.property(anyLedgerPots, anyBookings, (pots, booked) => {
        const { bookings, pots: left } = consume(pots, named(booked));
        for (const { pot: one, undrawn } of left) {
          const drawn = sum(bookings.flatMap(({ draws }) => draws.filter((draw) => draw.pot === one).map((draw) => draw.hours)));
          expect(undrawn.isNegative()).to.equal(false);
          expect(drawn.plus(undrawn).equals(decimal(one.hours))).to.equal(true);
        }
        for (const { booking, draws, shortfall } of bookings) {
          expect(shortfall.isNegative()).to.equal(false);
          expect(
            sum(draws.map((draw) => draw.hours))
              .plus(shortfall)
              .equals(decimal(booking.hours)),
          ).to.equal(true);
          const pays = (one: (typeof pots)[number]): boolean =>
            one.accrual_year <= yearOf(booking.start_date) && aliveOn(one.expires_on, booking.start_date);
          for (const draw of draws) expect(pays(draw.pot) && draw.hours.greaterThan(0)).to.equal(true);
          if (shortfall.greaterThan(0)) {
            for (const { pot: one, undrawn } of left) if (pays(one)) expect(undrawn.isZero()).to.equal(true);
          }
        }
      }),
      CASES,
    );
  });

  it("group figures are the sums of the types', and neither depends on the order of rows", () => {
    fc.assert(
      fc.property(
        anyPots,
        anyBookings,
        anyDate("2028-01-01", "2031-12-31"),
        fc.integer({ min: 2027, max: 2032 }),
        (pots, booked, today, year) => {
          const sources = balance({ pots, bookings: named(booked), today });
          const types = typeBalances(sources, year);
          const groups = groupBalances(sources, year);
          for (const figure of ["entitled_hours", "approved_hours", "pending_hours", "remaining_hours"] as const) {
            for (const group of groups) {
              const own = types.filter((row) => group.leave_type_ids.includes(row.leave_type_id));
              expect(sum(own.map((row) => row[figure])).equals(decimal(group[figure]))).to.equal(true);
            }
          }
          const reversed = {
            ...sources,
            pots: [...pots].reverse(),
            bookings: [...sources.bookings].reverse(),
            types: [...TYPES].reverse(),
          };
          expect(groupBalances(reversed, year)).to.deep.equal(groups);
        },
      ),
      CASES,
    );
  });

  it("a preview of an edit runs as if the request did not exist", () => {
    fc.assert(
      fc.property(anyPots, anyBookings, anyTypeId, fc.integer({ min: 2027, max: 2032 }), (pots, booked, type, year) => {
        const bookings = named(booked);
        const sources = balance({ pots, bookings });
        const first = bookings[0]?.id ?? "none";
        const without = { ...sources, bookings: bookings.slice(1) };
        expect(previewRemaining(sources, type, year, first)).to.equal(previewRemaining(without, type, year, null));
      }),
      CASES,
    );
  });

  it("free time placed is taken or upcoming, and either unplaced or overhang is zero", () => {
    fc.assert(
      fc.property(anyPots, anyBookings, anyDate("2029-01-01", "2030-12-31"), (pots, booked, today) => {
        const bookings = named(booked).map((one, index) => ({
          ...one,
          end_date: one.start_date,
          start_time: null,
          end_time: null,
          recurring_day_id: index % 3 === 0 ? null : "p",
        }));
        const view = freeTimeOverview({ ...balance({ pots, today }), bookings }, 2029);
        expect(decimal(view.taken_hours).plus(decimal(view.upcoming_hours)).equals(decimal(view.placed_hours))).to.equal(true);
        expect(decimal(view.unplaced_hours).isZero() || decimal(view.overhang_hours).isZero()).to.equal(true);
        expect(view.overhang.every((day) => day.from_pattern && day.date >= today)).to.equal(true);
      }),
      CASES,
    );
  });
});

describe("properties: pots", () => {
  const anySource = fc.constantFrom("generated" as const, "manual" as const);
  const anyStored = fc.uniqueArray(
    fc.record({ leave_type_id: anyTypeId, year: fc.constant(2029), hours: anyAmount, source: anySource }),
    {
      maxLength: 3,
      selector: (one) => one.leave_type_id,
    },
  );
  const applied = (stored: readonly StoredPot[], changes: PotChanges<StoredPot>): StoredPot[] => [
    ...stored.filter((one) => !changes.remove.includes(one)),
    ...changes.create.map((one) => ({ ...one, source: "generated" as const })),
  ];
  const nothing = { remove: [], create: [] };

  it("deriving twice changes nothing, and never touches a manual pot", () => {
    fc.assert(
      fc.property(anyStored, anyPerson, fc.boolean(), (stored, who, writes_time) => {
        const ever = { ...who, writes_time, ever_contracted: who.contracts.length > 0 };
        const derived = derivedPots(TYPES, ever, 2029);
        const once = applied(stored, rederivedPots(stored, derived, who.contracts, 2029));
        expect(rederivedPots(once, derived, who.contracts, 2029)).to.deep.equal(nothing);
        const filled = [...stored, ...missingPots(stored, derived)];
        expect(missingPots(filled as StoredPot[], derived)).to.deep.equal([]);
        for (const typeId of [null, "vacation_statutory"]) {
          const again = applied(stored, reproratedPots(stored, derived, typeId));
          expect(reproratedPots(again, derived, typeId)).to.deep.equal(nothing);
          expect(again.length).to.be.lessThanOrEqual(stored.length);
        }
        for (const one of stored) if (one.source === "manual") expect(once).to.include(one);
      }),
      CASES,
    );
  });

  it("cutting a contract in two changes no pot", () => {
    fc.assert(
      fc.property(anyContracts, fc.nat({ max: 1500 }), fc.integer({ min: 2028, max: 2031 }), (contracts, days, year) => {
        const at = addDays("2028-06-01", days);
        const cut = contracts.flatMap((one) => {
          const within = one.start_date < at && (one.end_date === null || one.end_date >= at);
          return within
            ? [
                { ...one, end_date: addDays(at, -1) },
                { ...one, start_date: at },
              ]
            : [one];
        });
        const whole = holder({ contracts });
        expect(derivedPots(TYPES, { ...whole, contracts: cut }, year)).to.deep.equal(derivedPots(TYPES, whole, year));
      }),
      CASES,
    );
  });

  it("a weeks pot is never more than weeks × the highest contract hours", () => {
    fc.assert(
      fc.property(anyContracts, (contracts) => {
        const highest = contracts.reduce((most, one) => Math.max(most, Number(one.contract_hours_per_week)), 0);
        const hours = weeksPot("4", holder({ contracts, writes_time: false }), 2029);
        if (hours !== null) expect(decimal(hours).lessThanOrEqualTo(decimal(highest).times(4).plus("0.005"))).to.equal(true);
      }),
      CASES,
    );
  });
});

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

describe("properties: availability", () => {
  const anyEntry: fc.Arbitrary<AvailabilityEntry> = fc
    .record({
      id: fc.uuid(),
      kind: fc.constantFrom("extra" as const, "unavailable" as const),
      date: anyDate("2029-01-01", "2029-01-14"),
      times: fc.tuple(fc.option(anyTime), fc.option(anyTime)),
      repeat_weeks: fc.option(fc.integer({ min: 1, max: 8 })),
      repeat_until: fc.constant(null),
      pair_id: fc.constant(null),
    })
    .map(({ times: [one, other], ...entry }) => {
      const inOrder = one === null || other === null || one < other;
      return { ...entry, start_time: inOrder ? one : other, end_time: inOrder ? other : one };
    })
    .filter((entry) => entry.start_time === null || entry.start_time !== entry.end_time);

  it("whatever the order of rows the day is the same, its windows in order, and no minute of a no is left", () => {
    fc.assert(
      fc.property(anyPerson, fc.array(anyEntry, { maxLength: 6 }), anyDate("2029-01-01", "2029-02-28"), (who, entries, date) => {
        const day = availabilityDay(date, who, entries);
        const reversed = availabilityDay(date, who, [...entries].reverse());
        expect({ ...reversed, entry_ids: [] }).to.deep.equal({ ...day, entry_ids: [] });
        for (const [index, window] of day.windows.entries()) {
          expect(window.start < window.end).to.equal(true);
          expect(window.start > (day.windows[index - 1]?.end ?? "")).to.equal(true);
          for (const entry of entries) {
            if (entry.kind !== "unavailable" || !day.entry_ids.includes(entry.id)) continue;
            const from = entry.start_time ?? "00:00";
            const to = entry.end_time ?? "24:00";
            expect(window.end <= from || window.start >= to).to.equal(true);
          }
        }
        expect(decimal(day.hours).lessThanOrEqualTo(24)).to.equal(true);
        expect(day.deviates).to.equal(day.entry_ids.length > 0);
        if (!day.deviates) expect([day.change, day.hours]).to.deep.equal([null, day.base_hours]);
      }),
      CASES,
    );
  });
});
