import { expect } from "chai";
import { addDays, daysInclusive, eachDay } from "../../../core/calendar/calendar.ts";
import { knownDays, spansIn, unreadChunks } from "../../../integrations/marketing/jobs/read-days.ts";

const YESTERDAY = "2026-08-09";
const TODAY = "2026-08-10";
const texts = (spans: readonly { from: string; to: string }[]) => spans.map(({ from, to }) => `${from} ${to}`);

describe("the days of a link that were read (marketing-ads §1)", () => {
  it("are the spans of PostgreSQL's text, with both ends", () => {
    expect(spansIn("{}")).to.deep.equal([]);
    expect(texts(spansIn("{[2026-01-01,2026-02-01),[2026-02-28,2026-03-01)}"))).to.deep.equal([
      "2026-01-01 2026-01-31",
      "2026-02-28 2026-02-28",
    ]);
  });

  describe("that an answer makes known", () => {
    const span = { from: "2026-08-01", to: YESTERDAY };
    const day = (on: string, clicks = 1) => ({ day: on, metrics: { clicks } });
    for (const [what, days, lateDays, expected] of [
      ["are all of a span without a row", [], 0, "2026-08-01 2026-08-09"],
      ["are all up to the days that a late source may lack", [], 3, "2026-08-01 2026-08-06"],
      ["are more if a late source has them", [day("2026-08-08")], 3, "2026-08-01 2026-08-08"],
      ["are not more for a row of zeros", [day("2026-08-08", 0)], 3, "2026-08-01 2026-08-06"],
      ["are not fewer for an early row", [day("2026-08-02")], 3, "2026-08-01 2026-08-06"],
    ] as const)
      it(what, () =>
        expect(texts([knownDays(span, { days: [...days] }, { lateDays }, TODAY) ?? span])).to.deep.equal([expected]),
      );

    it("are none of an answer about other days, and of a late span alone", () => {
      expect(knownDays(span, { days: [], isUnread: true }, {}, TODAY)).to.equal(null);
      expect(knownDays({ from: "2026-08-08", to: YESTERDAY }, { days: [] }, { lateDays: 3 }, TODAY)).to.equal(null);
    });

    it("end with the span, however long ago it was", () =>
      expect(knownDays({ from: "2026-01-01", to: "2026-01-30" }, { days: [] }, { lateDays: 3 }, TODAY)).to.deep.equal({
        from: "2026-01-01",
        to: "2026-01-30",
      }));
  });
});

describe("chunks of unread days (marketing-ads §2.10)", () => {
  const whole = { from: addDays(TODAY, -800), to: YESTERDAY };

  it("are 27 of 30 days for 800, newest first, without a gap or a day twice", () => {
    const chunks = unreadChunks(whole, [], 30);
    expect(chunks.map(({ from, to }) => daysInclusive(from, to))).to.deep.equal([...Array(26).fill(30), 20]);
    expect(chunks[0]?.to).to.equal(YESTERDAY);
    expect(chunks.toReversed().flatMap(({ from, to }) => eachDay(from, to))).to.deep.equal(eachDay(whole.from, whole.to));
  });

  it("continue before the days that were read, and none is left of a span that was read", () => {
    const read = [{ from: addDays(TODAY, -60), to: YESTERDAY }];
    expect(unreadChunks(whole, read, 30)[0]?.to).to.equal(addDays(TODAY, -61));
    expect(unreadChunks(whole, [{ from: "2020-01-01", to: "2030-01-01" }], 30)).to.deep.equal([]);
    expect(unreadChunks({ from: TODAY, to: YESTERDAY }, [], 30)).to.deep.equal([]);
  });

  it("fill holes, each from its newest day, and read single days between two holes again", () => {
    const span = { from: "2026-07-01", to: "2026-07-31" };
    const weekdays = [
      { from: "2026-07-27", to: "2026-07-30" },
      { from: "2026-07-20", to: "2026-07-24" },
      { from: "2026-07-01", to: "2026-07-10" },
    ];
    expect(texts(unreadChunks(span, weekdays, 10))).to.deep.equal(["2026-07-22 2026-07-31", "2026-07-10 2026-07-19"]);
  });
});
