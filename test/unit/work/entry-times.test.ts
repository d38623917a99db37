import { expect } from "chai";
import fc from "fast-check";
import { utcInstant } from "../../../core/calendar/calendar.ts";
import {
  createdTimes,
  type EntryTimes,
  finishingTimes,
  loggedBlockTimes,
  stoppedTimes,
  updatedTimes,
} from "../../../services/work/time/entry-times.ts";
import { CASES, refused } from "./support.ts";

/** `09:00` on the day of the tests, `+09:00` on the next, `-09:00` on the one before, as UTC text. */
const at = (time: string): string =>
  `2026-05-0${time.startsWith("+") ? 5 : time.startsWith("-") ? 3 : 4}T${time.replace(/^[+-]/, "")}${time.length > 6 ? "" : ":00"}Z`;
const times = (start: string, end: string | null, minutes: number, break_minutes = 0): EntryTimes => ({
  started_at: at(start),
  ended_at: end === null ? null : at(end),
  minutes,
  break_minutes,
});

describe("entry times: create", () => {
  const rows: [what: string, sent: Parameters<typeof createdTimes>[0], stored: EntryTimes][] = [
    ["overnight and break (§6)", { started_at: at("22:15"), ended_at: at("01:05"), break_minutes: 20 }, times("22:15", "+01:05", 150, 20)],
    ["minutes and break (§6)", { started_at: at("09:00"), minutes: 40, break_minutes: 15 }, times("09:00", "09:55", 40, 15)],
    ["start and end", { started_at: at("09:00"), ended_at: at("10:30") }, times("09:00", "10:30", 90)],
    ["an end at the start is a day later", { started_at: at("09:00"), ended_at: at("09:00") }, times("09:00", "+09:00", 1440)],
    ["an end a minute after", { started_at: at("09:00"), ended_at: at("09:01") }, times("09:00", "09:01", 1)],
    ["the end wins over minutes", { started_at: at("09:00"), ended_at: at("10:00"), minutes: 5 }, times("09:00", "10:00", 60)],
    ["no end but null", { started_at: at("09:00"), ended_at: null, minutes: 5, break_minutes: null }, times("09:00", "09:05", 5)],
    ["no minutes at all", { started_at: at("09:00"), minutes: 0 }, times("09:00", "09:00", 0)],
    ["29 seconds are none", { started_at: at("09:00"), ended_at: at("09:10:29") }, times("09:00", "09:10:29", 10)],
    ["30 seconds are a minute", { started_at: at("09:00"), ended_at: at("09:10:30") }, times("09:00", "09:10:30", 11)],
    ["a break longer than the span", { started_at: at("09:00"), ended_at: at("09:10"), break_minutes: 11 }, times("09:00", "09:10", 0, 11)],
    ["more than a day", { started_at: at("-09:00"), ended_at: at("+10:00") }, times("-09:00", "+10:00", 2940)],
    ["offsets", { started_at: "2026-05-04T11:00:00+02:00", ended_at: "2026-05-04T10:30:00Z" }, times("09:00", "10:30", 90)],
    ["an end long before the start", { started_at: at("+09:00"), ended_at: at("-09:00") }, times("+09:00", "09:00", 0)],
  ]; // biome-ignore format: a table
  for (const [what, sent, stored] of rows)
    it(what, () => {
      expect(createdTimes(sent)).to.deep.equal(stored);
    });

  it("needs an end or minutes", () => {
    expect(refused(() => createdTimes({ started_at: at("09:00") }))).to.equal("ended_at=errors.required");
    expect(refused(() => createdTimes({ started_at: at("09:00"), ended_at: null, minutes: null }))).to.equal(
      "ended_at=errors.required",
    );
  });

  it("finishing a task rolls over, and refuses no minutes", () => {
    const finish = (start: string, end: string) => finishingTimes({ started_at: at(start), ended_at: at(end) });
    expect(finish("22:00", "01:00")).to.deep.equal(times("22:00", "+01:00", 180));
    expect(finish("22:00", "22:00").minutes).to.equal(1440);
    expect(refused(() => finish("09:00", "09:00:29"))).to.equal("ended_at=errors.validation");
    expect(finish("09:00", "09:00:30").minutes).to.equal(1);
  });
});

