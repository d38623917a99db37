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
const ZONE = "Europe/Amsterdam";
const created = (sent: Parameters<typeof createdTimes>[0]) => createdTimes(sent, ZONE);
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
    ["an end at the start is no minutes", { started_at: at("09:00"), ended_at: at("09:00") }, times("09:00", "09:00", 0)],
    ["a whole day", { started_at: at("09:00"), ended_at: at("+09:00") }, times("09:00", "+09:00", 1440)],
    ["a whole day of minutes and break", { started_at: at("09:00"), minutes: 1400, break_minutes: 40 }, times("09:00", "+09:00", 1400, 40)],
    ["an end a minute after", { started_at: at("09:00"), ended_at: at("09:01") }, times("09:00", "09:01", 1)],
    ["the end wins over minutes", { started_at: at("09:00"), ended_at: at("10:00"), minutes: 5 }, times("09:00", "10:00", 60)],
    ["no end but null", { started_at: at("09:00"), ended_at: null, minutes: 5, break_minutes: null }, times("09:00", "09:05", 5)],
    ["no minutes at all", { started_at: at("09:00"), minutes: 0 }, times("09:00", "09:00", 0)],
    ["29 seconds are none", { started_at: at("09:00"), ended_at: at("09:10:29") }, times("09:00", "09:10:29", 10)],
    ["30 seconds are a minute", { started_at: at("09:00"), ended_at: at("09:10:30") }, times("09:00", "09:10:30", 11)],
    ["a break longer than the span", { started_at: at("09:00"), ended_at: at("09:10"), break_minutes: 11 }, times("09:00", "09:10", 0, 11)],
    ["offsets", { started_at: "2026-05-04T11:00:00+02:00", ended_at: "2026-05-04T10:30:00Z" }, times("09:00", "10:30", 90)],
    ["overnight where the clock moves: the end is at its time on the clock", { started_at: "2026-10-24T20:00:00Z", ended_at: "2026-10-24T01:30:00Z" }, { started_at: "2026-10-24T20:00:00Z", ended_at: "2026-10-25T02:30:00Z", minutes: 390, break_minutes: 0 }],
  ]; // biome-ignore format: a table
  for (const [what, sent, stored] of rows)
    it(what, () => {
      expect(created(sent)).to.deep.equal(stored);
    });

  for (const [what, sent] of [
    ["an end a second after a day", { started_at: at("09:00"), ended_at: at("+09:00:01") }],
    ["an end in the wrong year", { started_at: at("09:00"), ended_at: "2062-05-04T10:00:00Z" }],
    ["an end more than a day before", { started_at: at("+09:00"), ended_at: at("-09:00") }],
    ["minutes and a break of more than a day", { started_at: at("09:00"), minutes: 1440, break_minutes: 1 }],
  ] as const)
    it(`refuses ${what}`, () => {
      expect(refused(() => created(sent))).to.equal("ended_at=errors.validation");
    });

  it("needs an end or minutes", () => {
    expect(refused(() => created({ started_at: at("09:00") }))).to.equal("ended_at=errors.required");
    expect(refused(() => created({ started_at: at("09:00"), ended_at: null, minutes: null }))).to.equal(
      "ended_at=errors.required",
    );
  });

  it("finishing a task rolls over, and refuses no minutes", () => {
    const finish = (start: string, end: string) => finishingTimes({ started_at: at(start), ended_at: at(end) }, ZONE);
    expect(finish("22:00", "01:00")).to.deep.equal(times("22:00", "+01:00", 180));
    expect(refused(() => finish("22:00", "22:00"))).to.equal("ended_at=errors.validation");
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
    ["the start moves the entry", stored, { started_at: at("08:00") }, times("08:00", "09:30", 80, 10)],
    ["the start of another day", stored, { started_at: at("-10:00"), minutes: 80 }, times("-10:00", "-11:30", 80, 10)],
    ["the start and the break", stored, { started_at: at("08:00"), break_minutes: 0 }, times("08:00", "09:20", 80)],
    ["the end that it has, with minutes that do not follow", { ...stored, minutes: 7 }, { ended_at: at("10:30") }, { ...stored, minutes: 7 }],
    ["the start, and the end that it has", stored, { started_at: at("10:00"), ended_at: at("10:30") }, times("10:00", "10:30", 20, 10)],
    ["the start and the end", stored, { started_at: at("08:00"), ended_at: at("08:30"), minutes: 7 }, times("08:00", "08:30", 20, 10)],
    ["the end", stored, { ended_at: at("11:00") }, times("09:00", "11:00", 110, 10)],
    ["the break", stored, { break_minutes: 0 }, times("09:00", "10:30", 90)],
    ["the minutes", stored, { minutes: 30 }, times("09:00", "09:40", 30, 10)],
    ["the minutes, times sent again: the end wins", stored, { ...stored, minutes: 30 }, stored],
    ["the break and the end", stored, { ended_at: at("10:30"), break_minutes: 95 }, times("09:00", "10:30", 0, 95)],
    ["the minutes, times sent again with an offset", stored, { started_at: "2026-05-04T11:00:00+02:00", minutes: 30 }, times("09:00", "09:40", 30, 10)],
    ["the break and minutes", stored, { break_minutes: 20, minutes: 5 }, times("09:00", "09:25", 5, 20)],
    ["the break and the minutes that it has", stored, { break_minutes: 20, minutes: 80 }, times("09:00", "10:40", 80, 20)],
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

  const long = { ...times("-09:00", "+09:00", 2880) };
  it("leaves an older entry of more than a day as it is until its times change", () => {
    expect(updatedTimes(long, {})).to.deep.equal(long);
    expect(updatedTimes(long, { ended_at: at("-17:00") })).to.deep.equal(times("-09:00", "-17:00", 480));
  });
  for (const [what, before, sent] of [
    ["an end more than a day after", stored, { ended_at: at("+09:01") }],
    ["an end before the start", stored, { ended_at: at("08:59") }],
    ["an end before a new start", stored, { started_at: at("11:00"), ended_at: at("10:30") }],
    ["minutes that are with the break more than a day", stored, { minutes: 1431 }],
    ["an end of a running one in the wrong year", running, { ended_at: "2027-05-04T10:00:00Z" }],
    ["another break of an entry that is too long", long, { break_minutes: 5 }],
  ] as const)
    it(`refuses ${what}`, () => {
      expect(refused(() => updatedTimes(before, sent))).to.equal("ended_at=errors.validation");
    });
  it("refuses a break alone that is longer than the entry", () => {
    expect(updatedTimes(stored, { break_minutes: 90 })).to.deep.equal(times("09:00", "10:30", 0, 90));
    expect(refused(() => updatedTimes(stored, { break_minutes: 91 }))).to.equal("break_minutes=errors.validation");
  });
});

