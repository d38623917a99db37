import { expect } from "chai";
import fc from "fast-check";
import { addDays, dateIn, timeIn } from "../../../core/calendar/calendar.ts";
import {
  type BlockInstants,
  blockDays,
  blockInstants,
  blockMinutes,
  blockTimes,
  movedBlock,
  plannedBlock,
  plannedTimes,
  windowInstants,
} from "../../../services/work/planning/planned-blocks.ts";
import { anyDate, anyZone, CASES, id } from "./support.ts";

const ZONE = "Europe/Amsterdam";
const block = (starts_at: string, ends_at: string): BlockInstants => ({ starts_at, ends_at });
/** Whether a block and a window share time. */
const overlapsWindow = ({ starts_at, ends_at }: BlockInstants, window: { start: string; end: string }): boolean =>
  Date.parse(starts_at) < Date.parse(window.end) && Date.parse(ends_at) > Date.parse(window.start);

describe("planned blocks: local to instants", () => {
  const rows: [what: string, day: string, time: string, minutes: number, starts_at: string, ends_at: string][] = [
    ["winter", "2026-01-15", "09:00", 90, "2026-01-15T08:00:00Z", "2026-01-15T09:30:00Z"],
    ["summer", "2026-07-15", "09:00:30", 90, "2026-07-15T07:00:00Z", "2026-07-15T08:30:00Z"],
    ["past midnight", "2026-07-15", "23:00", 120, "2026-07-15T21:00:00Z", "2026-07-15T23:00:00Z"],
    ["through the night the clock goes forward", "2026-03-28", "23:00", 480, "2026-03-28T22:00:00Z", "2026-03-29T06:00:00Z"],
    ["a time the clock skips", "2026-03-29", "02:30", 60, "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z"],
    ["a time the clock shows twice: the first", "2026-10-25", "02:30", 60, "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"],
  ];
  for (const [what, day, start_time, duration_minutes, starts_at, ends_at] of rows)
    it(what, () => {
      expect(blockInstants({ day, start_time, duration_minutes }, ZONE)).to.deep.equal({ starts_at, ends_at });
      expect(blockMinutes({ starts_at, ends_at })).to.equal(duration_minutes);
    });

  it("shows its local days and times; one that ends at midnight belongs to the day before", () => {
    const days = (one: BlockInstants) => blockDays(one, ZONE);
    const evening = block("2026-07-15T20:00:00Z", "2026-07-15T22:00:00Z");
    expect(days(evening)).to.deep.equal({ start: "2026-07-15", end: "2026-07-15" });
    expect(blockTimes(evening, ZONE)).to.deep.equal({ start: "22:00", end: "00:00" });
    expect(days(block("2026-07-15T20:00:00Z", "2026-07-15T22:01:00Z"))).to.deep.equal({ start: "2026-07-15", end: "2026-07-16" });
    expect(days(block("2026-07-15T22:00:00Z", "2026-07-16T22:00:00Z"))).to.deep.equal({ start: "2026-07-16", end: "2026-07-16" });
  });
});

