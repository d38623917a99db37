import { expect } from "chai";
import {
  derivesByItself,
  derivesOnRead,
  eligibleForPots,
  missingPots,
  potAfterPut,
  rederivedPots,
  reproratedPots,
  type StoredPot,
  yearsToRederive,
} from "../../../services/people/pots/derivation.ts";
import { accruingContracts, derivedPots, freeTimePot, weeksPot } from "../../../services/people/pots/proration.ts";
import { contract, holder, typeOf, UNEVEN_WEEK, week, weekOf } from "./support.ts";

const freelance = { employment_type: "freelance", contract_hours_per_week: null } as const;

describe("weeks types", () => {
  it("count employee contracts that overlap the year, by days covered", () => {
    const contracts = [
      contract("2030-07-01", null, 20),
      contract("2029-01-01", "2030-06-30", 40),
      contract("2031-01-01", null, 10),
    ];
    expect(accruingContracts(contracts, 2030).map((one) => one.contract_hours_per_week)).to.deep.equal([40, 20]);
    expect(weeksPot("4", holder({ contracts }), 2030)).to.equal("119.67"); // (40 × 181 + 20 × 184) × 4 ÷ 365
    expect(weeksPot("2.5", holder({ contracts: [contract("2030-01-01", null, 40)] }), 2030)).to.equal("100.00");
  });

  it("round once, half to even", () => {
    const split = holder({ contracts: [contract("2030-01-01", "2030-01-01", 1), contract("2030-01-02", "2030-01-02", 1)] });
    expect(weeksPot("1", split, 2030)).to.equal("0.01"); // 2 ÷ 365 = 0.0055; rounded apart it would be 0.00 + 0.00
    const half = holder({ contracts: [contract("2030-01-01", null, 0.25)] });
    expect(weeksPot("0.5", half, 2030)).to.equal("0.12");
    expect(weeksPot("1.5", half, 2030)).to.equal("0.38");
  });

  it("a person who ever had a contract gets nothing without an accruing one", () => {
    expect(weeksPot("4", holder({ ever_contracted: true }), 2030)).to.equal(null);
    expect(weeksPot("4", holder({ contracts: [contract("2031-01-01", null)] }), 2030)).to.equal(null);
    expect(weeksPot("4", holder({ contracts: [contract("2029-01-01", "2029-12-31")] }), 2030)).to.equal(null);
    expect(weeksPot("4", holder({ contracts: [contract("2030-01-01", null, freelance)] }), 2030)).to.equal(null);
  });

  it("one who never had gets the full uncontracted pot, if they may write time", () => {
    expect(weeksPot("4", holder(), 2030)).to.equal("160.00");
    expect(weeksPot("4", holder({ profile: { schedule: UNEVEN_WEEK, hours_per_week: null } }), 2030)).to.equal("63.00");
    expect(weeksPot("4", holder({ writes_time: false }), 2030)).to.equal(null);
  });

  it("a contract accrues whether or not its holder may write time", () => {
    expect(weeksPot("4", holder({ contracts: [contract("2030-01-01", null, 40)], writes_time: false }), 2030)).to.equal("160.00");
  });
});

