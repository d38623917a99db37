import { expect } from "chai";
import { decimal, formatAmount } from "../../../core/values/money.ts";
import { dayEquivalents, hoursOfMinutes, hoursText, sameHours } from "../../../services/people/working-time/hours.ts";
import { subtract, totalMinutes, union } from "../../../services/people/working-time/stretches.ts";
import {
  averageDayHours,
  averageDayMinutes,
  breaksOf,
  DEFAULT_WEEK,
  dayMinutes,
  dayOn,
  firstWorkingDay,
  stretchesOf,
  weekHours,
  workingDays,
} from "../../../services/people/working-time/week.ts";
import { readWeek, type WorkWeekWrite } from "../../../services/people/working-time/week-validation.ts";
import { day, granted, refusal, UNEVEN_WEEK, week, weekOf } from "./support.ts";

describe("hours", () => {
  it("turns minutes into hours half up, other figures half to even", () => {
    expect([0, 1, 20, 27, 33, 440, 2200].map(hoursOfMinutes)).to.deep.equal([
      "0.00",
      "0.02",
      "0.33",
      "0.45",
      "0.55",
      "7.33",
      "36.67",
    ]);
    expect(hoursOfMinutes(3)).to.equal("0.05");
    expect(["0.125", "0.135", "47.605479"].map(hoursText)).to.deep.equal(["0.12", "0.14", "47.61"]);
    for (const minutes of [0.5, -1, Number.NaN]) expect(() => hoursOfMinutes(minutes)).to.throw(RangeError);
    for (let minutes = 0; minutes <= 6000; minutes += 1) {
      expect(hoursOfMinutes(minutes)).to.equal(formatAmount(decimal(minutes).dividedBy(60)));
    }
  });

  it("compares hours as numbers", () => {
    expect(sameHours("0", "0.00")).to.equal(true);
    expect(sameHours("8.00", 8)).to.equal(true);
    expect(sameHours("8.00", "8.01")).to.equal(false);
    expect([sameHours(null, "0"), sameHours("0", null), sameHours(null, null)]).to.deep.equal([false, false, true]);
  });

  it("divides minutes by the average day in minutes, half to even", () => {
    expect(dayEquivalents(300, 480)).to.equal("0.62");
    expect(dayEquivalents(420, 480)).to.equal("0.88");
    expect(dayEquivalents(2385, 315)).to.equal("7.57");
    expect(dayEquivalents(20 * 440, 440)).to.equal("20.00");
    expect(dayEquivalents(480, 0)).to.equal("0.00");
  });
});

describe("stretches", () => {
  it("joins touching and overlapping ones", () => {
    expect(
      union([
        { start: 60, end: 120 },
        { start: 0, end: 60 },
        { start: 100, end: 110 },
        { start: 200, end: 200 },
      ]),
    ).to.deep.equal([{ start: 0, end: 120 }]);
    expect(
      union([
        { start: 0, end: 50 },
        { start: 51, end: 60 },
      ]),
    ).to.have.length(2);
  });

  it("cuts", () => {
    const cut = subtract(
      [{ start: 0, end: 100 }],
      [
        { start: 20, end: 30 },
        { start: 90, end: 200 },
        { start: 50, end: 50 },
      ],
    );
    expect(cut).to.deep.equal([
      { start: 0, end: 20 },
      { start: 30, end: 90 },
    ]);
    expect(totalMinutes(cut)).to.equal(80);
    expect(subtract([{ start: 10, end: 20 }], [{ start: 0, end: 1440 }])).to.deep.equal([]);
  });
});