describe("planned blocks: moving", () => {
  const stored = block("2026-03-27T08:00:00Z", "2026-03-27T09:30:00Z"); // 09:00 to 10:30
  const rows: [what: string, patch: Parameters<typeof movedBlock>[1], after: BlockInstants][] = [
    ["nothing", {}, stored],
    ["nulls", { day: null, start_time: null, duration_minutes: null }, stored],
    ["the day, over a clock change", { day: "2026-03-30" }, block("2026-03-30T07:00:00Z", "2026-03-30T08:30:00Z")],
    ["the time", { start_time: "13:15:00" }, block("2026-03-27T12:15:00Z", "2026-03-27T13:45:00Z")],
    ["the length", { duration_minutes: 30 }, block("2026-03-27T08:00:00Z", "2026-03-27T08:30:00Z")],
    ["all", { day: "2026-03-30", start_time: "08:00", duration_minutes: 15 }, block("2026-03-30T06:00:00Z", "2026-03-30T06:15:00Z")],
  ]; // biome-ignore format: a table
  for (const [what, patch, after] of rows)
    it(what, () => {
      expect(movedBlock(stored, patch, ZONE)).to.deep.equal(after);
    });

  it("keeps the second of two instants with one wall-clock time when the start does not move", () => {
    const second = block("2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
    expect(movedBlock(second, { duration_minutes: 30 }, ZONE)).to.deep.equal(
      block("2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z"),
    );
    expect(movedBlock(second, { day: "2026-10-25", start_time: "02:30" }, ZONE)).to.deep.equal(second);
  });

  it("moving only the day keeps the wall-clock time and the length, in every zone", () => {
    const minute = fc.integer({ min: 0, max: 1439 });
    fc.assert(
      fc.property(
        anyZone,
        anyDate("2024-01-01", "2028-12-31"),
        anyDate("2024-01-01", "2028-12-31"),
        minute,
        fc.integer({ min: 1, max: 1440 }),
        (zone, from, to, at, duration_minutes) => {
          const time = `${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`;
          const placed = blockInstants({ day: from, start_time: time, duration_minutes }, zone);
          const wanted = timeIn(zone, placed.starts_at);
          const moved = movedBlock(placed, { day: to }, zone);
          expect(blockMinutes(moved)).to.equal(duration_minutes);
          expect(moved).to.deep.equal(blockInstants({ day: to, start_time: wanted, duration_minutes }, zone));
          // Only a time that the new day's clock skips comes out otherwise.
          if (timeIn(zone, moved.starts_at) === wanted) expect(dateIn(zone, moved.starts_at)).to.equal(to);
          else
            expect(
              Date.parse(moved.starts_at) -
                Date.parse(blockInstants({ day: addDays(to, -1), start_time: wanted, duration_minutes }, zone).starts_at),
            ).to.be.at.least(22 * 3_600_000);
          expect(movedBlock(moved, {}, zone)).to.deep.equal(moved);
          const { start, end } = blockDays(moved, zone);
          expect(
            start <= end &&
              overlapsWindow(moved, windowInstants(start, start, zone)) &&
              overlapsWindow(moved, windowInstants(end, end, zone)),
          ).to.equal(true);
          expect(overlapsWindow(moved, windowInstants(addDays(end, 1), addDays(end, 9), zone))).to.equal(false);
          expect(overlapsWindow(moved, windowInstants(addDays(start, -9), addDays(start, -1), zone))).to.equal(false);
        },
      ),
      CASES,
    );
  });
});

describe("planned blocks: windows", () => {
  it("are inclusive local days", () => {
    expect(windowInstants("2026-03-28", "2026-03-29", ZONE)).to.deep.equal({
      start: "2026-03-27T23:00:00Z",
      end: "2026-03-29T22:00:00Z",
    });
  });
});

describe("planned blocks: the plan of a recurrence", () => {
  const [U, V] = [id("u", 1), id("v", 1)];
  const plan = { user_id: null, start_time: "09:30", duration_minutes: 45 };
  const occurrence = { due_date: "2026-07-09", assignee_user_id: U };

  it("books the due date for its person, else for the starred assignee", () => {
    const instants = { starts_at: "2026-07-09T07:30:00Z", ends_at: "2026-07-09T08:15:00Z" };
    expect(plannedBlock({ plan }, occurrence, "2026-07-09", ZONE)).to.deep.equal({ user_id: U, ...instants });
    expect(plannedBlock({ plan: { ...plan, user_id: V } }, occurrence, "2026-07-01", ZONE)).to.deep.equal({
      user_id: V,
      ...instants,
    });
    expect(
      plannedBlock({ plan: { ...plan, user_id: V } }, { ...occurrence, assignee_user_id: null }, "2026-07-01", ZONE)?.user_id,
    ).to.equal(V);
  });

  it("books nothing without a plan, without a person, or for a date past", () => {
    expect(plannedBlock({ plan: null }, occurrence, "2026-07-01", ZONE)).to.equal(null);
    expect(plannedBlock({ plan }, { ...occurrence, assignee_user_id: null }, "2026-07-01", ZONE)).to.equal(null);
    expect(plannedBlock({ plan }, occurrence, "2026-07-10", ZONE)).to.equal(null);
  });

  it("shows the local clock times it will have", () => {
    expect(plannedTimes({ plan }, "2026-07-09", ZONE)).to.deep.equal({ planned_start: "09:30", planned_end: "10:15" });
    expect(plannedTimes({ plan: { ...plan, start_time: "23:30" } }, "2026-07-09", ZONE)).to.deep.equal({
      planned_start: "23:30",
      planned_end: "00:15",
    });
    expect(plannedTimes({ plan: { ...plan, start_time: "01:30", duration_minutes: 60 } }, "2026-03-29", ZONE)).to.deep.equal({
      planned_start: "01:30",
      planned_end: "03:30",
    });
    expect(plannedTimes({ plan: null }, "2026-07-09", ZONE)).to.deep.equal({ planned_start: null, planned_end: null });
  });
});
