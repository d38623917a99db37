import { expect } from "chai";
import {
  newTimes,
  type SheetTimes,
  saidTimes,
  sheetClock,
  sheetDate,
  sheetMinutes,
} from "../../../services/work/time/entry-sheets/sheet-times.ts";

describe("times in spreadsheets of hours", () => {
  for (const [text, date] of [
    ["2026-03-04", "2026-03-04"],
    ["2026-03-04T09:00:00Z", "2026-03-04"],
    ["2026-03-04 00:00:00", "2026-03-04"],
    ["2026-02-30", undefined],
    ["03/04-2026", undefined],
    ["tomorrow", undefined],
  ] as const)
    it(`reads the date ${text}`, () => {
      expect(sheetDate(text)).to.equal(date);
    });

  for (const [text, clock] of [
    ["9:05", "09:05:00"],
    ["09:05:30", "09:05:30"],
    ["9.05", "09:05:00"],
    ["12:00 AM", "00:00:00"],
    ["12:30 pm", "12:30:00"],
    ["1:05:09 p.m.", "13:05:09"],
    ["1899-12-30T09:30:00", "09:30:00"],
    ["1904-01-01T09:30:00", "09:30:00"],
    ["2026-05-04T09:30:00", undefined],
    ["23:59:59.5", "23:59:59"],
    ["24:00", undefined],
    ["13:00 PM", undefined],
    ["0:30 AM", undefined],
    ["9:60", undefined],
    ["9:00:60", undefined],
    ["nine", undefined],
  ] as const)
    it(`reads the clock ${text}`, () => {
      expect(sheetClock(text)).to.equal(clock);
    });

  for (const [text, minutes] of [
    ["01:30:00", 90],
    ["1:30", 90],
    ["0:29:30", 30],
    ["0:00:29", 0],
    ["100:00:00", 6000],
    ["1.5", 90],
    ["1,25", 75],
    ["8", 480],
    ["0.33", 20],
    ["1h 30m", 90],
    ["2 uur", 120],
    ["45 min", 45],
    ["1h 0m 40s", 61],
    ["1u30", 90],
    ["1h 5", 65],
    ["90m", 90],
    ["90 minuten", 90],
    ["1,5 uur", 90],
    ["2 Std", 120],
    ["1u75", undefined],
    ["1u30u", undefined],
    ["1899-12-30T01:15:00Z", 75],
    ["1:75", undefined],
    ["-1", undefined],
    ["", undefined],
    ["long", undefined],
  ] as const)
    it(`reads the duration ${text || "of a blank"}`, () => {
      expect(sheetMinutes(text)).to.equal(minutes);
    });

  const ZONE = "Europe/Amsterdam";
  const times = (row: SheetTimes) => {
    const said = saidTimes(row, ZONE);
    return "refused" in said ? said : newTimes(said, ZONE);
  };
  const from = (started_at: string, ended_at: string, minutes: number, break_minutes = 0) => ({
    started_at,
    ended_at,
    minutes,
    break_minutes,
  });

  it("puts a day and clocks of the organisation together, the end on the next day where it is before the start", () => {
    const day = { date: "2026-05-04", start_time: "22:15" };
    expect(times({ ...day, end_time: "23:15" })).to.deep.equal(from("2026-05-04T20:15:00Z", "2026-05-04T21:15:00Z", 60));
    expect(times({ ...day, end_time: "01:05", break_minutes: "20" })).to.deep.equal(
      from("2026-05-04T20:15:00Z", "2026-05-04T23:05:00Z", 150, 20),
    );
    expect(times({ ...day, end_time: "22:15" })).to.deep.equal(from("2026-05-04T20:15:00Z", "2026-05-04T20:15:00Z", 0));
    expect(times({ ...day, end_date: "2026-05-05", end_time: "22:15" })).to.deep.equal(
      from("2026-05-04T20:15:00Z", "2026-05-05T20:15:00Z", 1440),
    );
    expect(times({ start_time: "2026-05-04 22:15", end_time: "23:15" })).to.deep.equal(
      from("2026-05-04T20:15:00Z", "2026-05-04T21:15:00Z", 60),
    );
    expect(times({ start_time: "2026-05-04T22:15:00", end_time: "23:15" })).to.deep.equal(
      from("2026-05-04T20:15:00Z", "2026-05-04T21:15:00Z", 60),
    );
    expect(times({ start_time: "2026-05-04T22:15:30Z", end_time: "2026-05-04T23:15:30Z" })).to.deep.equal(
      from("2026-05-04T22:15:30Z", "2026-05-04T23:15:30Z", 60),
    );
    expect(times({ date: "2026-05-04", start_time: "9:00 AM", duration: "0:30" })).to.deep.equal(
      from("2026-05-04T07:00:00Z", "2026-05-04T07:30:00Z", 30),
    );
  });

  it("reads a time that the clock skips an hour later, and one that it shows twice as the first", () => {
    expect(times({ date: "2026-03-29", start_time: "02:30", duration: "1" })).to.deep.equal(
      from("2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z", 60),
    );
    expect(times({ date: "2026-10-25", start_time: "02:30", end_time: "03:30" })).to.deep.equal(
      from("2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z", 120),
    );
  });

  it("reads instants with their offset, and without one on the organisation's clock", () => {
    expect(times({ started_at: "2026-05-04T09:00", ended_at: "2026-05-04T08:00:00Z" })).to.deep.equal(
      from("2026-05-04T07:00:00Z", "2026-05-04T08:00:00Z", 60),
    );
  });

  it("begins the work of a day alone at 09:00", () => {
    expect(times({ date: "2026-05-04", duration: "1.5" })).to.deep.equal(
      from("2026-05-04T07:00:00Z", "2026-05-04T08:30:00Z", 90),
    );
  });

  it("counts minutes from the end if both are given", () => {
    const started_at = "2026-05-04T09:00:00Z";
    expect(times({ started_at, ended_at: started_at, minutes: "0" })).to.deep.equal(from(started_at, started_at, 0));
    expect(times({ started_at, ended_at: "2026-05-04T10:15:00Z", minutes: "60", break_minutes: "15" })).to.deep.equal(
      from(started_at, "2026-05-04T10:15:00Z", 60, 15),
    );
    expect(times({ started_at, ended_at: "2026-05-04T10:15:00Z", minutes: "60" })).to.deep.equal(
      from(started_at, "2026-05-04T10:15:00Z", 75),
    );
  });

  for (const [row, refused] of [
    [{}, { started_at: "errors.required" }],
    [{ date: "2026-05-04" }, { ended_at: "errors.required" }],
    [{ date: "04-31-2026", duration: "1" }, { date: "impex.errors.invalid_date" }],
    [{ date: "2026-05-04", end_date: "x", end_time: "10:00" }, { end_date: "impex.errors.invalid_date" }],
    [
      { date: "2026-05-04", start_time: "x", end_time: "y" },
      { start_time: "errors.validation", end_time: "errors.validation" },
    ],
    [{ date: "2026-05-04", duration: "x" }, { duration: "errors.validation" }],
    [{ date: "2026-05-04", duration: "24:01" }, { duration: "errors.validation" }],
    [{ date: "2026-05-04", minutes: "1441" }, { minutes: "errors.validation" }],
    [
      { started_at: "2026-05-04T09:00:00Z", ended_at: "2026-05-06T09:00:00Z", duration: "48:00:00" },
      { ended_at: "errors.validation" },
    ],
    [{ date: "2026-05-04", minutes: "1440", break_minutes: "15" }, { ended_at: "errors.validation" }],
    [{ date: "2026-05-04", minutes: "1.5" }, { minutes: "errors.validation" }],
    [{ date: "2026-05-04", minutes: "5", break_minutes: "1441" }, { break_minutes: "errors.validation" }],
  ] as [SheetTimes, Record<string, string>][])
    it(`refuses ${JSON.stringify(row)}`, () => {
      expect(times(row)).to.deep.equal({ refused });
    });
});
