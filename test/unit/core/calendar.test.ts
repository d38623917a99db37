import { expect } from "chai";
import fc from "fast-check";
import {
  addDays,
  addMonths,
  type CalendarUnit,
  countWeekday,
  dateIn,
  dateOf,
  dateOfDayNumber,
  dayBounds,
  dayNumber,
  daysBetween,
  daysInclusive,
  daysInMonth,
  daysInYear,
  eachDay,
  earlier,
  endOf,
  firstOfYear,
  instantIn,
  isDate,
  isLeapYear,
  isoWeek,
  isoWeekday,
  isoWeekKey,
  isTime,
  isZone,
  lastOfYear,
  later,
  midnight,
  minutesOfTime,
  sharedDays,
  startOf,
  timeOfMinutes,
  todayIn,
  utcInstant,
  windowIn,
  yearOf,
  zoneOr,
} from "../../../core/calendar/calendar.ts";
import { cases } from "../../support/cases.ts";

const CASES = cases(1000);
const ZONES = [
  "Europe/Amsterdam",
  "Europe/London",
  "America/New_York",
  "America/Sao_Paulo",
  "America/Santiago",
  "Asia/Tokyo",
  "Asia/Kolkata",
  "Asia/Beirut",
  "Australia/Lord_Howe",
  "Pacific/Auckland",
  "Pacific/Kiritimati",
  "UTC",
];
const anyDate = fc.integer({ min: dayNumber("2000-01-01"), max: dayNumber("2100-12-31") }).map(dateOfDayNumber);
const anyZone = fc.constantFrom(...ZONES);

