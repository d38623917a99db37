import { expect } from "chai";
import { addDays } from "../../../core/calendar/calendar.ts";
import type { MirroredEvent } from "../../../core/calendar/mirrored-event.ts";
import { byStartAndTitle, type FeedRow, feedItem } from "../../../integrations/workspace/calendar/feed-items.ts";
import { mirroredEventId, mirrorKey, mirrorKeyOf } from "../../../integrations/workspace/calendar/mirror/mirror-key.ts";
import { contentHash, writtenEvent } from "../../../integrations/workspace/calendar/mirror/written-event.ts";
import { readEvents } from "../../../integrations/workspace/calendar/pulled-events.ts";

const AMSTERDAM = "Europe/Amsterdam";
/** One for every whole offset from -11 to +14, and those in between that have half hours. */
const ZONES = ["Pacific/Pago_Pago", ...Array.from({ length: 25 }, (_, n) => etc(n - 10)), "Asia/Kolkata", "Pacific/Kiritimati"];

/** The zone with a whole offset: the names of the database have the sign the other way round. */
function etc(offset: number): string {
  return offset === 0 ? "Etc/GMT" : `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
}

const row = (over: Partial<FeedRow>): FeedRow => ({
  event_id: "e1",
  status: "confirmed",
  title: "Standup",
  html_link: null,
  is_free: false,
  starts_at: null,
  ends_at: null,
  start_date: null,
  end_date: null,
  ...over,
});
const timed = (starts_at: string, ends_at: string, over: Partial<FeedRow> = {}) => row({ starts_at, ends_at, ...over });

describe("Feed items (workspace §2.3)", () => {
  const days = (item: ReturnType<typeof feedItem>) => [item.start, item.end];

  it("puts the local time before the title of a timed event alone", () => {
    expect(feedItem(timed("2026-07-01T07:00:00Z", "2026-07-01T08:00:00Z"), AMSTERDAM).title).to.equal("09:00 Standup");
    expect(feedItem(timed("2026-01-01T07:00:00Z", "2026-01-01T08:00:00Z"), AMSTERDAM).title).to.equal("08:00 Standup");
    expect(feedItem(row({ start_date: "2026-07-01", end_date: "2026-07-02" }), AMSTERDAM).title).to.equal("Standup");
    expect(feedItem(timed("2026-07-01T07:00:00Z", "2026-07-01T08:00:00Z", { title: "" }), AMSTERDAM).title).to.equal("09:00");
  });

  it("has an event that ends exactly at midnight on the day before", () => {
    const evening = timed("2026-03-01T20:00:00Z", "2026-03-01T23:00:00Z");
    expect(days(feedItem(evening, AMSTERDAM))).to.deep.equal(["2026-03-01", "2026-03-01"]);
    const later = timed("2026-03-01T20:00:00Z", "2026-03-01T23:00:01Z");
    expect(days(feedItem(later, AMSTERDAM))).to.deep.equal(["2026-03-01", "2026-03-02"]);
    const moment = timed("2026-03-01T23:00:00Z", "2026-03-01T23:00:00Z");
    expect(days(feedItem(moment, AMSTERDAM))).to.deep.equal(["2026-03-02", "2026-03-02"]);
  });

  it("has whole days without times, the exclusive end one day back", () => {
    const item = feedItem(row({ start_date: "2026-12-31", end_date: "2027-01-02" }), AMSTERDAM);
    expect(item).to.deep.include({ start: "2026-12-31", end: "2027-01-01", all_day: true, starts_at: null, ends_at: null });
  });

  it("has an all-day event of one day on that day in every zone from -11 to +14 (trap P6)", () => {
    for (const zone of ZONES)
      expect(days(feedItem(row({ start_date: "2026-03-29", end_date: "2026-03-30" }), zone)), zone).to.deep.equal([
        "2026-03-29",
        "2026-03-29",
      ]);
  });

  it("distinguishes tentative and cancelled", () => {
    const flags = (status: FeedRow["status"]) => {
      const { tentative, cancelled } = feedItem(timed("2026-07-01T07:00:00Z", "2026-07-01T08:00:00Z", { status }), AMSTERDAM);
      return [tentative, cancelled];
    };
    expect(["confirmed", "tentative", "cancelled"].map((status) => flags(status as FeedRow["status"]))).to.deep.equal([
      [false, false],
      [true, false],
      [false, true],
    ]);
  });

  it("orders by first day, then title", () => {
    const items = [
      row({ event_id: "d", start_date: "2026-07-02", end_date: "2026-07-03", title: "A" }),
      row({ event_id: "c", start_date: "2026-07-01", end_date: "2026-07-02", title: "Zoo" }),
      timed("2026-07-01T08:00:00Z", "2026-07-01T09:00:00Z", { event_id: "b", title: "A" }),
      timed("2026-07-01T07:00:00Z", "2026-07-01T09:00:00Z", { event_id: "a", title: "Z" }),
    ].map((one) => feedItem(one, AMSTERDAM));
    expect(items.sort(byStartAndTitle).map(({ id }) => id)).to.deep.equal(["a", "b", "c", "d"]);
  });
});

describe("Events of a page (workspace §2.3)", () => {
  const NOW = Date.parse("2026-11-25T12:00:00Z");
  const read = (...items: Parameters<typeof readEvents>[0]) => readEvents(items, NOW, AMSTERDAM);
  const start = { dateTime: "2026-11-26T10:00:00+01:00" };
  const end = { dateTime: "2026-11-26T11:00:00+01:00" };

  it("takes cancelled without a start for a tombstone, and with one for an event", () => {
    const { kept, gone } = read(
      { id: "a", status: "cancelled" },
      { id: "b", status: "cancelled", recurringEventId: "b0", originalStartTime: start },
      { id: "c", status: "cancelled", start, end },
    );
    expect(gone).to.deep.equal(["a", "b"]);
    expect(kept.map(({ event_id, status }) => [event_id, status])).to.deep.equal([["c", "cancelled"]]);
  });

  it("leaves out what its owner has declined and what is no appointment, and tells free from busy", () => {
    const declined = { self: true, responseStatus: "declined" };
    const { kept, gone } = read(
      { id: "declined", start, end, attendees: [{ responseStatus: "accepted" }, declined] },
      { id: "others", start, end, attendees: [{ responseStatus: "declined" }, { self: true, responseStatus: "accepted" }] },
      { id: "office", start, end, eventType: "workingLocation" },
      { id: "birthday", start, end, eventType: "birthday" },
      { id: "away", start, end, eventType: "outOfOffice", transparency: "opaque" },
      { id: "free", start, end, transparency: "transparent" },
    );
    expect(gone).to.deep.equal(["declined", "office", "birthday"]);
    expect(kept.map(({ event_id, is_free }) => [event_id, is_free])).to.deep.equal([
      ["others", false],
      ["away", false],
      ["free", true],
    ]);
  });

  it("keeps no instance of a series that starts more than 365 days ahead, and lets a cached one go", () => {
    const on = (date: string) => ({ start: { date }, end: { date: addDays(date, 1) } });
    const at = (dateTime: string) => ({ start: { dateTime }, end: { dateTime } });
    const { kept, gone } = read(
      { id: "in", recurringEventId: "s", ...on("2027-11-25") },
      { id: "out", recurringEventId: "s", ...on("2027-11-26") },
      { id: "timed-in", recurringEventId: "s", ...at("2027-11-25T12:00:00Z") },
      { id: "timed-out", recurringEventId: "s", ...at("2027-11-25T12:00:01Z") },
      { id: "single", ...on("2030-01-01") },
    );
    expect(kept.map(({ event_id }) => event_id)).to.deep.equal(["in", "timed-in", "single"]);
    expect(gone).to.deep.equal(["out", "timed-out"]);
  });

  it("reads instants of every offset, and one without by its zone", () => {
    const { kept } = read(
      { id: "a", start: { dateTime: "2026-11-26T10:00:00+14:00" }, end: { dateTime: "2026-11-26T11:00:00+14:00" } },
      {
        id: "b",
        start: { dateTime: "2026-11-26T10:00:00", timeZone: "America/New_York" },
        end: { dateTime: "2026-11-26T16:00:00Z" },
      },
    );
    expect(kept.map(({ starts_at }) => starts_at)).to.deep.equal(["2026-11-25T20:00:00Z", "2026-11-26T15:00:00Z"]);
  });

  it("stores a title as PostgreSQL can hold it: without NUL and half a surrogate pair", () => {
    const timed = { id: "a", summary: "a\u0000b\ud800c", start: { date: "2026-03-02" }, end: { date: "2026-03-03" } };
    expect(readEvents([timed], Date.UTC(2026, 2, 1), "UTC").kept.map(({ title }) => title)).to.deep.equal(["ab\ufffdc"]);
  });

  it("counts events without a readable time, and uses the last of a repeated id", () => {
    const { kept, gone, unreadable } = read(
      { id: "x", start: { dateTime: "soon" } },
      { id: "y" },
      { id: "z", start, end, summary: "old" },
      { id: "z", start, end, summary: "n\u0000ew" },
      { id: "w", start, end },
      { id: "w", status: "cancelled" },
      { summary: "without an id", start, end },
    );
    expect([kept.map(({ title }) => title), gone, unreadable]).to.deep.equal([["new"], ["w"], 2]);
  });

  it("drops events beyond the days that there are, and keeps the others of the page", () => {
    const { kept, unreadable } = read(
      { id: "last day", start: { date: "9999-12-31" }, end: { date: "10000-01-01" } },
      { id: "year 10000", start: { dateTime: "9999-12-31T23:59:59-05:00" }, end: { dateTime: "9999-12-31T23:59:59-05:00" } },
      { id: "year 0", start: { dateTime: "0001-01-01T00:00:00+05:00" }, end },
      { id: "long", start, end: { dateTime: "9999-12-31T23:59:59-05:00" } },
      { id: "day before", start: { date: "9999-12-30" }, end: { date: "9999-12-31" } },
    );
    expect([kept.map(({ event_id }) => event_id), unreadable]).to.deep.equal([["long", "day before"], 3]);
    expect(kept.map((event) => feedItem(event, "Pacific/Kiritimati").start)).to.deep.equal(["2026-11-26", "9999-12-30"]);
  });

  it("never has an end before the start", () => {
    const { kept } = read(
      { id: "a", start: { date: "2026-11-26" }, end: { date: "2026-11-26" } },
      { id: "b", start: { date: "2026-11-26" } },
      { id: "c", start, end: { dateTime: "2026-11-26T08:00:00Z" } },
      { id: "d", start },
    );
    expect(kept.map(({ end_date, ends_at }) => end_date ?? ends_at)).to.deep.equal([
      "2026-11-27",
      "2026-11-27",
      "2026-11-26T09:00:00Z",
      "2026-11-26T09:00:00Z",
    ]);
  });

  it("recognises this service's own events, and instances of it", () => {
    const key = mirrorKey("availability", "0190A000-0000-7000-8000-000000000001", "0190a000-0000-7000-8000-000000000002");
    const id = mirroredEventId(key, 12);
    const { kept } = read(
      { id, start, end },
      { id: `${id}_20261126T090000Z`, recurringEventId: id, start, end },
      { id: "other_20261126T090000Z", recurringEventId: "other", start, end },
      { id: "single", start, end },
    );
    expect(kept.map(({ mirror_key }) => mirror_key)).to.deep.equal([key, key, null, null]);
  });
});

describe("Ids of written events (workspace §2.3)", () => {
  const A = "0190a000-0000-7000-8000-000000000001";
  const B = "0190a000-0000-7000-8000-000000000002";

  it("take base32hex digits alone, differ by kind, record, owner and generation, and are at most 1,024 long", () => {
    const ids = (["leave", "availability", "schedule"] as const).flatMap((kind) =>
      [A, B].flatMap((source) =>
        [A, B].flatMap((owner) => [0, 1].map((generation) => mirroredEventId(mirrorKey(kind, source, owner), generation))),
      ),
    );
    expect(new Set(ids).size).to.equal(24);
    for (const id of ids) expect(id).to.match(/^[0-9a-v]{5,1024}$/);
  });

  it("lead back to their key, and no other id does", () => {
    const key = mirrorKey("leave", A, B);
    expect(mirrorKeyOf(mirroredEventId(key, 7))).to.equal(key);
    for (const other of [key, `${key}g`, `x${key}g1`, `${key}g1_20260101`, "abc123", "", null, undefined])
      expect(mirrorKeyOf(other), String(other)).to.equal(null);
  });
});

describe("Events as they are written (workspace §2.3, §2.7)", () => {
  const event = (over: Partial<MirroredEvent>): MirroredEvent => ({
    source_id: "s",
    user_id: "u",
    title: "Vakantie",
    names: [],
    description: null,
    time: { all_day: true, start: "2026-12-21", end: "2026-12-25" },
    zone: AMSTERDAM,
    is_free: false,
    weekly: null,
    ...over,
  });
  const at = { all_day: false, start: "2026-12-21T09:00:00+01:00", end: "2026-12-21T17:00:00+01:00" } as const;

  it("has whole days with their exclusive end, and no zone", () => {
    const written = writtenEvent(event({}));
    expect(written).to.deep.include({ start: { date: "2026-12-21" }, end: { date: "2026-12-25" }, transparency: "opaque" });
    expect(written).to.not.have.any.keys("recurrence", "description");
  });

  it("has times with start and end zones, and free time transparent", () => {
    const written = writtenEvent(event({ time: at, is_free: true, description: "note" }));
    expect(written.start).to.deep.equal({ dateTime: at.start, timeZone: AMSTERDAM });
    expect(written.end).to.deep.equal({ dateTime: at.end, timeZone: AMSTERDAM });
    expect(written).to.deep.include({ transparency: "transparent", description: "note" });
  });

  const series: [what: string, over: Partial<MirroredEvent>, rule: string][] = [
    ["whole days without end", { weekly: { interval_weeks: 1, until: null } }, "RRULE:FREQ=WEEKLY"],
    ["every other week", { weekly: { interval_weeks: 2, until: null } }, "RRULE:FREQ=WEEKLY;INTERVAL=2"],
    [
      "whole days with a last date, as a date",
      { weekly: { interval_weeks: 1, until: "2027-03-29" } },
      "RRULE:FREQ=WEEKLY;UNTIL=20270329",
    ],
    [
      "timed with a last date, as the end of that day in UTC with Z",
      { time: at, weekly: { interval_weeks: 1, until: "2027-03-29" } },
      "RRULE:FREQ=WEEKLY;UNTIL=20270329T215959Z",
    ],
    [
      "timed in a zone ahead of UTC by 14 hours",
      { time: at, zone: "Pacific/Kiritimati", weekly: { interval_weeks: 3, until: "2027-03-29" } },
      "RRULE:FREQ=WEEKLY;INTERVAL=3;UNTIL=20270329T095959Z",
    ],
  ];
  for (const [what, over, rule] of series)
    it(`repeats ${what}`, () => expect(writtenEvent(event(over)).recurrence).to.deep.equal([rule]));

  it("is written and read back unchanged in every zone from -11 to +14 (trap P6)", () => {
    for (const zone of ZONES) {
      const written = writtenEvent(event({ zone, time: { all_day: true, start: "2026-03-29", end: "2026-03-30" } }));
      const { kept } = readEvents([{ id: "a", ...written }], Date.parse("2026-03-01T00:00:00Z"), zone);
      const item = feedItem(kept[0] as FeedRow, zone);
      expect([item.start, item.end, item.all_day], zone).to.deep.equal(["2026-03-29", "2026-03-29", true]);
      const again = writtenEvent(event({ zone, time: { all_day: true, start: item.start, end: addDays(item.end, 1) } }));
      expect(contentHash(again).equals(contentHash(written)), zone).to.equal(true);
    }
  });
});