describe("free-time types", () => {
  const whole = (hours: number, over: object = {}) =>
    holder({ contracts: [contract("2030-01-01", "2030-12-31", { contract_hours_per_week: hours, ...over })] });

  it("the gap to the norm by days, to the nearest half of an average day", () => {
    expect(freeTimePot(whole(36), 2030)).to.equal("208.00");
    expect(freeTimePot(whole(40), 2030)).to.equal(null);
    expect(freeTimePot(whole(44), 2030)).to.equal(null);
    expect(freeTimePot(whole(39.99), 2030)).to.equal(null); // 0.52 h: nearer to nothing than to half a day
    expect(freeTimePot(holder(), 2030)).to.equal(null);
    expect(freeTimePot(whole(32, freelance), 2030)).to.equal(null);
  });

  it("rounds a tie half up", () => {
    const sixWeeks = holder({ contracts: [contract("2030-01-01", "2030-02-11", { free_time_hours_per_week: 1 })] });
    expect(freeTimePot(sixWeeks, 2030)).to.equal("8.00"); // 6.00 h = 1.5 halves of 4 h
    const tenWeeks = holder({ contracts: [contract("2030-01-01", "2030-03-11", { free_time_hours_per_week: 1 })] });
    expect(freeTimePot(tenWeeks, 2030)).to.equal("12.00"); // 10.00 h = 2.5 halves
  });

  it("the half day is of the last accruing contract's week, else the profile's, else the default's", () => {
    const contracts = [
      contract("2030-01-01", "2030-06-30", { contract_hours_per_week: 36, schedule: week({ mon: "09:00-12:00" }) }),
      contract("2030-07-01", "2030-11-30", { contract_hours_per_week: 36, schedule: weekOf("09:00-15:00") }),
      contract("2030-12-01", null, freelance),
    ];
    expect(freeTimePot(holder({ contracts }), 2030)).to.equal("192.00"); // 4 × 334 ÷ 7 = 190.86 = 63.6 halves of 3 h
    const inheriting = [contract("2030-01-01", "2030-11-30", 36)];
    const profile = { schedule: weekOf("09:00-14:00"), hours_per_week: null };
    expect(freeTimePot(holder({ contracts: inheriting, profile }), 2030)).to.equal("190.00"); // halves of 2.5 h
    expect(freeTimePot(holder({ contracts: inheriting }), 2030)).to.equal("192.00"); // halves of 4 h
  });

  it("a week without work has no half day and so no pot", () => {
    expect(freeTimePot(whole(36, { schedule: week({}) }), 2030)).to.equal(null);
  });

  it("days of an average day with a fraction of hundredths fit the days placed from it", () => {
    const uneven = whole(36, { schedule: weekOf("09:00-16:20") });
    expect(freeTimePot(uneven, 2030)).to.equal("208.90"); // 57 × 7.33 ÷ 2, half to even
  });
});

describe("derived pots", () => {
  it("follow the types: inactive none, free time ignores its weeks, weeks need tracking and weeks", () => {
    const types = [
      typeOf("off", { active: false, tracks_balance: true, default_weeks: "1" }),
      typeOf("untracked", { default_weeks: "1" }),
      typeOf("no_weeks", { tracks_balance: true }),
      typeOf("zero", { tracks_balance: true, default_weeks: 0 }),
      typeOf("free", { accrues_schedule_gap: true, tracks_balance: true, default_weeks: "3" }),
    ];
    const who = holder({ contracts: [contract("2030-01-01", "2030-12-31", 36)] });
    expect(derivedPots(types, who, 2030)).to.deep.equal([
      { leave_type_id: "zero", year: 2030, hours: "0.00" },
      { leave_type_id: "free", year: 2030, hours: "208.00" },
    ]);
  });
});

