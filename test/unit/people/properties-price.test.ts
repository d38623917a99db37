import { expect } from "chai";
import fc from "fast-check";
import { addDays, dateIn, daysInclusive, eachDay, type IsoDate } from "../../../core/calendar/calendar.ts";
import { decimal, sum } from "../../../core/values/money.ts";
import type { AvailabilityEntry } from "../../../services/people/availability/availability.ts";
import { editDecision } from "../../../services/people/requests/edit.ts";
import { preview } from "../../../services/people/requests/preview.ts";
import { creationDecision, type LeaveCase } from "../../../services/people/requests/transitions.ts";
import { type Span, spanCost } from "../../../services/people/working-time/span-cost.ts";
import { layOut, leaveInstants } from "../../../services/people/working-time/team-layout.ts";
import { anyDate, anyHolidays, anyPerson, anyTime, anyWeek, CASES } from "./arbitraries.ts";
import { availabilityDay, balance, person } from "./support.ts";

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
        const created = creationDecision({ span, type, hours_override: null }, leave, calendar);
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
          resolved_start_time: null,
          resolved_end_time: null,
        };
        const edited = editDecision({ ...stored, status: "approved" }, { note: "x" }, type, leave, calendar);
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

  it("for any order of rows the day is the same, its windows in order, and no unavailable minute is left", () => {
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
