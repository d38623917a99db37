import { expect } from "chai";
import { DEFAULT_SETTINGS, fullTimeNorm, normChanged } from "../../../services/people/settings/settings.ts";
import {
  type Contract,
  contractErrors,
  contractRefusal,
  effectiveFreeTime,
  patchRederives,
  scheduledHours,
} from "../../../services/people/working-time/contract.ts";
import { covers, daysCovered, inForce, sharesDay, unended } from "../../../services/people/working-time/period.ts";
import {
  currentWeeklyHours,
  listsProfile,
  profileChange,
  profileOn,
  scheduledDay,
  weeklyHoursAllowed,
  weekOn,
} from "../../../services/people/working-time/schedule.ts";
import { DEFAULT_WEEK } from "../../../services/people/working-time/week.ts";
import { contract, person, UNEVEN_WEEK, weekOf } from "./support.ts";

const NINE_TO_FIVE = weekOf("09:00-17:00");
const SIX_HOURS = weekOf("09:00-15:00");

describe("week of a date", () => {
  const who = person({
    contracts: [contract("2029-01-01", "2029-06-30", { schedule: UNEVEN_WEEK }), contract("2029-07-01", "2029-12-31")],
    profile: { schedule: SIX_HOURS, hours_per_week: "30.00" },
  });

  it("the contract's own, else the profile's, else the organisation's; null inherits", () => {
    expect(weekOn(who, "2029-01-01")).to.equal(UNEVEN_WEEK);
    expect(weekOn(who, "2029-06-30")).to.equal(UNEVEN_WEEK);
    expect(weekOn(who, "2029-07-01")).to.equal(SIX_HOURS);
    expect(weekOn(who, "2030-01-01")).to.equal(SIX_HOURS);
    expect(weekOn({ ...who, profile: { schedule: null, hours_per_week: "30" } }, "2029-07-01")).to.equal(DEFAULT_WEEK);
    expect(weekOn({ ...who, profile: null }, "2028-12-31")).to.equal(DEFAULT_WEEK);
    expect(scheduledDay(who, "2029-06-26")).to.equal(null);
    expect(scheduledDay(who, "2029-07-03")?.end).to.equal("15:00");
  });

  it("a freelance period carries a week as well", () => {
    const freelance = contract("2029-01-01", null, {
      employment_type: "freelance",
      contract_hours_per_week: null,
      schedule: SIX_HOURS,
    });
    expect(weekOn(person({ contracts: [freelance] }), "2029-03-01")).to.equal(SIX_HOURS);
  });
});