describe("derivation", () => {
  const generated = (leave_type_id: string, hours: string, year = 2030): StoredPot => ({
    leave_type_id,
    year,
    hours,
    source: "generated",
  });
  const manual = (leave_type_id: string, hours: string): StoredPot => ({ ...generated(leave_type_id, hours), source: "manual" });
  const derived = [
    { leave_type_id: "a", year: 2030, hours: "80.00" },
    { leave_type_id: "b", year: 2030, hours: "20.00" },
  ];
  const contracts = [contract("2030-06-01", null)];

  it("adds missing pots only", () => {
    expect(missingPots([], derived)).to.deep.equal(derived);
    expect(missingPots([manual("a", "1")], derived)).to.deep.equal([derived[1]]);
    expect(missingPots([generated("a", "1", 2029)], derived)).to.deep.equal(derived);
  });

  it("a change of contract replaces generated pots, leaves manual ones, and adds what is missing", () => {
    const stored = [generated("a", "160.00"), manual("b", "5"), generated("c", "8.00")];
    expect(rederivedPots(stored, derived, contracts, 2030)).to.deep.equal({
      remove: [stored[0], stored[2]],
      create: [derived[0]],
    });
    expect(rederivedPots([], derived, contracts, 2030)).to.deep.equal({ remove: [], create: derived });
  });

  it("nothing is derived for a year no contract overlaps", () => {
    expect(rederivedPots([generated("a", "160.00")], derived, contracts, 2029).create).to.deep.equal([]);
    expect(rederivedPots([generated("a", "160.00")], derived, [], 2030)).to.deep.equal({
      remove: [generated("a", "160.00")],
      create: [],
    });
  });

  it("a pot with an unchanged figure is left alone", () => {
    expect(rederivedPots([generated("a", "80"), generated("b", "20.0")], derived, contracts, 2030)).to.deep.equal({
      remove: [],
      create: [],
    });
  });

  it("a change of a type's weeks replaces generated pots of that type, and gives one to who accrues and lacks it", () => {
    const stored = [generated("a", "40.00"), generated("b", "10.00")];
    expect(reproratedPots(stored, derived, [], 2030, "a")).to.deep.equal({ remove: [stored[0]], create: [derived[0]] });
    expect(reproratedPots([generated("b", "10.00")], derived, [], 2030, "a")).to.deep.equal({ remove: [], create: [derived[0]] });
    expect(reproratedPots([manual("b", "1.00")], derived, contracts, 2030, "a")).to.deep.equal({
      remove: [],
      create: [derived[0]],
    });
    expect(reproratedPots([manual("b", "1.00")], derived, [], 2030, "a")).to.deep.equal({ remove: [], create: [] });
    expect(reproratedPots([manual("a", "40.00")], derived, contracts, 2030, "a")).to.deep.equal({ remove: [], create: [] });
    expect(reproratedPots([generated("a", "40.00")], [], [], 2030, "a")).to.deep.equal({
      remove: [generated("a", "40.00")],
      create: [],
    });
  });

  it("creates every pot of the year for a person with a contract and no pot, and none without a contract", () => {
    expect(reproratedPots([], derived, contracts, 2030, "a")).to.deep.equal({ remove: [], create: derived });
    expect(reproratedPots([], derived, [], 2030, "a")).to.deep.equal({ remove: [], create: [] });
  });

  it("a change of the norm does so for every type", () => {
    const stored = [generated("a", "40.00"), generated("b", "10.00"), manual("c", "1")];
    expect(reproratedPots(stored, derived, [], 2030, null)).to.deep.equal({ remove: stored.slice(0, 2), create: derived });
  });

  it("concerns today's year and later ones that have pots, never past years", () => {
    expect(yearsToRederive("2030-05-01", [2028, 2032], [2029, 2031])).to.deep.equal([2030, 2031, 2032]);
    expect(yearsToRederive("2030-05-01", [], [])).to.deep.equal([2030]);
    expect(yearsToRederive("2030-05-01", [2030, 2031], [2031])).to.deep.equal([2030, 2031]);
  });

  it("a read derives today's year and the next, for who has no pot at all in it", () => {
    expect([2028, 2029, 2030, 2031, 2032].map((year) => derivesByItself(year, "2030-12-31"))).to.deep.equal([
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(derivesOnRead(2031, "2030-12-31", [])).to.equal(true);
    expect(derivesOnRead(2031, "2030-12-31", [manual("a", "1")])).to.equal(true);
    expect(derivesOnRead(2030, "2030-12-31", [manual("a", "1")])).to.equal(false);
    expect(derivesOnRead(2029, "2030-12-31", [])).to.equal(false);
  });

  it("generate considers who may write time or has a contract that overlaps the year", () => {
    expect(eligibleForPots([], true, 2030)).to.equal(true);
    expect(eligibleForPots([], false, 2030)).to.equal(false);
    expect(eligibleForPots(contracts, false, 2030)).to.equal(true);
    expect(eligibleForPots(contracts, false, 2029)).to.equal(false);
  });

  it("a pot set by hand is manual, but re-sending the stored hours is not an override", () => {
    expect(potAfterPut(null, 8)).to.deep.equal({ hours: "8.00", source: "manual" });
    expect(potAfterPut({ hours: "160.00", source: "generated" }, 160)).to.deep.equal({ hours: "160.00", source: "generated" });
    expect(potAfterPut({ hours: "160.00", source: "generated" }, "160.01")).to.deep.equal({ hours: "160.01", source: "manual" });
    expect(potAfterPut({ hours: "8", source: "manual" }, 8).source).to.equal("manual");
  });
});
