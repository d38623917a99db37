import { expect } from "chai";
import {
  type AvailabilityEntry,
  type AvailabilityKind,
  appliesWithin,
  availabilityErrors,
  deletedWith,
  moveErrors,
  moveRules,
  occurrences,
} from "../../../services/people/availability/availability.ts";
import { availabilityDay, contract, person, UNEVEN_WEEK, week } from "./support.ts";

/** `entry("extra", "2030-09-10 07:00-19:00")`; a bound left out is open: `"07:00-"`. */
function entry(kind: AvailabilityKind, text: string, over: Partial<AvailabilityEntry> = {}): AvailabilityEntry {
  const [date = "", window = "-"] = text.split(" ");
  const [start, end] = window.split("-");
  return {
    id: `${kind} ${text}`,
    kind,
    date,
    start_time: start || null,
    end_time: end || null,
    repeat_weeks: null,
    repeat_until: null,
    pair_id: null,
    ...over,
  };
}

describe("availability row", () => {
  it("has its window in order", () => {
    const wrong = { end_time: "errors.leave_availability_window_invalid" };
    expect(availabilityErrors(entry("extra", "2030-09-10 12:00-10:00"))).to.deep.equal(wrong);
    expect(availabilityErrors(entry("extra", "2030-09-10 12:00-12:00"))).to.deep.equal(wrong);
    for (const text of ["2030-09-10 12:00-12:01", "2030-09-10 12:00-", "2030-09-10 -12:00", "2030-09-10"]) {
      expect(availabilityErrors(entry("extra", text))).to.deep.equal({});
    }
  });

  it("has a bound only with a repeat, and not before its date", () => {
    const errors = (repeat_weeks: number | null, repeat_until: string | null): object =>
      availabilityErrors(entry("extra", "2030-09-10", { repeat_weeks, repeat_until }));
    expect(errors(null, "2030-10-10")).to.deep.equal({ repeat_until: "errors.leave_availability_repeat_required" });
    expect(errors(1, "2030-09-09")).to.deep.equal({ repeat_until: "errors.leave_availability_until_invalid" });
    expect([errors(1, "2030-09-10"), errors(1, null), errors(null, null)]).to.deep.equal([{}, {}, {}]);
  });

  it("applies on its date, and every n-th week after it through the bound", () => {
    const once = entry("extra", "2030-09-10");
    expect(occurrences(once, "2030-01-01", "2030-12-31")).to.deep.equal(["2030-09-10"]);
    const repeat = { ...once, repeat_weeks: 2, repeat_until: "2030-10-08" };
    expect(occurrences(repeat, "2030-01-01", "2030-12-31")).to.deep.equal(["2030-09-10", "2030-09-24", "2030-10-08"]);
    expect(occurrences({ ...repeat, repeat_until: "2030-10-07" }, "2030-09-11", "2030-12-31")).to.deep.equal(["2030-09-24"]);
    expect(occurrences({ ...repeat, repeat_until: null }, "2030-12-01", "2030-12-31")).to.deep.equal([
      "2030-12-03",
      "2030-12-17",
      "2030-12-31",
    ]);
  });

  it("knows its dates up to the last day there is", () => {
    const repeat = entry("extra", "9999-12-24", { repeat_weeks: 1 });
    expect(occurrences(repeat, "9999-12-01", "9999-12-31")).to.deep.equal(["9999-12-24", "9999-12-31"]);
  });

  it("is listed for a window with any occurrence", () => {
    const once = entry("extra", "2030-09-10");
    const within = (from: string, to: string, over: Partial<AvailabilityEntry> = {}): boolean =>
      appliesWithin({ ...once, ...over }, from, to);
    expect([
      within("2030-09-10", "2030-09-10"),
      within("2030-09-11", "2030-12-31"),
      within("2030-01-01", "2030-09-09"),
    ]).to.deep.equal([true, false, false]);
    const repeat = { repeat_weeks: 2, repeat_until: "2030-10-08" };
    expect(within("2030-09-11", "2030-09-23", repeat)).to.equal(false);
    expect(within("2030-09-11", "2030-09-24", repeat)).to.equal(true);
    expect(within("2030-10-08", "2030-10-08", repeat)).to.equal(true);
    expect(within("2030-10-09", "2030-12-31", repeat)).to.equal(false);
    expect(within("2030-08-01", "2030-09-09", repeat)).to.equal(false);
    expect(within("2035-01-01", "2035-01-15", { repeat_weeks: 2 })).to.equal(true);
  });
});