describe("profile", () => {
  it("hours follow the schedule in force", () => {
    const contracts = [contract("2029-01-01", "2029-06-30", { schedule: UNEVEN_WEEK })];
    const who = person({ contracts, profile: { schedule: SIX_HOURS, hours_per_week: 12 } });
    expect(profileOn(who, "2029-03-01")).to.deep.equal({
      schedule: UNEVEN_WEEK,
      hours_per_week: "15.75",
      hours_per_day: "5.25",
      inherited: false,
      employment_type: "employee",
    });
    expect(profileOn(who, "2029-07-01")).to.deep.equal({
      schedule: SIX_HOURS,
      hours_per_week: "30.00",
      hours_per_day: "6.00",
      inherited: false,
      employment_type: null,
    });
  });

  it("a stored number wins where no own schedule is: a 32-hour part-timer on the default week stays 32", () => {
    const who = person({ profile: { schedule: null, hours_per_week: "32" } });
    expect(profileOn(who, "2029-03-01")).to.include({ hours_per_week: "32.00", hours_per_day: "8.00", inherited: true });
    expect(profileOn(person(), "2029-03-01")).to.include({ hours_per_week: "40.00", inherited: true, employment_type: null });
    const inheriting = person({ ...who, contracts: [contract("2029-01-01", null, { employment_type: "freelance" })] });
    expect(profileOn(inheriting, "2029-03-01")).to.include({
      hours_per_week: "32.00",
      inherited: true,
      employment_type: "freelance",
    });
  });

  it("current weekly hours leave contracts aside", () => {
    expect(currentWeeklyHours(person({ profile: { schedule: SIX_HOURS, hours_per_week: 12 } }))).to.equal("30.00");
    expect(currentWeeklyHours(person({ profile: { schedule: null, hours_per_week: 12 } }))).to.equal("12.00");
    expect(currentWeeklyHours(person({ profile: { schedule: null, hours_per_week: null } }))).to.equal("40.00");
    expect(currentWeeklyHours(person({ contracts: [contract("2029-01-01", null, { schedule: SIX_HOURS })] }))).to.equal("40.00");
  });

  it("lists members with a stored profile or a contract in force that carries a week", () => {
    const today = "2029-03-01";
    expect(listsProfile(person(), today)).to.equal(false);
    expect(listsProfile(person({ profile: { schedule: null, hours_per_week: null } }), today)).to.equal(true);
    expect(listsProfile(person({ contracts: [contract("2029-01-01", null)] }), today)).to.equal(false);
    const own = contract("2029-01-01", "2029-06-30", { schedule: SIX_HOURS });
    expect(listsProfile(person({ contracts: [own] }), today)).to.equal(true);
    expect(listsProfile(person({ contracts: [own] }), "2029-07-01")).to.equal(false);
  });

  describe("PUT", () => {
    const ended = contract("2028-01-01", "2029-02-28", { schedule: UNEVEN_WEEK });
    const today = contract("2029-03-01", "2029-03-01");
    const future = contract("2029-09-01", null);
    const contracts = [ended, today, future];

    it("a schedule is stored with its hours and written onto contracts not yet ended", () => {
      const change = profileChange({ schedule: SIX_HOURS, hours_per_week: 12 }, null, contracts, "2029-03-01");
      expect(change.profile).to.deep.equal({ schedule: SIX_HOURS, hours_per_week: "30.00" });
      expect(change.contracts).to.deep.equal([
        { ...today, schedule: SIX_HOURS },
        { ...future, schedule: SIX_HOURS },
      ]);
      expect(change.rederives).to.equal(true);
    });

    it("a null schedule goes back to the default week and its hours, on contracts as well", () => {
      const stored = { schedule: SIX_HOURS, hours_per_week: "30.00" };
      const change = profileChange({ schedule: null }, stored, [{ ...future, schedule: SIX_HOURS }], "2029-03-01");
      expect(change.profile).to.deep.equal({ schedule: null, hours_per_week: null });
      expect(change.contracts).to.deep.equal([future]);
    });

    it("without a contract to change nothing is recomputed", () => {
      expect(profileChange({ schedule: SIX_HOURS }, null, [ended], "2029-03-01")).to.include({ rederives: false });
    });

    it("hours alone are stored only where no own schedule is", () => {
      const stored = { schedule: SIX_HOURS, hours_per_week: "30.00" };
      const unchanged = { profile: stored, contracts: [], rederives: false };
      expect(profileChange({ hours_per_week: 32 }, null, contracts, "2029-03-01")).to.deep.equal({
        profile: { schedule: null, hours_per_week: "32.00" },
        contracts: [],
        rederives: false,
      });
      expect(profileChange({ hours_per_week: 32 }, stored, contracts, "2029-03-01")).to.deep.equal(unchanged);
      expect(profileChange({ hours_per_week: null }, stored, contracts, "2029-03-01")).to.deep.equal(unchanged);
      const bare = { schedule: null, hours_per_week: "24.00" };
      expect(profileChange({ hours_per_week: null }, bare, [], "2029-03-01").profile).to.deep.equal(bare);
      expect(profileChange({}, bare, contracts, "2029-03-01").profile).to.deep.equal(bare);
    });

    it("hours are above 0 and at most 80", () => {
      expect([0, "0.01", 80, "80.01", -1].map(weeklyHoursAllowed)).to.deep.equal([false, true, true, false, false]);
    });
  });
});