describe("entry times: timer and planned block", () => {
  it("a timer stops with its elapsed minutes less the break", () => {
    const stopped = (end: string, pause = 10) => stoppedTimes(times("09:00", null, 0, pause), at(end));
    expect(stopped("10:00:31")).to.deep.equal({ times: times("09:00", "10:00:31", 51, 10), capped: false });
    expect(stopped("09:05")).to.deep.equal({ times: times("09:00", "09:05", 0, 10), capped: false });
    expect(stopped("09:00:29", 0).times.minutes).to.equal(0);
  });

  it("a timer that was forgotten ends a day after its start, and is capped", () => {
    const stopped = (end: string) => stoppedTimes(times("09:00", null, 0, 10), at(end));
    expect(stopped("+09:00")).to.deep.equal({ times: times("09:00", "+09:00", 1430, 10), capped: false });
    expect(stopped("+09:01")).to.deep.equal({ times: times("09:00", "+09:00", 1430, 10), capped: true });
  });

  it("a planned block becomes an entry from start to end, or of the minutes sent", () => {
    const block = { starts_at: at("09:00"), ends_at: at("11:00") };
    const logged = (sent: Parameters<typeof loggedBlockTimes>[1]) => loggedBlockTimes(block, sent, ZONE);
    expect(logged({})).to.deep.equal(times("09:00", "11:00", 120));
    expect(logged({ break_minutes: 15 })).to.deep.equal(times("09:00", "11:00", 105, 15));
    expect(logged({ minutes: 45, break_minutes: 15 })).to.deep.equal(times("09:00", "10:00", 45, 15));
    expect(logged({ minutes: 0 })).to.deep.equal(times("09:00", "09:00", 0));
    expect(logged({ minutes: null })).to.deep.equal(times("09:00", "11:00", 120));
  });
});