describe("availability move", () => {
  const move = {
    from_date: "2030-09-09",
    to_date: "2030-09-12",
    start_time: "09:00",
    end_time: "13:00",
    repeat_weeks: 2,
    repeat_until: null,
  };

  it("is an unavailable day and an extra one, both with the repeat", () => {
    expect(moveRules(move)).to.deep.equal([
      { kind: "unavailable", date: "2030-09-09", start_time: null, end_time: null, repeat_weeks: 2, repeat_until: null },
      { kind: "extra", date: "2030-09-12", start_time: "09:00", end_time: "13:00", repeat_weeks: 2, repeat_until: null },
    ]);
  });

  it("needs two days, and a repeat that reaches the later one", () => {
    expect(moveErrors(move)).to.deep.equal({});
    expect(moveErrors({ ...move, to_date: "2030-09-09" })).to.deep.equal({ to_date: "errors.leave_availability_move_same_day" });
    const until = { repeat_until: "errors.leave_availability_until_invalid" };
    expect(moveErrors({ ...move, repeat_until: "2030-09-11" })).to.deep.equal(until);
    expect(moveErrors({ ...move, repeat_until: "2030-09-12" })).to.deep.equal({});
    expect(moveErrors({ ...move, to_date: "2030-09-01", repeat_until: "2030-09-08" })).to.deep.equal(until);
    expect(moveErrors({ ...move, end_time: "08:00" })).to.deep.equal({ end_time: "errors.leave_availability_window_invalid" });
    expect(moveErrors({ ...move, repeat_weeks: null, repeat_until: "2030-12-01" })).to.deep.equal({
      repeat_until: "errors.leave_availability_repeat_required",
    });
  });

  it("deleting either half deletes both", () => {
    const halves = moveRules(move).map((rule, index) => ({ ...rule, id: String(index), pair_id: "pair" }));
    const other = entry("extra", "2030-09-12");
    const rows = [...halves, other];
    expect(deletedWith(halves[0] ?? other, rows)).to.deep.equal(halves);
    expect(deletedWith(halves[1] ?? other, rows)).to.deep.equal(halves);
    expect(deletedWith(other, [...rows, { ...other, id: "again" }])).to.deep.equal([other]);
  });
});

