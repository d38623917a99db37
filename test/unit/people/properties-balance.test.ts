import { expect } from "chai";
import fc from "fast-check";
import { addDays, yearOf } from "../../../core/calendar/calendar.ts";
import { decimal, sum } from "../../../core/values/money.ts";
import { freeTimeOverview } from "../../../services/people/free-time/free-time.ts";
import { groupBalances, previewRemaining, typeBalances } from "../../../services/people/pots/balance.ts";
import { consume } from "../../../services/people/pots/consumption.ts";
import {
  missingPots,
  type PotChanges,
  rederivedPots,
  reproratedPots,
  type StoredPot,
} from "../../../services/people/pots/derivation.ts";
import { aliveOn } from "../../../services/people/pots/expiry.ts";
import { derivedPots, weeksPot } from "../../../services/people/pots/proration.ts";
import { anyAmount, anyContracts, anyDate, anyPerson, CASES } from "./arbitraries.ts";
import { balance, holder, TYPES } from "./support.ts";

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
          const again = applied(stored, reproratedPots(stored, derived, who.contracts, 2029, typeId));
          expect(reproratedPots(again, derived, who.contracts, 2029, typeId)).to.deep.equal(nothing);
          for (const one of stored) if (one.source === "manual") expect(again).to.include(one);
          // A removed value comes back with it, unless nothing is left that shows the person accrues.
          const without = derived.filter((one) => typeId !== null && one.leave_type_id !== typeId);
          const less = applied(again, reproratedPots(again, without, who.contracts, 2029, typeId));
          const back = applied(less, reproratedPots(less, derived, who.contracts, 2029, typeId));
          if (who.contracts.length > 0 && less.length > 0) expect(back).to.have.deep.members(again);
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
