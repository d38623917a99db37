import { expect } from "chai";
import ICAL from "ical.js";
import { clockChanges } from "../../../core/calendar/calendar.ts";
import { calendarText, type StampedEvent } from "../../../core/calendar/calendar-text.ts";

const FRAME = { name: "Verlof", product: "Leave", zone: "Europe/Amsterdam", from: "2029-01-01", to: "2029-12-31" };
const event = (over: Partial<StampedEvent> = {}): StampedEvent => ({
  uid: "leave-request-1",
  summary: "Vakantie",
  description: null,
  time: { all_day: true, start: "2029-09-10", end: "2029-09-12" },
  stamp: "2029-01-02T03:04:05.678901+00:00",
  ...over,
});
const parsed = (text: string) => {
  const calendar = new ICAL.Component(ICAL.parse(text));
  for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);
  return calendar.getAllSubcomponents("vevent").map((one) => new ICAL.Event(one));
};
const timed = (day: string) => event({ time: { all_day: false, start: `${day}T08:30:00+01:00`, end: `${day}T17:00:00+01:00` } });

describe("calendar as text", () => {
  afterEach(() => ICAL.TimezoneService.reset());

  it("keeps every line within 75 octets and every character whole, and an independent parser reads the same back", () => {
    const summary = "Één; twee, drie \\ vier ".repeat(12);
    const description = "regel één\r\nregel twee\nregel drie 🌴\u0007";
    const text = calendarText([event({ summary, description })], FRAME);
    for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).to.be.at.most(75);
    expect(text.endsWith("END:VCALENDAR\r\n")).to.equal(true);
    expect(text.replaceAll("\r\n", "")).not.to.match(/[\r\n]/);
    const [read] = parsed(text);
    expect(read?.summary).to.equal(summary);
    expect(read?.description).to.equal("regel één\nregel twee\nregel drie 🌴");
    expect(read?.component.getFirstPropertyValue("dtstamp")?.toString()).to.equal("2029-01-02T03:04:05Z");
  });

  it("writes whole days as dates, the end exclusive", () => {
    const [read] = parsed(calendarText([event()], FRAME));
    expect([read?.startDate.isDate, read?.startDate.toString(), read?.endDate.toString()]).to.deep.equal([
      true,
      "2029-09-10",
      "2029-09-12",
    ]);
  });

  for (const [day, utc] of [
    ["2029-03-24", "07:30"],
    ["2029-03-26", "06:30"],
    ["2029-10-26", "06:30"],
    ["2029-10-29", "07:30"],
  ] as const)
    it(`reads 08:30 of ${day} as ${utc} UTC by the zone the calendar explains`, () => {
      const [read] = parsed(calendarText([timed(day)], FRAME));
      expect(read?.startDate.toJSDate().toISOString().slice(11, 16)).to.equal(utc);
      expect(read?.startDate.toString()).to.equal(`${day}T08:30:00`);
    });

  it("explains zones without changes, on the other side of UTC, and those that change on another day", () => {
    expect(clockChanges("UTC", "2029-01-01", "2029-12-31")).to.deep.equal([
      { local: "1970-01-01T00:00:00", before: "+00:00", after: "+00:00" },
    ]);
    expect(clockChanges("America/New_York", "2029-03-01", "2029-03-31").at(-1)).to.deep.equal({
      local: "2029-03-11T02:00:00",
      before: "-05:00",
      after: "-04:00",
    });
    expect(clockChanges("Europe/Amsterdam", "2029-03-25", "2029-10-27").map(({ local }) => local)).to.deep.equal([
      "2028-10-29T03:00:00",
      "2029-03-25T02:00:00",
    ]);
    // Its last change came from local mean time, whose offset has seconds.
    expect(clockChanges("Pacific/Pago_Pago", "2029-01-01", "2029-12-31")).to.deep.equal([
      { local: "1911-01-01T00:00:00", before: "-11:22", after: "-11:00" },
    ]);
    const text = calendarText([], { ...FRAME, zone: "America/New_York" });
    expect(text).to.include("BEGIN:DAYLIGHT\r\nDTSTART:20290311T020000\r\nTZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400");
  });

  it("is a calendar without events too", () => {
    expect(parsed(calendarText([], FRAME))).to.deep.equal([]);
  });
});
