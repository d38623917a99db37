import { expect } from "chai";
import {
  type PlacedBooking,
  type PlacementSources,
  place,
  type SkipReason,
} from "../../../services/people/recurring/placement.ts";
import {
  candidates,
  editedPattern,
  horizonOf,
  type Pattern,
  patternErrors,
  planDecision,
  spreadInterval,
  storedCadence,
} from "../../../services/people/recurring/recurrence.ts";
import { balance, booking, contract, HOLIDAYS, person, pot, refusal, TYPES } from "./support.ts";

const pattern = (over: Partial<Pattern> = {}): Pattern => ({
  leave_type_id: "special",
  anchor_date: "2030-03-01",
  interval_weeks: 1,
  days_per_year: null,
  start_time: null,
  end_time: null,
  active: true,
  ...over,
});

describe("pattern", () => {
  it("a spread is stored with the interval it amounts to, 1 to 8 weeks", () => {
    expect([1, 4, 6, 7, 8, 13, 15, 26, 34, 35, 52, 104, 366].map(spreadInterval)).to.deep.equal([
      8, 8, 8, 7, 7, 4, 3, 2, 2, 1, 1, 1, 1,
    ]);
    expect([storedCadence(3, null), storedCadence(3, 26)]).to.deep.equal([3, 2]);
  });

  it("reaches to the last contract's end, or the organisation's horizon when one is open or there is none", () => {
    expect(horizonOf([], "2029-08-31", 6)).to.equal("2030-02-28");
    expect(horizonOf([contract("2029-01-01", "2031-03-31"), contract("2028-01-01", "2028-12-31")], "2029-08-31", 6)).to.equal(
      "2031-03-31",
    );
    expect(horizonOf([contract("2028-01-01", "2028-12-31"), contract("2029-01-01", null)], "2029-08-31", 12)).to.equal(
      "2030-08-31",
    );
    expect(horizonOf([contract("2028-01-01", "2028-12-31")], "2029-08-31", 12)).to.equal("2028-12-31");
  });

  it("reaches no further than 2100 where a contract ends in 9999", () => {
    expect(horizonOf([contract("2029-01-01", "9999-12-31")], "2029-08-31", 6)).to.equal("2100-12-31");
  });

  it("interval: anchor, anchor + n weeks, … through the horizon", () => {
    const dates = (over: Partial<Pattern>, horizon: string): string[] =>
      candidates(pattern(over), horizon).map((one) => one.date);
    expect(dates({ interval_weeks: 2 }, "2030-03-29")).to.deep.equal(["2030-03-01", "2030-03-15", "2030-03-29"]);
    expect(dates({ interval_weeks: 8 }, "2030-04-25")).to.deep.equal(["2030-03-01"]);
    expect(dates({}, "2030-02-28")).to.deep.equal([]);
    expect(dates({}, "2030-03-01")).to.deep.equal(["2030-03-01"]);
  });

  it("spread: per calendar year a target in proportion, quotas from the anchor on", () => {
    const list = candidates(pattern({ days_per_year: 13 }), "2031-03-31");
    const of = (year: string) => list.filter((one) => one.date.startsWith(year));
    expect([of("2030").length, of("2030").at(-1)?.quota]).to.deep.equal([44, 11]);
    expect([of("2031").length, of("2031").at(-1)?.quota, of("2031")[0]?.date]).to.deep.equal([13, 3, "2031-01-03"]);
    expect(
      of("2030")
        .slice(0, 9)
        .map((one) => one.quota),
    ).to.deep.equal([1, 1, 1, 1, 2, 2, 2, 2, 3]);
  });

  it("spread: the target is rounded half up, and may be nothing", () => {
    const target = (days: number, anchor: string, horizon: string): number | null | undefined =>
      candidates(pattern({ days_per_year: days, anchor_date: anchor }), horizon).at(-1)?.quota;
    expect(target(2, "2030-12-06", "2030-12-31")).to.equal(0); // 2 × 4 ÷ 52 = 0.15
    expect(target(26, "2030-12-27", "2030-12-31")).to.equal(1); // 0.5
    expect(target(1, "2030-07-05", "2030-12-31")).to.equal(1); // 26 ÷ 52 = 0.5
    expect(target(1, "2030-07-12", "2030-12-31")).to.equal(0); // 25 ÷ 52
    expect(target(366, "2030-12-06", "2030-12-31")).to.equal(28);
  });

  it("a window follows the same-day rule", () => {
    const wrong = { end_time: "errors.leave_end_time_before_start" };
    expect(patternErrors(pattern({ start_time: "13:00", end_time: "13:00" }))).to.deep.equal(wrong);
    expect(patternErrors(pattern({ start_time: "13:00", end_time: "13:01" }))).to.deep.equal({});
    expect(patternErrors(pattern({ start_time: "13:00" }))).to.deep.equal({});
  });

  it("an edit keeps omitted fields; null days per year return to the interval", () => {
    const spread = pattern({ days_per_year: 13, interval_weeks: 4, start_time: "13:00" });
    expect(editedPattern(spread, {})).to.deep.equal(spread);
    expect(editedPattern(spread, { days_per_year: null })).to.deep.equal({ ...spread, days_per_year: null });
    expect(editedPattern(spread, { days_per_year: null, interval_weeks: 2 })).to.include({
      interval_weeks: 2,
      days_per_year: null,
    });
    expect(editedPattern(spread, { interval_weeks: 2 })).to.include({ interval_weeks: 4, days_per_year: 13 });
    expect(editedPattern(spread, { days_per_year: 26 })).to.include({ interval_weeks: 2 });
    expect(editedPattern(spread, { start_time: null, active: false })).to.include({ start_time: null, active: false });
  });

  it("is planned by a manager for anyone, by others for themselves on self-service types", () => {
    const manager = { user_id: "m", manages_profiles: true };
    const member = { user_id: "u", manages_profiles: false };
    const plan = (planner: typeof manager, userId: string, over: object = {}): string | null =>
      refusal(planDecision(planner, userId, { active: true, requires_approval: true, ...over }));
    expect(plan(manager, "u")).to.equal(null);
    expect(plan(member, "u")).to.equal("errors.leave_recurring_needs_manager");
    expect(plan(member, "u", { requires_approval: false })).to.equal(null);
    expect(plan(member, "x", { requires_approval: false })).to.equal("errors.leave_recurring_needs_manager");
    expect(plan(manager, "u", { active: false })).to.equal("leave_type_id=errors.validation");
    expect(plan(member, "u", { active: false, requires_approval: false })).to.equal("leave_type_id=errors.validation");
  });
});