describe("entry times: properties", () => {
  const base = Date.parse("2026-05-04T00:00:00Z");
  const anySecond = fc.integer({ min: 0, max: 2 * 86_400 - 1 }).map((seconds) => utcInstant(base + seconds * 1000));
  const anyMinutes = fc.integer({ min: 0, max: 1440 });

  it("an entry of minutes read back by its times has the same minutes", () => {
    fc.assert(
      fc.property(anySecond, anyMinutes, anyMinutes, (started_at, minutes, pause) => {
        const break_minutes = Math.min(pause, 1440 - minutes);
        const made = created({ started_at, minutes, break_minutes });
        expect(created({ started_at, ended_at: made.ended_at, break_minutes })).to.deep.equal(made);
        expect(updatedTimes(made, { ...made })).to.deep.equal(made);
      }),
      CASES,
    );
  });

  it("a new entry within a day of its start ends after it, and minutes and break are its span", () => {
    fc.assert(
      fc.property(anySecond, fc.integer({ min: 1, max: 86_399 }), anyMinutes, (started_at, back, break_minutes) => {
        const ended_at = utcInstant(Date.parse(started_at) - back * 1000);
        const made = created({ started_at, ended_at, break_minutes });
        const seconds = (Date.parse(made.ended_at) - Date.parse(made.started_at)) / 1000;
        expect(seconds).to.equal(86_400 - back);
        expect(made.minutes).to.equal(Math.max(0, Math.round(seconds / 60) - break_minutes));
      }),
      CASES,
    );
  });

  const seconds = (one: string, other: string) => (Date.parse(other) - Date.parse(one)) / 1000;
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

  it("an update gives the same when it is repeated, ends no entry before its start, and loses no hours", () => {
    const sentFields = {
      started_at: maybe(anySecond),
      ended_at: maybe(anySecond),
      minutes: maybe(anyMinutes),
      break_minutes: maybe(fc.nat(90)),
    };
    fc.assert(
      fc.property(anySecond, anyMinutes, fc.nat(60), fc.boolean(), fc.record(sentFields), (start, length, pause, runs, sent) => {
        const made = created({ started_at: start, minutes: Math.min(length, 1440 - pause), break_minutes: pause });
        const before: EntryTimes = runs ? { ...made, ended_at: null, minutes: 0 } : made;
        const refusal = refused(() => updatedTimes(before, sent));
        if (refusal) {
          expect(refusal).to.be.oneOf(["ended_at=errors.validation", "break_minutes=errors.validation"]);
          return;
        }
        const after = updatedTimes(before, sent);
        expect(updatedTimes(after, sent), "sent again").to.deep.equal(after);
        if (after.ended_at === null) expect([runs, after.minutes]).to.deep.equal([true, 0]);
        else
          expect(after.minutes).to.equal(
            Math.max(0, Math.round(seconds(after.started_at, after.ended_at) / 60) - after.break_minutes),
          );
        if (after.ended_at !== null) expect(seconds(after.started_at, after.ended_at)).to.be.within(0, 86_400);
        if (sent.minutes === undefined && sent.ended_at === undefined && sent.break_minutes === undefined)
          expect(after.minutes).to.equal(before.minutes);
      }),
      CASES,
    );
  });
});