describe("calendar: dates", () => {
  it("knows which texts are dates", () => {
    for (const date of ["2029-09-11", "2028-02-29", "0001-01-01", "9999-12-31"]) expect(isDate(date), date).to.equal(true);
    for (const text of [
      "2029-02-29",
      "2029-13-01",
      "2029-00-10",
      "2029-04-31",
      "2029-4-1",
      "29-04-01",
      "2029-04-00",
      "0000-01-01",
      "2029-04-01T00:00",
      "",
      null,
      20290401,
    ]) {
      expect(isDate(text), String(text)).to.equal(false);
    }
  });

  it("refuses a malformed date", () => {
    for (const text of ["2029-02-30", "tomorrow"]) {
      expect(() => dayNumber(text)).to.throw(RangeError);
      expect(() => startOf("day", text)).to.throw(RangeError);
    }
    expect(() => dateOf(2029, 2, 29)).to.throw(RangeError);
    expect(dateOf(2028, 2, 29)).to.equal("2028-02-29");
  });

  it("knows leap years and the length of months and years", () => {
    expect([1900, 2000, 2028, 2029, 2100].map(isLeapYear)).to.deep.equal([false, true, true, false, false]);
    expect([2028, 2029].map(daysInYear)).to.deep.equal([366, 365]);
    const lengths = (year: number): number[] => Array.from({ length: 12 }, (_, month) => daysInMonth(year, month + 1));
    expect(lengths(2029)).to.deep.equal([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
    expect(daysInMonth(2028, 2)).to.equal(29);
    for (const month of [0, 13, 1.5]) expect(() => daysInMonth(2029, month)).to.throw(RangeError);
  });

  it("counts days from 1970 on", () => {
    expect(dayNumber("1970-01-01")).to.equal(0);
    expect(dayNumber("1969-12-31")).to.equal(-1);
    expect(dayNumber("2000-03-01")).to.equal(11017);
    expect(dateOfDayNumber(dayNumber("0001-01-01"))).to.equal("0001-01-01");
    expect(dateOfDayNumber(dayNumber("9999-12-31"))).to.equal("9999-12-31");
    expect(() => addDays("9999-12-31", 1)).to.throw(RangeError);
    expect(() => addDays("0001-01-01", -1)).to.throw(RangeError);
    expect(() => dateOfDayNumber(0.5)).to.throw(RangeError);
  });

  it("agrees with the platform's own calendar on every day of 130 years", () => {
    let time = Date.UTC(1970, 0, 1);
    for (let number = 0; number < 47_500; number += 1, time += 86_400_000) {
      const iso = new Date(time).toISOString().slice(0, 10);
      if (dateOfDayNumber(number) !== iso || dayNumber(iso) !== number) expect.fail(`${iso} is not day ${number}`);
      if (isoWeekday(iso) % 7 !== new Date(time).getUTCDay()) expect.fail(`weekday of ${iso}`);
    }
  });

  it("adds days and months, clamped to the month's end", () => {
    expect(addDays("2028-02-28", 1)).to.equal("2028-02-29");
    expect(addDays("2029-12-31", 1)).to.equal("2030-01-01");
    expect(addMonths("2029-01-31", 1)).to.equal("2029-02-28");
    expect(addMonths("2028-01-31", 1)).to.equal("2028-02-29");
    expect(addMonths("2029-12-15", 1)).to.equal("2030-01-15");
    expect(addMonths("2029-01-15", -1)).to.equal("2028-12-15");
    expect(addMonths("2029-03-31", 120)).to.equal("2039-03-31");
    expect(() => addMonths("2029-01-31", 0.5)).to.throw(RangeError);
    expect(() => addMonths("9999-12-01", 1)).to.throw(RangeError);
    expect(() => addMonths("0001-01-31", -1)).to.throw(RangeError);
  });

  it("measures periods", () => {
    expect(daysBetween("2029-12-31", "2030-01-02")).to.equal(2);
    expect(daysBetween("2030-01-02", "2029-12-31")).to.equal(-2);
    expect(daysInclusive("2029-12-31", "2030-01-02")).to.equal(3);
    expect(daysInclusive("2029-12-31", "2029-12-31")).to.equal(1);
    expect(daysInclusive("2030-01-02", "2029-12-31")).to.equal(0);
    expect(eachDay("2029-12-30", "2030-01-01")).to.deep.equal(["2029-12-30", "2029-12-31", "2030-01-01"]);
    expect(eachDay("2029-12-30", "2029-12-29")).to.deep.equal([]);
    expect([earlier("2029-01-02", "2029-01-10"), later("2029-01-02", "2029-01-10")]).to.deep.equal(["2029-01-02", "2029-01-10"]);
    expect([yearOf("2029-09-11"), firstOfYear(2029), lastOfYear(2029)]).to.deep.equal([2029, "2029-01-01", "2029-12-31"]);
  });

  it("counts the days two periods share", () => {
    expect(sharedDays("2029-01-01", "2029-01-31", "2029-01-31", "2029-02-10")).to.equal(1);
    expect(sharedDays("2029-01-01", "2029-01-31", "2029-02-01", null)).to.equal(0);
    expect(sharedDays("2029-01-01", null, "2029-01-10", "2029-01-20")).to.equal(11);
    expect(sharedDays("2029-01-15", "2029-01-20", "2029-01-10", null)).to.equal(6);
    expect(sharedDays("2029-01-01", null, "2029-02-01", null)).to.equal(Number.POSITIVE_INFINITY);
    expect(sharedDays("2029-01-01", "2029-12-31", "2029-05-01", "2029-05-02")).to.equal(2);
  });

  it("counts weekdays", () => {
    expect(countWeekday(5, "2030-01-01", "2030-12-31")).to.equal(52);
    expect(countWeekday(2, "2030-01-01", "2030-12-31")).to.equal(53);
    expect(countWeekday(5, "2030-03-01", "2030-03-01")).to.equal(1);
    expect(countWeekday(5, "2030-03-02", "2030-03-07")).to.equal(0);
    expect(countWeekday(5, "2030-03-02", "2030-03-01")).to.equal(0);
  });
});

describe("calendar: weeks and periods", () => {
  const weeks: [date: string, key: string][] = [
    ["2029-01-01", "2029-W01"],
    ["2027-01-01", "2026-W53"],
    ["2027-01-04", "2027-W01"],
    ["2028-12-31", "2028-W52"],
    ["2024-12-30", "2025-W01"],
    ["2026-12-31", "2026-W53"],
    ["2029-12-31", "2030-W01"],
  ];
  for (const [date, key] of weeks) it(`${date} is in ${key}`, () => expect(isoWeekKey(date)).to.equal(key));

  it("gives week and year apart", () => expect(isoWeek("2027-01-01")).to.deep.equal({ year: 2026, week: 53 }));

  const bounds: [unit: CalendarUnit, date: string, first: string, last: string][] = [
    ["day", "2029-05-17", "2029-05-17", "2029-05-17"],
    ["week", "2029-05-17", "2029-05-14", "2029-05-20"],
    ["week", "2029-05-14", "2029-05-14", "2029-05-20"],
    ["week", "2029-05-20", "2029-05-14", "2029-05-20"],
    ["week", "2030-01-01", "2029-12-31", "2030-01-06"],
    ["month", "2028-02-10", "2028-02-01", "2028-02-29"],
    ["quarter", "2029-05-17", "2029-04-01", "2029-06-30"],
    ["quarter", "2029-12-31", "2029-10-01", "2029-12-31"],
    ["quarter", "2029-01-01", "2029-01-01", "2029-03-31"],
    ["year", "2029-05-17", "2029-01-01", "2029-12-31"],
  ];
  for (const [unit, date, first, last] of bounds) {
    it(`the ${unit} of ${date} runs ${first} to ${last}`, () => {
      expect([startOf(unit, date), endOf(unit, date)]).to.deep.equal([first, last]);
    });
  }

  it("any date lies in its own week, month, quarter and year", () => {
    fc.assert(
      fc.property(anyDate, fc.constantFrom<CalendarUnit>("week", "month", "quarter", "year"), (date, unit) => {
        const first = startOf(unit, date);
        const last = endOf(unit, date);
        expect(first <= date && date <= last).to.equal(true);
        expect(startOf(unit, last)).to.equal(first);
        expect(startOf(unit, addDays(last, 1))).to.equal(addDays(last, 1));
      }),
      CASES,
    );
  });
});

describe("calendar: times", () => {
  it("reads minutes and drops seconds", () => {
    expect(["00:00", "08:30", "08:30:59", "08:30:59.5", "23:59", "24:00"].map(minutesOfTime)).to.deep.equal([
      0, 510, 510, 510, 1439, 1440,
    ]);
    for (const text of ["8:30", "24:01", "25:00", "08:60", "0830", "08:30Z", ""]) {
      expect(() => minutesOfTime(text), text).to.throw(RangeError);
      expect(isTime(text), text).to.equal(false);
    }
    expect(isTime("24:00")).to.equal(false);
    expect(isTime("08:30:15")).to.equal(true);
    expect(isTime(830)).to.equal(false);
  });

  it("writes minutes", () => {
    expect([0, 510, 1439, 1440].map(timeOfMinutes)).to.deep.equal(["00:00", "08:30", "23:59", "24:00"]);
    for (const minutes of [-1, 1441, 0.5]) expect(() => timeOfMinutes(minutes)).to.throw(RangeError);
  });
});

describe("calendar: zones", () => {
  it("knows zones and falls back when one is unset or unknown", () => {
    expect(["Europe/Amsterdam", "UTC"].map(isZone)).to.deep.equal([true, true]);
    expect(["Mars/Olympus", "", "+02:00", "-05:00", null, undefined].map(isZone)).to.deep.equal(Array(6).fill(false));
    for (const zone of [null, undefined, "", "Mars/Olympus"]) expect(zoneOr(zone, "Europe/Athens")).to.equal("Europe/Athens");
    expect(zoneOr("Asia/Tokyo", "Europe/Athens")).to.equal("Asia/Tokyo");
  });

  it("today is the organisation's, not the UTC date", () => {
    const now = "2029-12-31T23:30:00Z";
    expect(todayIn("Europe/Amsterdam", now, "UTC")).to.equal("2030-01-01");
    expect(todayIn("UTC", now, "UTC")).to.equal("2029-12-31");
    expect(todayIn("Mars/Olympus", now, "Europe/Amsterdam")).to.equal("2030-01-01");
    expect(todayIn("America/New_York", Date.UTC(2030, 0, 1, 3), "UTC")).to.equal("2029-12-31");
  });

  it("reads an instant without offset as UTC", () => {
    expect(utcInstant("2029-09-11T08:30:00")).to.equal("2029-09-11T08:30:00Z");
    expect(utcInstant("2029-09-11T08:30:00+02:00")).to.equal("2029-09-11T06:30:00Z");
    expect(utcInstant("2029-09-11T08:30")).to.equal("2029-09-11T08:30:00Z");
    expect(utcInstant(0)).to.equal("1970-01-01T00:00:00Z");
    for (const text of ["2029-09-11", "soon"]) expect(() => utcInstant(text)).to.throw(RangeError);
  });

  it("finds local midnight, also where the clock skips it", () => {
    expect(midnight("2026-07-01", "Europe/Athens")).to.equal("2026-06-30T21:00:00Z");
    expect(midnight("2018-11-04", "America/Sao_Paulo")).to.equal("2018-11-04T03:00:00Z");
    expect(dayBounds("2029-03-25", "Europe/Amsterdam")).to.deep.equal({
      start: "2029-03-24T23:00:00Z",
      end: "2029-03-25T22:00:00Z",
    });
  });

  it("is in UTC where the zone's offset has seconds, which no ISO 8601 instant can have", () => {
    expect(instantIn("Europe/Amsterdam", "1880-06-01", "08:30")).to.equal("1880-06-01T08:12:30Z");
    expect(instantIn("Europe/Amsterdam", "0001-01-01", "00:00")).to.match(/^0000-12-31T23:42:30Z$/);
    expect(windowIn("Europe/Amsterdam", "1880-06-01", "08:30", "17:00").end).to.equal("1880-06-01T16:42:30Z");
  });

  it("keeps 08:30 at 08:30 across clock changes", () => {
    expect(instantIn("Europe/Amsterdam", "2029-03-24", "08:30")).to.equal("2029-03-24T08:30:00+01:00");
    expect(instantIn("Europe/Amsterdam", "2029-03-25", "08:30")).to.equal("2029-03-25T08:30:00+02:00");
    expect(instantIn("Europe/Amsterdam", "2029-03-25", "00:30")).to.equal("2029-03-25T00:30:00+01:00");
    expect(instantIn("Europe/Amsterdam", "2029-10-28", "08:30")).to.equal("2029-10-28T08:30:00+01:00");
    expect(instantIn("Europe/Amsterdam", "2029-07-01", "24:00")).to.equal("2029-07-02T00:00:00+02:00");
    expect(instantIn("Europe/Amsterdam", "9999-12-31", "08:30")).to.equal("9999-12-31T08:30:00+01:00");
    expect(instantIn("UTC", "2029-07-01", "08:30")).to.equal("2029-07-01T08:30:00+00:00");
  });

  it("moves a skipped time on and takes the first of a doubled one", () => {
    expect(instantIn("Europe/Amsterdam", "2029-03-25", "02:30")).to.equal("2029-03-25T03:30:00+02:00");
    expect(instantIn("Europe/Amsterdam", "2029-10-28", "02:30")).to.equal("2029-10-28T02:30:00+02:00");
  });

  it("no clock change and no year end shifts a day", () => {
    fc.assert(
      fc.property(anyDate, anyZone, (date, zone) => {
        const { start, end } = dayBounds(date, zone);
        expect(dateIn(zone, start)).to.equal(date);
        expect(dateIn(zone, end)).to.equal(addDays(date, 1));
        expect(dateIn(zone, Date.parse(end) - 1)).to.equal(date);
        expect(todayIn(zone, Date.parse(start) - 1, "UTC")).to.equal(addDays(date, -1));
      }),
      CASES,
    );
  });

  it("a wall-clock time stays on its date, and on the clock unless the clock skips it", () => {
    fc.assert(
      fc.property(anyDate, anyZone, fc.integer({ min: 180, max: 1439 }), (date, zone, minutes) => {
        const instant = instantIn(zone, date, timeOfMinutes(minutes));
        expect(instant.slice(0, 16)).to.equal(`${date}T${timeOfMinutes(minutes)}`);
        expect(dateIn(zone, instant)).to.equal(date);
      }),
      CASES,
    );
  });
});