describe("placement", () => {
  const sources = (over: Partial<PlacementSources> = {}): PlacementSources => ({
    ...balance(),
    person: person({ contracts: [contract("2030-01-01", "2030-12-31")] }),
    holidays: HOLIDAYS,
    bookings: [],
    spent: new Set(),
    horizon_months: 12,
    today: "2030-02-01",
    ...over,
  });
  const dates = (asked: Pattern, over: Partial<PlacementSources> = {}): string[] =>
    place(asked, sources(over)).placed.map((one) => one.start_date);
  const why = (asked: Pattern, date: string, over: Partial<PlacementSources> = {}): SkipReason | undefined =>
    place(asked, sources(over)).skipped.find((one) => one.date === date)?.reason;
  const booked = (start_date: string, end_date = start_date, over: Partial<PlacedBooking> = {}): PlacedBooking => ({
    ...booking("sick", start_date, 8),
    end_date,
    ...over,
  });
  const quarterly = pattern({ interval_weeks: 8, anchor_date: "2030-03-01" });

  it("gives one-day requests with the pattern's window, priced", () => {
    const { placed } = place(pattern({ interval_weeks: 8, start_time: "13:30", end_time: "15:00" }), sources());
    expect(placed[0]).to.deep.equal({
      start_date: "2030-03-01",
      end_date: "2030-03-01",
      start_time: "13:30",
      end_time: "15:00",
      minutes: 90,
      hours: "1.50",
    });
    expect(placed.map((one) => one.start_date)).to.deep.equal([
      "2030-03-01",
      "2030-04-26",
      "2030-06-21",
      "2030-08-16",
      "2030-10-11",
      "2030-12-06",
    ]);
  });

  it("never before today, never past the horizon", () => {
    expect(dates(quarterly, { today: "2030-04-26" })[0]).to.equal("2030-04-26");
    expect(dates(quarterly, { today: "2030-04-27" })[0]).to.equal("2030-06-21");
    expect(dates(quarterly, { person: person({ contracts: [contract("2029-01-01", "2030-01-31")] }) })).to.deep.equal([]);
    expect(dates(quarterly, { person: person(), horizon_months: 1 })).to.deep.equal(["2030-03-01"]);
  });

  it("nothing for an inactive pattern, an inactive type, or none", () => {
    expect(dates(pattern({ active: false }))).to.deep.equal([]);
    expect(dates(pattern({ leave_type_id: "gone" }))).to.deep.equal([]);
    expect(dates(pattern(), { types: TYPES.map((type) => ({ ...type, active: false })) })).to.deep.equal([]);
  });

  it("a spent date is never placed again", () => {
    expect(why(quarterly, "2030-06-21", { spent: new Set(["2030-06-21"]) })).to.equal("spent");
    expect(dates(quarterly, { spent: new Set(["2030-06-21"]) })).to.have.length(5);
  });

  it("skips holidays and unscheduled days, and days that occupying leave covers", () => {
    expect(why(pattern({ anchor_date: "2030-04-05", interval_weeks: 2 }), "2030-04-19")).to.equal("not_worked");
    expect(dates(pattern({ anchor_date: "2030-03-02" }))).to.deep.equal([]);
    const bookings = [booked("2030-04-22", "2030-04-26"), booked("2030-06-20"), booked("2030-08-16", "2030-08-19")];
    expect(dates(quarterly, { bookings })).to.deep.equal(["2030-03-01", "2030-06-21", "2030-10-11", "2030-12-06"]);
    expect(why(quarterly, "2030-04-26", { bookings })).to.equal("occupied");
  });

  it("a pattern on a type without a balance needs none", () => expect(dates(quarterly)).to.have.length(6));

  describe("on a type that tracks a balance", () => {
    const tracked = { ...quarterly, leave_type_id: "roostervrij" };

    it("stops when what remains is below the day's price", () => {
      expect(dates(tracked)).to.deep.equal([]);
      expect(why(tracked, "2030-03-01")).to.equal("balance");
      expect(dates(tracked, { pots: [pot("roostervrij", 2030, 16)] })).to.have.length(2);
      expect(dates(tracked, { pots: [pot("roostervrij", 2030, "15.99")] })).to.have.length(1);
      const bookings = [booked("2030-11-01", "2030-11-01", { leave_type_id: "roostervrij" })];
      expect(dates(tracked, { pots: [pot("roostervrij", 2030, 16)], bookings })).to.have.length(1);
    });

    it("counts each year's own balance", () => {
      const over = {
        person: person({ contracts: [contract("2030-01-01", "2031-12-31")] }),
        pots: [pot("roostervrij", 2030, 8), pot("roostervrij", 2031, 16)],
      };
      expect(dates(tracked, over)).to.deep.equal(["2030-03-01", "2031-01-31", "2031-03-28"]);
    });

    it("in a group it counts the type's own remaining, and a second run places nothing", () => {
      const extra = { ...quarterly, leave_type_id: "vacation_extra" };
      const pots = [pot("vacation_statutory", 2030, 12), pot("vacation_extra", 2030, 8)];
      const first = place(extra, sources({ pots })).placed;
      expect(first.map((one) => one.start_date)).to.deep.equal(["2030-03-01", "2030-04-26"]);
      const bookings = first.map((one) => booked(one.start_date, one.start_date, { leave_type_id: "vacation_extra" }));
      const spent = new Set(first.map((one) => one.start_date));
      expect(dates(extra, { pots, bookings, spent })).to.deep.equal([]);
      expect(dates({ ...quarterly, leave_type_id: "vacation_statutory" }, { pots })).to.deep.equal(["2030-03-01"]);
    });
  });

  describe("spread", () => {
    const monthly = pattern({ days_per_year: 13, anchor_date: "2030-03-29" });

    it("a candidate lost to a holiday slides to the next week", () => {
      // Good Friday 2030-04-19 is the fifth candidate, the second day's turn
      const list = dates(pattern({ days_per_year: 13, anchor_date: "2030-03-22" }));
      expect(list.slice(0, 3)).to.deep.equal(["2030-03-22", "2030-04-26", "2030-05-17"]);
    });

    it("spent dates count toward the quota, moved and cancelled ones alike", () => {
      const all = dates(monthly);
      const spent = new Set(all.slice(0, 3));
      expect(dates(monthly, { spent })).to.deep.equal(all.slice(3));
      expect(why(monthly, all[3] ?? "", { spent: new Set(all) })).to.equal("spent");
      expect(dates(monthly, { spent: new Set(all) })).to.deep.equal([]);
    });

    it("quotas start at the anchor, not at today: a later run hands out nothing extra", () => {
      const all = dates(monthly);
      const later = { today: "2030-08-01", spent: new Set(all) };
      expect(dates(monthly, later)).to.deep.equal([]);
      expect(why(monthly, "2030-08-02", later)).to.equal("quota");
    });

    it("runs month by month to the same days as at once", () => {
      const open = person();
      let spent = new Set<string>();
      for (const today of ["2030-02-01", "2030-03-01", "2030-04-01", "2030-05-01", "2030-06-01"]) {
        const run = place(monthly, sources({ person: open, horizon_months: 24, today, spent }));
        spent = new Set([...spent, ...run.placed.map((one) => one.start_date)]);
      }
      expect([...spent].filter((date) => date.startsWith("2030"))).to.deep.equal(dates(monthly));
      expect([...spent].filter((date) => date.startsWith("2031"))).to.have.length(13);
    });
  });
});