describe("entry times: update", () => {
  const stored = times("09:00", "10:30", 80, 10);
  const running = times("09:00", null, 0, 10);
  const rows: [what: string, before: EntryTimes, sent: Parameters<typeof updatedTimes>[1], after: EntryTimes][] = [
    ["nothing", stored, {}, stored],
    ["nulls", stored, { started_at: null, ended_at: null, minutes: null, break_minutes: null }, stored],
    ["what it has", stored, stored, stored],
    ["minutes that do not follow from its times stay", { ...stored, minutes: 7 }, { break_minutes: 10 }, { ...stored, minutes: 7 }],
    ["the start", stored, { started_at: at("08:00") }, times("08:00", "10:30", 140, 10)],
    ["the end", stored, { ended_at: at("11:00") }, times("09:00", "11:00", 110, 10)],
    ["the break", stored, { break_minutes: 0 }, times("09:00", "10:30", 90)],
    ["the minutes", stored, { minutes: 30 }, times("09:00", "09:40", 30, 10)],
    ["the minutes, times sent again", stored, { ...stored, minutes: 30 }, times("09:00", "09:40", 30, 10)],
    ["the minutes, times sent again with an offset", stored, { started_at: "2026-05-04T11:00:00+02:00", minutes: 30 }, times("09:00", "09:40", 30, 10)],
    ["the break and minutes: the break counts", stored, { break_minutes: 20, minutes: 5 }, times("09:00", "10:30", 70, 20)],
    ["an end before the start does not roll", stored, { ended_at: at("08:00") }, times("09:00", "08:00", 0, 10)],
    ["an end at the start does not roll", stored, { ended_at: at("09:00") }, times("09:00", "09:00", 0, 10)],
    ["running: nothing", running, {}, running],
    ["running: the start", running, { started_at: at("08:00") }, times("08:00", null, 0, 10)],
    ["running: the break", running, { break_minutes: 5 }, times("09:00", null, 0, 5)],
    ["running: an end stops it", running, { ended_at: at("09:45") }, times("09:00", "09:45", 35, 10)],
    ["running: minutes stop it", running, { minutes: 20 }, times("09:00", "09:30", 20, 10)],
  ]; // biome-ignore format: a table
  for (const [what, before, sent, after] of rows)
    it(what, () => {
      expect(updatedTimes(before, sent)).to.deep.equal(after);
    });
});

describe("entry times: timer and planned block", () => {
  it("a timer stops with its elapsed minutes less the break", () => {
    expect(stoppedTimes(times("09:00", null, 0, 10), at("10:00:31"))).to.deep.equal(times("09:00", "10:00:31", 51, 10));
    expect(stoppedTimes(times("09:00", null, 0, 10), at("09:05"))).to.deep.equal(times("09:00", "09:05", 0, 10));
    expect(stoppedTimes(times("09:00", null, 0), at("09:00:29")).minutes).to.equal(0);
  });

  it("a planned block becomes an entry from start to end, or of the minutes sent", () => {
    const block = { starts_at: at("09:00"), ends_at: at("11:00") };
    expect(loggedBlockTimes(block, {})).to.deep.equal(times("09:00", "11:00", 120));
    expect(loggedBlockTimes(block, { break_minutes: 15 })).to.deep.equal(times("09:00", "11:00", 105, 15));
    expect(loggedBlockTimes(block, { minutes: 45, break_minutes: 15 })).to.deep.equal(times("09:00", "10:00", 45, 15));
    expect(loggedBlockTimes(block, { minutes: 0 })).to.deep.equal(times("09:00", "09:00", 0));
    expect(loggedBlockTimes(block, { minutes: null })).to.deep.equal(times("09:00", "11:00", 120));
  });
});

describe("entry times: properties", () => {
  const base = Date.parse("2026-05-04T00:00:00Z");
  const anySecond = fc.integer({ min: 0, max: 2 * 86_400 - 1 }).map((seconds) => utcInstant(base + seconds * 1000));
  const anyMinutes = fc.integer({ min: 0, max: 1440 });

  it("an entry of minutes read back by its times has the same minutes", () => {
    fc.assert(
      fc.property(anySecond, fc.integer({ min: 1, max: 1440 }), anyMinutes, (started_at, minutes, break_minutes) => {
        const made = createdTimes({ started_at, minutes, break_minutes });
        expect(createdTimes({ started_at, ended_at: made.ended_at, break_minutes })).to.deep.equal(made);
        expect(updatedTimes(made, { ...made })).to.deep.equal(made);
      }),
      CASES,
    );
  });

  it("a new entry within a day of its start ends after it, and minutes and break are its span", () => {
    fc.assert(
      fc.property(anySecond, fc.integer({ min: 0, max: 86_399 }), anyMinutes, (started_at, back, break_minutes) => {
        const ended_at = utcInstant(Date.parse(started_at) - back * 1000);
        const made = createdTimes({ started_at, ended_at, break_minutes });
        const seconds = (Date.parse(made.ended_at) - Date.parse(made.started_at)) / 1000;
        expect(seconds).to.equal(86_400 - back);
        expect(made.minutes).to.equal(Math.max(0, Math.round(seconds / 60) - break_minutes));
      }),
      CASES,
    );
  });

  it("an update makes of the times what creating them makes, wherever no day is rolled", () => {
    fc.assert(
      fc.property(anySecond, anySecond, anySecond, anyMinutes, (one, other, end, break_minutes) => {
        const before = createdTimes({ started_at: one, minutes: 10 });
        const after = updatedTimes(before, { started_at: other, ended_at: end, break_minutes });
        expect(after.minutes).to.be.at.least(0);
        if (end > other && end !== before.ended_at)
          expect(after).to.deep.equal(createdTimes({ started_at: other, ended_at: end, break_minutes }));
        if (end <= other && end !== before.ended_at) expect(after).to.include({ ended_at: end, minutes: 0 });
      }),
      CASES,
    );
  });
});
