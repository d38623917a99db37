import { expect } from "chai";
import { dateIn, timeIn } from "../../../core/calendar/zones.ts";
import { hoursBegun, isDue, type LocalHour } from "../../../services/reporting/schedule/due-hours.ts";
import { BUILT_IN, type Schedule } from "../../../services/reporting/schedule/schedule.ts";
import { rounds } from "../../support/tier.ts";

const HOUR = 3_600_000;
const FROM = Date.parse("2026-01-01T00:05:00Z");
/** In one year the clock moves both ways. */
const YEARS = rounds(1, 2);
const UNTIL = Date.parse(`${2026 + YEARS}-01-01T00:05:00Z`);
// Half an hour off, a clock that moves by half an hour, one at midnight, one that never moves, and ours.
const ZONES = ["Europe/Amsterdam", "America/Santiago", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Kiritimati"];

const pad = (number: number) => String(number).padStart(2, "0");

/** The hours that begin with each of some years of hourly jobs. */
function hoursOf(zone: string): LocalHour[] {
  const hours: LocalHour[] = [];
  for (let now = FROM; now < UNTIL; now += HOUR) hours.push(...hoursBegun(zone, now));
  return hours;
}

/** The days with a run in the text, in the organisation's zone, from its first hour of those years to its last. */
function runsOfText(zone: string, { cadence, day_of_month, hour }: Schedule): string[] {
  const months = cadence === "monthly" ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] : cadence === "quarterly" ? [1, 4, 7, 10] : [];
  const at = (now: number) => `${dateIn(zone, now)} ${timeIn(zone, now).slice(0, 2)}`;
  return [2025, 2026, 2027, 2028]
    .flatMap((year) => months.map((month) => `${year}-${pad(month)}-${pad(day_of_month)} ${pad(hour)}`))
    .filter((run) => run >= at(FROM) && run < at(UNTIL));
}

describe("the hours of a report's schedule (workspace-reporting §1.5)", function () {
  this.timeout(120_000);

  for (const zone of ZONES)
    it(`strike once for each month or quarter in ${zone}, over ${YEARS} years of hours`, () => {
      const schedules: Schedule[] = [
        BUILT_IN,
        { ...BUILT_IN, cadence: "quarterly", day_of_month: 1, hour: 0 },
        { ...BUILT_IN, day_of_month: 28, hour: 23 },
        { ...BUILT_IN, cadence: "off" },
        // The skipped hour, and the repeated one, where a clock is moved on one of those days.
        ...[0, 1, 2, 3].flatMap((hour) => [4, 5, 6, 25, 28].map((day_of_month) => ({ ...BUILT_IN, day_of_month, hour }))),
      ];
      const hours = hoursOf(zone);
      for (const schedule of schedules) {
        const runs = hours.filter((at) => isDue(schedule, at)).map(({ date, hour }) => `${date} ${pad(hour)}`);
        expect(runs, JSON.stringify(schedule)).to.deep.equal(runsOfText(zone, schedule));
      }
    });

  it("assigns a skipped hour to the run after it, and a repeated one to its first", () => {
    const zone = "Europe/Amsterdam";
    expect(hoursBegun(zone, Date.parse("2027-03-28T01:05:00Z"))).to.deep.equal([
      { date: "2027-03-28", hour: 2 },
      { date: "2027-03-28", hour: 3 },
    ]);
    expect(hoursBegun(zone, Date.parse("2027-10-31T00:05:00Z"))).to.deep.equal([{ date: "2027-10-31", hour: 2 }]);
    expect(hoursBegun(zone, Date.parse("2027-10-31T01:05:00Z"))).to.deep.equal([]);
  });
});