describe("contract", () => {
  const errors = (over: Partial<Contract>): object => contractErrors(contract("2029-01-01", null, over));

  it("needs hours unless it is freelance; kind and hours may change together", () => {
    const required = { contract_hours_per_week: "errors.leave_contract_hours_required" };
    expect(errors({ contract_hours_per_week: null })).to.deep.equal(required);
    expect(errors({ contract_hours_per_week: null, employment_type: "freelance" })).to.deep.equal({});
    expect(errors({ contract_hours_per_week: 24, employment_type: "freelance" })).to.deep.equal({});
  });

  it("hours are above 0 and at most 80, free time 0 to 80", () => {
    const wrong = { contract_hours_per_week: "errors.validation" };
    expect([0, -1, 80.5].map((hours) => errors({ contract_hours_per_week: hours }))).to.deep.equal([wrong, wrong, wrong]);
    expect([0.5, 80].map((hours) => errors({ contract_hours_per_week: hours }))).to.deep.equal([{}, {}]);
    const free = { free_time_hours_per_week: "errors.validation" };
    expect([-1, 81].map((hours) => errors({ free_time_hours_per_week: hours }))).to.deep.equal([free, free]);
    expect([0, 80].map((hours) => errors({ free_time_hours_per_week: hours }))).to.deep.equal([{}, {}]);
  });

  it("ends on or after its start", () => {
    expect(errors({ end_date: "2028-12-31" })).to.deep.equal({ end_date: "errors.leave_end_before_start" });
    expect(errors({ end_date: "2029-01-01" })).to.deep.equal({});
  });

  it("shares no day with another period; adjacent is fine", () => {
    const one = { ...contract("2029-01-01", "2029-06-30"), id: "one" };
    expect(contractRefusal(contract("2029-06-30", null), [one])?.message).to.equal("errors.leave_contract_overlap");
    expect(contractRefusal(contract("2029-07-01", null), [one])).to.equal(null);
    expect(contractRefusal(contract("2028-01-01", "2028-12-31"), [one])).to.equal(null);
    expect(contractRefusal(contract("2028-01-01", null), [one])?.code).to.equal("conflict");
    expect(contractRefusal(contract("2028-01-01", null), [one])?.details).to.deep.equal({
      contract_id: "one",
      start_date: "2029-01-01",
      end_date: "2029-06-30",
    });
    expect(contractRefusal(contract("2029-06-30", "2029-06-01"), [one])?.code).to.equal("validation");
    expect(sharesDay(contract("2029-01-01", null), contract("2040-01-01", null))).to.equal(true);
  });

  it("knows the period in force and the days of a year it covers", () => {
    const periods = [contract("2029-01-01", "2029-06-30"), contract("2029-07-01", null)];
    expect(inForce(periods, "2029-06-30")).to.equal(periods[0]);
    expect(inForce(periods, "2045-01-01")).to.equal(periods[1]);
    expect(inForce(periods, "2028-12-31")).to.equal(null);
    expect(periods.map((period) => daysCovered(period, 2029))).to.deep.equal([181, 184]);
    expect(periods.map((period) => daysCovered(period, 2028))).to.deep.equal([0, 0]);
    expect(periods.map((period) => daysCovered(period, 2032))).to.deep.equal([0, 366]);
    expect(unended(periods, "2029-06-30")).to.deep.equal(periods);
    expect(unended(periods, "2029-07-01")).to.deep.equal([periods[1]]);
    expect(covers(contract("2029-01-01", "2029-01-01"), "2029-01-01")).to.equal(true);
  });

  it("free time: none for freelance, else the agreed figure, else the gap to the norm", () => {
    const free = (over: Partial<Contract>): string => effectiveFreeTime(contract("2029-01-01", null, over), "40.00");
    expect(free({ contract_hours_per_week: 32 })).to.equal("8.00");
    expect(free({ contract_hours_per_week: 44 })).to.equal("0.00");
    expect(free({ contract_hours_per_week: 32, free_time_hours_per_week: 0 })).to.equal("0.00");
    expect(free({ contract_hours_per_week: 32, free_time_hours_per_week: "3.5" })).to.equal("3.50");
    expect(free({ contract_hours_per_week: 32, free_time_hours_per_week: 4, employment_type: "freelance" })).to.equal("0.00");
    expect(free({ contract_hours_per_week: null, employment_type: "freelance" })).to.equal("0.00");
  });

  it("scheduled hours are those of its own week, else the person's", () => {
    expect(scheduledHours(contract("2029-01-01", null, { schedule: UNEVEN_WEEK }), "32")).to.equal("15.75");
    expect(scheduledHours(contract("2029-01-01", null), "32")).to.equal("32.00");
  });

  it("recomputes pots for every change but that of a note", () => {
    const keys = ["start_date", "end_date", "employment_type", "contract_hours_per_week", "free_time_hours_per_week", "schedule"];
    for (const key of keys) expect(patchRederives(["note", key]), key).to.equal(true);
    expect(patchRederives(["note"])).to.equal(false);
    expect(patchRederives([])).to.equal(false);
  });
});

describe("settings and rates", () => {
  it("without a row the defaults hold", () => {
    expect(DEFAULT_SETTINGS).to.deep.equal({
      default_schedule: DEFAULT_WEEK,
      holiday_country: null,
      holiday_auto_import: true,
      self_approval: false,
      recurring_horizon_months: 12,
      default_hourly_rate: null,
    });
  });

  it("the full-time norm is the week hours of the default schedule", () => {
    expect(fullTimeNorm({ default_schedule: UNEVEN_WEEK })).to.equal("15.75");
    expect(normChanged({ default_schedule: DEFAULT_WEEK }, { default_schedule: NINE_TO_FIVE })).to.equal(false);
    expect(normChanged({ default_schedule: DEFAULT_WEEK }, { default_schedule: SIX_HOURS })).to.equal(true);
  });
});