describe("a day of availability", () => {
  const windows = (date: string, ...entries: AvailabilityEntry[]): string => {
    const day = availabilityDay(date, person(), entries);
    return [...day.windows.map(({ start, end }) => `${start}-${end}`), day.change ?? "="].join(" ");
  };
  const TUESDAY = "2030-09-10";
  const SATURDAY = "2030-09-14";

  it("without rows is the scheduled day, with its instants", () => {
    expect(availabilityDay(TUESDAY, person(), [entry("extra", SATURDAY)])).to.deep.equal({
      date: TUESDAY,
      hours: "8.00",
      base_hours: "8.00",
      windows: [
        { start: "08:30", end: "12:30" },
        { start: "13:00", end: "17:00" },
      ],
      change: null,
      deviates: false,
      entry_ids: [],
      starts_at: "2030-09-10T08:30:00+02:00",
      ends_at: "2030-09-10T17:00:00+02:00",
    });
  });

  it("an empty day has no instants", () => {
    expect(availabilityDay(SATURDAY, person(), [])).to.include({
      hours: "0.00",
      starts_at: null,
      ends_at: null,
      change: null,
    });
  });

  it("a holiday does not remove availability", () => {
    expect(windows("2030-12-25")).to.equal("08:30-12:30 13:00-17:00 =");
  });

  it("extra joins, and the scheduled day's breaks are cut again", () => {
    expect(windows(TUESDAY, entry("extra", `${TUESDAY} 12:00-19:00`))).to.equal("08:30-12:30 13:00-19:00 changed");
    expect(windows(TUESDAY, entry("extra", `${TUESDAY} 19:00-21:00`))).to.equal("08:30-12:30 13:00-17:00 19:00-21:00 changed");
    expect(windows(TUESDAY, entry("extra", TUESDAY))).to.equal("08:30-12:30 13:00-17:00 =");
    expect(windows(SATURDAY, entry("extra", `${SATURDAY} 12:00-14:00`))).to.equal("12:00-14:00 added");
  });

  it("a whole extra day on an unworked day is a typical day: the person's first working one, else the default's", () => {
    const who = person({ contracts: [contract("2030-01-01", "2030-12-31", { schedule: UNEVEN_WEEK })] });
    const hours = (of: typeof who): string => availabilityDay(SATURDAY, of, [entry("extra", SATURDAY)]).hours;
    expect(hours(who)).to.equal("7.75");
    expect(hours(person({ profile: { schedule: week({}), hours_per_week: null } }))).to.equal("8.00");
  });

  it("a no beats a yes", () => {
    const extra = entry("extra", `${TUESDAY} 07:00-19:00`);
    expect(windows(TUESDAY, entry("unavailable", `${TUESDAY} 16:00-18:00`), extra)).to.equal(
      "07:00-12:30 13:00-16:00 18:00-19:00 changed",
    );
    expect(windows(TUESDAY, entry("unavailable", TUESDAY), extra)).to.equal("removed");
  });

  it("an open bound closes at the edge of the day's hours", () => {
    expect(windows(TUESDAY, entry("unavailable", `${TUESDAY} 15:00-`))).to.equal("08:30-12:30 13:00-15:00 changed");
    expect(windows(TUESDAY, entry("unavailable", `${TUESDAY} -10:00`))).to.equal("10:00-12:30 13:00-17:00 changed");
    expect(windows(TUESDAY, entry("extra", `${TUESDAY} 18:00-20:00`), entry("unavailable", `${TUESDAY} 19:00-`))).to.equal(
      "08:30-12:30 13:00-17:00 18:00-19:00 changed",
    );
    expect(windows(TUESDAY, entry("extra", `${TUESDAY} -07:00`), entry("extra", `${TUESDAY} 06:00-06:30`))).to.equal(
      "06:00-07:00 08:30-12:30 13:00-17:00 changed",
    );
  });

  it("or at midnight on an empty day, which prints as 23:59", () => {
    const day = availabilityDay(SATURDAY, person(), [entry("extra", `${SATURDAY} 10:00-`)]);
    expect(day).to.include({ hours: "14.00", starts_at: "2030-09-14T10:00:00+02:00", ends_at: "2030-09-14T23:59:00+02:00" });
    expect(windows(SATURDAY, entry("extra", `${SATURDAY} -06:00`))).to.equal("00:00-06:00 added");
    expect(windows(SATURDAY, entry("extra", `${SATURDAY} 10:00-`), entry("extra", `${SATURDAY} 12:00-14:00`))).to.equal(
      "10:00-14:00 added",
    );
    expect(windows(SATURDAY, entry("unavailable", `${SATURDAY} 10:00-`))).to.equal("=");
  });

  it("one that collapses covers nothing", () => {
    expect(windows(TUESDAY, entry("extra", `${TUESDAY} 18:00-`))).to.equal("08:30-12:30 13:00-17:00 =");
    expect(windows(TUESDAY, entry("extra", `${TUESDAY} -07:00`))).to.equal("08:30-12:30 13:00-17:00 =");
    expect(windows(TUESDAY, entry("unavailable", `${TUESDAY} 17:00-`))).to.equal("08:30-12:30 13:00-17:00 =");
    expect(windows(TUESDAY, entry("unavailable", `${TUESDAY} -08:30`))).to.equal("08:30-12:30 13:00-17:00 =");
  });

  it("the order of rows does not matter", () => {
    const rows = [
      entry("extra", `${TUESDAY} 18:00-20:00`),
      entry("extra", `${TUESDAY} 19:30-`),
      entry("unavailable", `${TUESDAY} 09:00-10:00`),
      entry("extra", `${TUESDAY} -09:30`),
    ];
    expect(windows(TUESDAY, ...rows)).to.equal(windows(TUESDAY, ...[...rows].reverse()));
  });

  it("the same hours at other times are a change; rows that change nothing still deviate", () => {
    const shifted = availabilityDay(TUESDAY, person(), [
      entry("unavailable", `${TUESDAY} -09:30`),
      entry("extra", `${TUESDAY} 17:00-18:00`),
    ]);
    expect(shifted).to.include({ hours: "8.00", change: "changed", deviates: true });
    const same = availabilityDay(TUESDAY, person(), [entry("extra", `${TUESDAY} 09:00-10:00`)]);
    expect(same).to.include({ change: null, deviates: true });
    expect(same.entry_ids).to.deep.equal([`extra ${TUESDAY} 09:00-10:00`]);
  });

  it("keeps the wall clock across clock changes", () => {
    expect(availabilityDay("2029-03-23", person(), []).starts_at).to.equal("2029-03-23T08:30:00+01:00");
    expect(availabilityDay("2029-03-26", person(), []).starts_at).to.equal("2029-03-26T08:30:00+02:00");
  });
});