describe("working week", () => {
  it("the default is Mon-Fri 08:30-17:00 with half an hour's break: 8 h a day, 40 h a week", () => {
    expect([weekHours(DEFAULT_WEEK), averageDayHours(DEFAULT_WEEK), workingDays(DEFAULT_WEEK)]).to.deep.equal([
      "40.00",
      "8.00",
      5,
    ]);
    expect(stretchesOf(DEFAULT_WEEK.mon)).to.deep.equal([
      { start: 510, end: 750 },
      { start: 780, end: 1020 },
    ]);
    expect([DEFAULT_WEEK.sat, DEFAULT_WEEK.sun]).to.deep.equal([null, null]);
  });

  it("finds the day of a date", () => {
    expect(dayOn(UNEVEN_WEEK, "2029-09-10")?.end).to.equal("17:30");
    expect(dayOn(UNEVEN_WEEK, "2029-09-11")).to.equal(null);
    expect(dayOn(UNEVEN_WEEK, "2029-09-16")).to.equal(null);
    expect(dayOn(week({ sun: "10:00-12:00" }), "2029-09-16")?.start).to.equal("10:00");
  });

  it("counts the minutes of a window, breaks out, never negative", () => {
    const monday = day("09:00-17:30 12:30-13:15");
    expect(dayMinutes(monday)).to.equal(465);
    expect(dayMinutes(monday, 0, 600)).to.equal(60);
    expect(dayMinutes(monday, 740, 800)).to.equal(15);
    expect(dayMinutes(monday, 755, 790)).to.equal(0);
    expect(dayMinutes(monday, 600, 540)).to.equal(0);
    expect(dayMinutes(monday, 1100, 1440)).to.equal(0);
    expect(dayMinutes(null)).to.equal(0);
    expect([breaksOf(monday), breaksOf(null)]).to.deep.equal([[{ start: 750, end: 795 }], []]);
  });

  it("takes any number of breaks", () => {
    expect(dayMinutes(day("08:00-17:00 10:00-10:15 12:00-12:30 15:00-15:15"))).to.equal(480);
  });

  it("the average day is floored to whole minutes and counts days with minutes only", () => {
    expect(averageDayMinutes(week({ mon: "09:00-10:40", tue: "09:00-10:41", wed: "09:00-10:40" }))).to.equal(100);
    expect(averageDayMinutes(week({}))).to.equal(0);
    expect(averageDayHours(weekOf("09:00-16:20"))).to.equal("7.33");
    expect(workingDays(week({ mon: "09:00-10:00 09:00-10:00", tue: "09:00-10:00" }))).to.equal(1);
  });

  it("knows its first working day", () => {
    expect(firstWorkingDay(week({ wed: "10:00-12:00", thu: "09:00-12:00" }))?.start).to.equal("10:00");
    expect(firstWorkingDay(week({ mon: "09:00-10:00 09:00-10:00", sun: "10:00-12:00" }))?.start).to.equal("10:00");
    expect(firstWorkingDay(week({}))).to.equal(null);
  });
});

describe("working week as it is sent", () => {
  const errors = (sent: WorkWeekWrite): string | null => refusal(readWeek(sent, "default_schedule"));

  it("is stored with seven days, without seconds, breaks by start", () => {
    const sent: WorkWeekWrite = {
      mon: {
        start: "09:00:30",
        end: "17:00",
        breaks: [
          { start: "15:00", end: "15:15:59" },
          { start: "12:00", end: "12:30" },
        ],
      },
      fri: { start: "09:00", end: "12:00" },
      sun: null,
    };
    expect(granted(readWeek(sent, "schedule")).week).to.deep.equal({
      ...week({ mon: "09:00-17:00 12:00-12:30 15:00-15:15", fri: "09:00-12:00" }),
    });
  });

  const cases: [name: string, text: string, error: string | null][] = [
    ["an end before the start", "17:00-09:00", "errors.leave_schedule_day_invalid"],
    ["an end at the start", "09:00-09:00", "errors.leave_schedule_day_invalid"],
    ["no time at all", "nine-17:00", "errors.leave_schedule_day_invalid"],
    ["24:00", "09:00-24:00", "errors.leave_schedule_day_invalid"],
    ["a break that ends at its start", "09:00-17:00 12:00-12:00", "errors.leave_schedule_break_invalid"],
    ["a break without a time", "09:00-17:00 12:00-noon", "errors.leave_schedule_break_invalid"],
    ["a break before the day", "09:00-17:00 08:30-09:30", "errors.leave_schedule_break_outside"],
    ["a break after the day", "09:00-17:00 16:30-17:30", "errors.leave_schedule_break_outside"],
    ["overlapping breaks", "09:00-17:00 12:00-13:00 12:59-13:30", "errors.leave_schedule_breaks_overlap"],
    ["a break within a break", "09:00-17:00 11:00-13:00 12:00-12:30", "errors.leave_schedule_breaks_overlap"],
    ["breaks that eat the day", "09:00-10:00 09:00-09:30 09:30-10:00", "errors.leave_schedule_day_empty"],
    ["touching breaks", "09:00-17:00 12:00-12:30 12:30-13:00", null],
    ["a break at the edge", "09:00-17:00 09:00-09:30 16:30-17:00", null],
  ];
  for (const [name, text, error] of cases) {
    it(`${error === null ? "allows" : "refuses"} ${name}`, () => {
      expect(errors({ tue: day(text) })).to.equal(error === null ? null : `tue=${error}`);
    });
  }

  it("refuses a week without work under the field of the schedule", () => {
    expect(errors({})).to.equal("default_schedule=errors.leave_schedule_empty");
    expect(errors({ mon: null })).to.equal("default_schedule=errors.leave_schedule_empty");
  });

  it("names every wrong weekday", () => {
    expect(errors({ mon: day("9-10"), wed: day("09:00-10:00"), thu: day("10:00-09:00") })).to.equal(
      "mon=errors.leave_schedule_day_invalid thu=errors.leave_schedule_day_invalid",
    );
  });
});
